//! The suite that every kind of journal passes.

use super::{Entry, Flaky, Journal, Memory, Position, Progress};
use crate::time::Millis;

fn entry(n: u8) -> Entry {
    let mut entry = Entry { at: Millis(i64::from(n)), ..Entry::default() };
    entry.effects.push(0, &[b"SET", b"k", &[n]]);
    entry
}

fn committed(journal: &dyn Journal) -> Position {
    match journal.progress() {
        Progress::Good { committed, durable } => {
            assert!(committed <= journal.last() && durable <= journal.last());
            committed
        }
        Progress::Lost { after } => after,
    }
}

/// `sync` makes the journal commit all it was given.
fn conforms(mut journal: Box<dyn Journal>, sync: impl Fn()) {
    assert_eq!(journal.last(), Position::default());
    let mut before = Position::default();
    for n in 1..=50 {
        let seen = committed(&*journal);
        let at = journal.append(entry(n));
        assert!(at > before, "positions strictly increase");
        assert_eq!(journal.last(), at);
        assert!(committed(&*journal) >= seen, "committed never decreases");
        before = at;
    }
    sync();
    assert_eq!(committed(&*journal), before);
    if journal.records() {
        assert_eq!(journal.recover(), (1..=50).map(entry).collect::<Vec<_>>());
    }
    assert_eq!(journal.room(), Ok(()));
}

#[test]
fn memory_conforms() {
    conforms(Box::new(Memory::new()), || ());
    conforms(Box::new(Memory::keeping()), || ());
}

#[test]
fn flaky_conforms_when_nothing_is_injected() {
    let journal = Flaky::new();
    conforms(Box::new(journal.clone()), || journal.commit_all());
}

#[test]
fn after_lost_only_committed_entries_come_back_and_positions_go_on_rising() {
    let handle = Flaky::new();
    let mut journal = handle.clone();
    journal.append(entry(1));
    handle.commit_all();
    let second = journal.append(entry(2));
    handle.lose();
    assert_eq!(journal.progress(), Progress::Lost { after: Position { term: 0, index: 1 } });
    assert_eq!(journal.recover(), vec![entry(1)]);
    assert!(matches!(journal.progress(), Progress::Good { .. }));
    assert!(journal.append(entry(3)) > second);
}
