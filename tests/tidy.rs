//! Style as a test: reads the tree once and holds it to the rules of the house.
//!
//! A rule is a name, a reason, a function from the tree to complaints, and samples that it must refuse; a rule that
//! cannot fail is worthless, so the samples are tried too. Exceptions are explicit data beside the rule, and one that
//! is not needed any more is a complaint: lists only shrink.

#[path = "tidy/rooms.rs"]
mod rooms;
#[path = "tidy/shape.rs"]
mod shape;
#[path = "tidy/source.rs"]
mod source;
#[path = "tidy/words.rs"]
mod words;

use source::Tree;

/// Path and text of each file of a small tree.
type Sample = &'static [(&'static str, &'static str)];

/// One rule of the house.
struct Rule {
    /// What is asked, as a sentence.
    name: &'static str,
    /// Why.
    why: &'static str,
    /// The places that break it.
    check: fn(&Tree) -> Vec<String>,
    /// Trees that break it.
    bad: &'static [Sample],
    /// Trees that look as if they did.
    good: &'static [Sample],
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    rooms::RULES.iter().chain(words::RULES).chain(shape::RULES)
}

#[test]
fn the_tree_keeps_every_rule() {
    let tree = Tree::read(env!("CARGO_MANIFEST_DIR").as_ref());
    let mut report = String::new();
    for rule in rules() {
        let complaints = (rule.check)(&tree);
        if !complaints.is_empty() {
            report += &format!("\n{}. Why: {}\n  {}\n", rule.name, rule.why, complaints.join("\n  "));
        }
    }
    assert!(report.is_empty(), "{report}");
}

#[test]
fn every_rule_refuses_its_bad_samples_and_no_good_one() {
    for rule in rules() {
        assert!(!rule.bad.is_empty(), "{}: without a bad sample nobody knows whether it can fail", rule.name);
        for sample in rule.bad {
            assert!(!(rule.check)(&Tree::of(sample)).is_empty(), "{}: let pass {sample:?}", rule.name);
        }
        for sample in rule.good {
            assert_eq!((rule.check)(&Tree::of(sample)), Vec::<String>::new(), "{}: refused {sample:?}", rule.name);
        }
    }
}
