//! Requests cut anywhere, with the crate `redis-protocol` as the oracle.

use proptest::prelude::*;
use redis_protocol::resp2::types::OwnedFrame;

use super::*;

type Request = Vec<Vec<u8>>;

fn owned(parser: &Parser, buf: &[u8]) -> Request {
    let source = parser.source(buf);
    parser.args().iter().map(|place| source[place.clone()].to_vec()).collect()
}

/// Parses as a session does while bytes arrive in pieces that end at `cuts`: all requests, or the error after them.
fn parse_pieces(input: &[u8], cuts: &[usize], limits: &Limits) -> (Vec<Request>, Option<ProtocolError>) {
    let (mut parser, mut requests, mut start) = (Parser::new(), Vec::new(), 0);
    for &end in cuts.iter().chain([&input.len()]) {
        loop {
            let buf = &input[start..end];
            match parser.parse(buf, limits) {
                Ok(Parsed::Request { consumed }) => {
                    requests.push(owned(&parser, buf));
                    start += consumed;
                }
                Ok(Parsed::Empty { consumed }) => start += consumed,
                Ok(Parsed::Incomplete) => {
                    assert!(parser.wanted() > buf.len(), "wants no more than it has");
                    break;
                }
                Err(error) => return (requests, Some(error)),
            }
        }
    }
    (requests, None)
}

fn parse_all(input: &[u8]) -> (Vec<Request>, Option<ProtocolError>) {
    parse_pieces(input, &[], &Limits::default())
}

fn encode(request: &Request) -> Vec<u8> {
    let mut out = format!("*{}\r\n", request.len()).into_bytes();
    for arg in request {
        out.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        out.extend_from_slice(arg);
        out.extend_from_slice(b"\r\n");
    }
    out
}

fn words(list: &[&str]) -> Request {
    list.iter().map(|word| word.as_bytes().to_vec()).collect()
}

const PING: &[u8] = b"*1\r\n$4\r\nPING\r\n";

#[test]
fn malformed_requests_get_the_errors_of_redis() {
    use ProtocolError::*;
    let long = |head: &str| [head.as_bytes(), &[b'1'; 65_537]].concat();
    for (input, error) in [
        (b"*x\r\n".to_vec(), InvalidMultibulkLength),
        (b"*\r\n".to_vec(), InvalidMultibulkLength),
        (b"*+1\r\n".to_vec(), InvalidMultibulkLength),
        (b"*01\r\n".to_vec(), InvalidMultibulkLength),
        (b"*-0\r\n".to_vec(), InvalidMultibulkLength),
        (b"*1 \r\n".to_vec(), InvalidMultibulkLength),
        (b"*2147483648\r\n".to_vec(), InvalidMultibulkLength),
        (b"*1\r\n+PING\r\n".to_vec(), ExpectedDollar(b'+')),
        (b"*1\r\n\xffPING\r\n".to_vec(), ExpectedDollar(0xff)),
        (b"*1\r\n\r\n".to_vec(), ExpectedDollar(b'\r')),
        (b"*1\r\n$x\r\n".to_vec(), InvalidBulkLength),
        (b"*1\r\n$-1\r\n".to_vec(), InvalidBulkLength),
        (b"*1\r\n$\r\n".to_vec(), InvalidBulkLength),
        (b"*1\r\n$04\r\n".to_vec(), InvalidBulkLength),
        (b"*1\r\n$536870913\r\n".to_vec(), InvalidBulkLength),
        (b"*2\r\n$4\r\nPING\r\n$x\r\n".to_vec(), InvalidBulkLength),
        (long("*"), TooBigMultibulkCount),
        (long("*1\r\n$"), TooBigBulkCount),
        (long("a"), TooBigInline),
        (b"ping \"a\r\n".to_vec(), UnbalancedQuotes),
    ] {
        assert_eq!(parse_all(&input), (vec![], Some(error)), "{}", input[..input.len().min(30)].escape_ascii());
    }
    assert_eq!(ExpectedDollar(b'+').wire_text()[..], b"ERR Protocol error: expected '$', got '+'"[..]);
}

#[test]
fn requests_before_an_error_still_count() {
    let input = [PING, b"*1\r\n$x\r\n", PING].concat();
    assert_eq!(parse_all(&input), (vec![words(&["PING"])], Some(ProtocolError::InvalidBulkLength)));
}

#[test]
fn limits_are_inclusive() {
    for input in [&b"*2147483647\r\n"[..], b"*1\r\n$536870912\r\n", &[b'a'; 65_536]] {
        assert_eq!(parse_all(input), (vec![], None));
    }
}

