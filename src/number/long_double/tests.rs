//! Sums of 80-bit numbers against those that Redis 7.0.15 printed (`sums.txt`).

use super::*;

fn sum(a: &str, b: &str) -> Option<String> {
    let sum = LongDouble::parse(a.as_bytes())?.checked_add(LongDouble::parse(b.as_bytes())?)?;
    Some(String::from_utf8(sum.to_text()).expect("ASCII"))
}

fn text(number: &str) -> Option<String> {
    LongDouble::parse(number.as_bytes()).map(|number| String::from_utf8(number.to_text()).expect("ASCII"))
}

#[test]
fn numbers_print_as_redis_prints_them() {
    let zeros = "0".repeat(5119);
    for (number, printed) in [
        ("10.5", "10.5"),
        ("5.0e3", "5000"),
        ("-1e-20", "0"),
        ("-0", "0"),
        ("1e-400", "0"),
        ("2e-4951", "0"),
        ("1e-17", "0.00000000000000001"),
        ("5e-18", "0"),
        ("6e-18", "0.00000000000000001"),
        ("-5e-18", "0"),
        ("1e30", "1000000000000000000024696061952"),
        ("0x1.0000000000000800001", "1.00000000000000011"),
        ("0x1.00000000000018", "1.00000000000000033"),
        ("0x.8p1", "1"),
        (".5", "0.5"),
        ("+.5e1", "5"),
        (zeros.as_str(), "0"),
    ] {
        assert_eq!(text(number).as_deref(), Some(printed), "{number}");
    }
    let largest = text("1e4932").expect("in range");
    assert_eq!(largest.len(), 4933);
    assert!(largest.starts_with("100000000000000000000601894938796389132383777425453311477378"));
    assert!(
        text("0x1p16383")
            .expect("in range")
            .starts_with("594865747678615882542879663314003565381722343548255118736337")
    );
}

#[test]
fn what_redis_refuses_is_refused() {
    let (long, many, tiny) = ("0".repeat(5120), "1".repeat(5119), format!("0.{}1", "0".repeat(5100)));
    for number in [
        &long,
        &many,
        &tiny,
        "",
        " 1",
        "1 ",
        "nan",
        "0x",
        "0x1p",
        ".",
        "1e",
        "1e+",
        "1\0",
        "infin",
        "1.2e4932",
        "1e-4951",
        "0x1p16384",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "--1",
        "1.2.3",
        "e5",
        "1e5.5",
    ] {
        assert_eq!(text(number), None, "{number:?}");
    }
}

#[test]
fn infinite_sums_are_refused() {
    assert_eq!(sum("1", "inf"), None);
    assert_eq!(sum("inf", "-inf"), None);
    assert_eq!(sum("1.1e4932", "1.1e4932"), None);
    assert!(LongDouble::parse(b"-Infinity").is_some_and(LongDouble::is_infinite));
}

#[test]
fn sums_are_those_of_redis() {
    for line in include_str!("sums.txt").lines() {
        let [a, b, expected] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("three words: {line}") };
        assert_eq!(sum(a, b).as_deref(), Some(expected), "{a} + {b}");
    }
}
