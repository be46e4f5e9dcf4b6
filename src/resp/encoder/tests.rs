//! Replies as bytes, in both protocols, with the crate `redis-protocol` as the oracle.

use proptest::prelude::*;
use redis_protocol::resp2::types::OwnedFrame as Frame2;
use redis_protocol::resp3::types::{OwnedFrame as Frame3, VerbatimStringFormat};

use super::*;
use crate::reply::Reply;

fn encode(reply: &Reply, resp3: bool) -> Vec<u8> {
    let mut out = Vec::new();
    reply.replay(&mut Encoder::new(&mut out, resp3));
    out
}

fn text(reply: &Reply, resp3: bool) -> String {
    String::from_utf8(encode(reply, resp3)).expect("test replies are text")
}

#[test]
fn each_kind_is_written_as_redis_writes_it() {
    let b = |text: &str| Reply::Bulk(text.into());
    for (reply, resp2, resp3) in [
        (Reply::Nil, "$-1\r\n", "_\r\n"),
        (Reply::NilArray, "*-1\r\n", "_\r\n"),
        (Reply::Int(-1), ":-1\r\n", ":-1\r\n"),
        (Reply::Int(i64::MIN), ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"),
        (Reply::Status("OK".into()), "+OK\r\n", "+OK\r\n"),
        (Reply::Status("a\r\nb".into()), "+a  b\r\n", "+a  b\r\n"),
        (Reply::Error("ERR a\r\nb\n".into()), "-ERR a  b\r\n", "-ERR a  b\r\n"),
        (Reply::Double(0.1), "$19\r\n0.10000000000000001\r\n", ",0.10000000000000001\r\n"),
        (Reply::Double(3.0), "$1\r\n3\r\n", ",3\r\n"),
        (Reply::Double(f64::INFINITY), "$3\r\ninf\r\n", ",inf\r\n"),
        (Reply::Double(f64::NEG_INFINITY), "$4\r\n-inf\r\n", ",-inf\r\n"),
        (Reply::Double(f64::NAN), "$3\r\nnan\r\n", ",nan\r\n"),
        (Reply::Double(-f64::NAN), "$4\r\n-nan\r\n", ",-nan\r\n"),
        (Reply::Boolean(true), ":1\r\n", "#t\r\n"),
        (Reply::Boolean(false), ":0\r\n", "#f\r\n"),
        (Reply::BigNumber(b"12".to_vec()), "$2\r\n12\r\n", "(12\r\n"),
        (Reply::Verbatim("txt".into(), b"hi".to_vec()), "$2\r\nhi\r\n", "=6\r\ntxt:hi\r\n"),
        (b("0123456789"), "$10\r\n0123456789\r\n", "$10\r\n0123456789\r\n"),
        (b(""), "$0\r\n\r\n", "$0\r\n\r\n"),
        (Reply::Map(vec![(b("k"), Reply::Int(2))]), "*2\r\n$1\r\nk\r\n:2\r\n", "%1\r\n$1\r\nk\r\n:2\r\n"),
        (Reply::Set(vec![Reply::Int(1)]), "*1\r\n:1\r\n", "~1\r\n:1\r\n"),
        (Reply::Push(vec![Reply::Int(0)]), "*1\r\n:0\r\n", ">1\r\n:0\r\n"),
    ] {
        assert_eq!(text(&reply, false), resp2);
        assert_eq!(text(&reply, true), resp3);
    }
}

#[test]
fn attributes_reach_resp3_alone() {
    let mut out = Vec::new();
    assert!(!Encoder::new(&mut out, false).attributes(1));
    assert!(out.is_empty());
    assert!(Encoder::new(&mut out, true).attributes(1));
    assert_eq!(out, b"|1\r\n");
}

/// What a RESP2 client should make of a reply.
fn seen_in_resp2(reply: &Reply) -> Frame2 {
    let all = |items: &[Reply]| Frame2::Array(items.iter().map(seen_in_resp2).collect());
    match reply {
        Reply::Nil | Reply::NilArray => Frame2::Null,
        Reply::Int(n) => Frame2::Integer(*n),
        Reply::Bulk(b) | Reply::BigNumber(b) | Reply::Verbatim(_, b) => Frame2::BulkString(b.clone()),
        Reply::Status(s) => Frame2::SimpleString(s.clone().into_bytes()),
        Reply::Error(e) => Frame2::Error(e.clone()),
        Reply::Double(d) => Frame2::BulkString(format_double(*d).to_vec()),
        Reply::Boolean(b) => Frame2::Integer(i64::from(*b)),
        Reply::Array(items) | Reply::Set(items) | Reply::Push(items) => all(items),
        Reply::Map(pairs) => {
            Frame2::Array(pairs.iter().flat_map(|(k, v)| [seen_in_resp2(k), seen_in_resp2(v)]).collect())
        }
    }
}

fn seen_in_resp3(reply: &Reply) -> Frame3 {
    let all = |items: &[Reply]| items.iter().map(seen_in_resp3).collect::<Vec<_>>();
    let attributes = None;
    match reply {
        Reply::Nil | Reply::NilArray => Frame3::Null,
        Reply::Int(data) => Frame3::Number { data: *data, attributes },
        Reply::Bulk(data) => Frame3::BlobString { data: data.clone(), attributes },
        Reply::BigNumber(data) => Frame3::BigNumber { data: data.clone(), attributes },
        Reply::Verbatim(_, data) => {
            Frame3::VerbatimString { data: data.clone(), format: VerbatimStringFormat::Text, attributes }
        }
        Reply::Status(s) => Frame3::SimpleString { data: s.clone().into_bytes(), attributes },
        Reply::Error(data) => Frame3::SimpleError { data: data.clone(), attributes },
        Reply::Double(data) => Frame3::Double { data: *data, attributes },
        Reply::Boolean(data) => Frame3::Boolean { data: *data, attributes },
        Reply::Array(items) => Frame3::Array { data: all(items), attributes },
        Reply::Push(items) => Frame3::Push { data: all(items), attributes },
        Reply::Set(items) => Frame3::Set { data: all(items).into_iter().collect(), attributes },
        Reply::Map(pairs) => {
            Frame3::Map { data: pairs.iter().map(|(k, v)| (seen_in_resp3(k), seen_in_resp3(v))).collect(), attributes }
        }
    }
}

fn any_reply() -> impl Strategy<Value = Reply> {
    let bytes = || prop::collection::vec(any::<u8>(), 0..40);
    let leaf = prop_oneof![
        Just(Reply::Nil),
        Just(Reply::NilArray),
        any::<i64>().prop_map(Reply::Int),
        (-20..20i64).prop_map(Reply::Int),
        bytes().prop_map(Reply::Bulk),
        "[A-Z]{1,8}".prop_map(Reply::Status),
        "[A-Z]{1,8} [a-z ]{0,20}[a-z]".prop_map(Reply::Error),
        any::<f64>().prop_filter("NaN equals nothing", |d| !d.is_nan()).prop_map(Reply::Double),
        any::<bool>().prop_map(Reply::Boolean),
        "-?[1-9][0-9]{18,30}".prop_map(|digits| Reply::BigNumber(digits.into_bytes())),
        bytes().prop_map(|b| Reply::Verbatim("txt".into(), b)),
    ];
    // Sets and map keys hold distinct items, as the sink demands.
    let distinct = || prop::collection::btree_set(any::<i64>(), 0..12);
    leaf.prop_recursive(3, 40, 12, move |item| {
        prop_oneof![
            prop::collection::vec(item.clone(), 0..12).prop_map(Reply::Array),
            distinct().prop_map(|set| Reply::Set(set.into_iter().map(Reply::Int).collect())),
            (distinct(), prop::collection::vec(item, 12))
                .prop_map(|(keys, values)| { Reply::Map(keys.into_iter().map(Reply::Int).zip(values).collect()) }),
        ]
    })
}

proptest! {
    #[test]
    fn resp2_replies_decode_to_the_same_tree(reply in any_reply()) {
        let bytes = encode(&reply, false);
        let (frame, used) = redis_protocol::resp2::decode::decode(&bytes).expect("valid").expect("whole");
        prop_assert_eq!(used, bytes.len());
        prop_assert_eq!(frame, seen_in_resp2(&reply));
    }

    #[test]
    fn resp3_replies_decode_to_the_same_tree(reply in any_reply()) {
        let bytes = encode(&reply, true);
        let (frame, used) = redis_protocol::resp3::decode::complete::decode(&bytes).expect("valid").expect("whole");
        prop_assert_eq!(used, bytes.len());
        prop_assert_eq!(frame, seen_in_resp3(&reply));
    }

    #[test]
    fn pushes_decode_to_the_same_tree(items in prop::collection::vec(any::<i64>(), 1..12)) {
        let reply = Reply::Push(items.into_iter().map(Reply::Int).collect());
        let bytes = encode(&reply, true);
        let (frame, _) = redis_protocol::resp3::decode::complete::decode(&bytes).expect("valid").expect("whole");
        prop_assert_eq!(frame, seen_in_resp3(&reply));
    }
}