#[test]
fn unauthenticated_clients_are_held_short() {
    use ProtocolError::*;
    let limits = Limits { authenticated: false, ..Limits::default() };
    for (input, error) in [
        (&b"*11\r\n"[..], Some(UnauthenticatedMultibulkLength)),
        (b"*10\r\n", None),
        (b"*2\r\n$16385\r\n", Some(UnauthenticatedBulkLength)),
        (b"*2\r\n$16384\r\n", None),
        (b"*2\r\n$536870913\r\n", Some(InvalidBulkLength)),
    ] {
        assert_eq!(parse_pieces(input, &[], &limits), (vec![], error));
    }
}

#[test]
fn requests_that_ask_nothing_are_passed_over() {
    for nothing in [&b"*0\r\n"[..], b"*-1\r\n", b"*-9999\r\n", b"\r\n", b"\n", b"   \r\n"] {
        assert_eq!(parse_all(&[nothing, PING].concat()), (vec![words(&["PING"])], None));
    }
}

#[test]
fn line_ends_are_skipped_unread() {
    assert_eq!(parse_all(b"*1\rx$4\rxPINGxx").0, vec![words(&["PING"])]);
    assert_eq!(parse_all(b"*1\r\n$4\r\nPING\r").0, Vec::<Request>::new());
}

#[test]
fn inline_requests_are_split_into_words() {
    let (requests, error) = parse_all(b"ping\nset \"a b\" 'c'\r\n*1\r\n$4\r\nPING\r\n$1\r\n\"\"\n");
    assert_eq!(error, None);
    assert_eq!(
        requests,
        vec![words(&["ping"]), words(&["set", "a b", "c"]), words(&["PING"]), words(&["$1"]), words(&[""])]
    );
}

#[test]
fn announced_lengths_allocate_nothing() {
    let mut parser = Parser::new();
    assert_eq!(parser.parse(b"*2147483647\r\n$536870912\r\nabc", &Limits::default()), Ok(Parsed::Incomplete));
    assert_eq!(parser.args.capacity(), 0);
    assert_eq!(parser.wanted(), 13 + 12 + 536_870_912 + 2);
}

#[test]
fn a_partial_request_is_not_scanned_again() {
    let mut input = b"*100001\r\n".to_vec();
    input.extend(b"$1\r\nx\r\n".repeat(100_000));
    let mut parser = Parser::new();
    parser.parse(&input, &Limits::default()).expect("valid");
    let understood = parser.at;
    assert_eq!(understood, input.len());
    input.extend(b"$2000\r\n");
    for _ in 0..2000 {
        input.push(b'y');
        assert_eq!(parser.parse(&input, &Limits::default()), Ok(Parsed::Incomplete));
        assert_eq!(parser.at, understood + 7);
    }
    input.extend(b"\r\n");
    assert_eq!(parser.parse(&input, &Limits::default()), Ok(Parsed::Request { consumed: input.len() }));
    assert_eq!(parser.args().len(), 100_001);
    assert_eq!(parser.parse(b"", &Limits::default()), Ok(Parsed::Incomplete));
    assert!(parser.args.capacity() <= KEPT_ARGS);
}

/// What `redis-protocol` makes of a pipeline.
fn oracle(mut input: &[u8]) -> Vec<Request> {
    let mut requests = Vec::new();
    while let Some((frame, used)) = redis_protocol::resp2::decode::decode(input).expect("valid") {
        let OwnedFrame::Array(items) = frame else { panic!("a request is an array") };
        let arg = |item| match item {
            OwnedFrame::BulkString(bytes) => bytes,
            other => panic!("not an argument: {other:?}"),
        };
        requests.push(items.into_iter().map(arg).collect());
        input = &input[used..];
    }
    requests
}

fn any_request() -> impl Strategy<Value = Request> {
    let arg = prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..12),
        1 => prop::collection::vec(any::<u8>(), 90..130),
    ];
    prop::collection::vec(arg, 1..14)
}

proptest! {
    #[test]
    fn requests_cut_anywhere_parse_to_the_same(
        requests in prop::collection::vec(any_request(), 1..5),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let input: Vec<u8> = requests.iter().flat_map(encode).collect();
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(input.len())).collect();
        cuts.sort_unstable();
        prop_assert_eq!(&oracle(&input), &requests);
        prop_assert_eq!(parse_pieces(&input, &cuts, &Limits::default()), (requests.clone(), None));
        let every: Vec<usize> = (0..input.len()).collect();
        prop_assert_eq!(parse_pieces(&input, &every, &Limits::default()), (requests, None));
    }

    #[test]
    fn any_bytes_parse_alike_however_they_are_cut(
        input in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..80),
            prop::collection::vec(prop::sample::select(b"*$0123-\r\n\r\nab\"' \\x".to_vec()), 0..80),
        ],
        max_line in 3..20usize,
    ) {
        let limits = Limits { max_line, ..Limits::default() };
        let every: Vec<usize> = (0..input.len()).collect();
        prop_assert_eq!(parse_pieces(&input, &every, &limits), parse_pieces(&input, &[], &limits));
    }
}
