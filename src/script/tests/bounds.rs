//! What a script may not do to its server: run for ever, take all memory, exhaust the stack, or bring a panic down on
//! it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::stub::Stub;
use crate::reply::{Reply, Sink, Tree};
use crate::script::{Host, Interrupt, Limits, LogLevel, Sha, Vm};

fn eval(vm: &mut Vm, host: &mut dyn Host, source: &str) -> Reply {
    let mut tree = Tree::new(false);
    match vm.load(source.as_bytes(), false) {
        Ok(script) => drop(vm.run(&script, &[], &[], host, &mut tree)),
        Err(text) => tree.error(&text),
    }
    tree.take().pop().expect("one reply")
}

fn error(reply: Reply) -> String {
    match reply {
        Reply::Error(text) => text,
        other => panic!("not an error: {other:?}"),
    }
}

#[test]
fn killed_script_dies_whatever_it_catches() {
    let loops = [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "while true do xpcall(function() while true do end end, function(e) return e end) end",
        "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
        "local f f = function() pcall(f) f() end f()",
        "while true do redis.pcall('ping') end",
    ];
    let mut vm = Vm::new(Limits::default());
    for source in loops {
        let mut stub = Stub { kill_after: Some(3), ..Stub::default() };
        let text = error(eval(&mut vm, &mut stub, source));
        assert!(text.starts_with("ERR Script killed by user with SCRIPT KILL... script: "), "{source}: {text}");
        assert_eq!(stub.asked, 4, "{source}");
        assert_eq!(
            eval(&mut vm, &mut Stub::default(), "local s = 0 for i = 1, 50000 do s = s + i end return s"),
            Reply::Int(1_250_025_000)
        );
    }
}

#[test]
fn memory_limit_fails_the_script_only() {
    let mut vm = Vm::new(Limits { memory_bytes: 8 << 20, ..Limits::default() });
    let greedy = [
        "local t = {} for i = 1, 1e9 do t[i] = ('x'):rep(1000) .. i end",
        "return ('x'):rep(1e9)",
        "local s = 'x' while true do s = s .. s end",
        "local t = {} for i = 1, 1e9 do t[i] = {} end",
        "local t = {} for i = 1, 20 do t[i] = ('x'):rep(1e6) end return table.concat(t)",
        "local t = {} for i = 1, 1e9 do t[i] = redis.call('echo', ('x'):rep(1e5) .. i) end",
        "redis.call('set', 'kept', 1) local t = {} for i = 1, 1e9 do t[i] = coroutine.create(function() end) end",
        "local t = {} while true do pcall(function() t[#t + 1] = ('x'):rep(1e5) .. #t end) if #t > 200 then \
         error('grown') end if #t > 60 then return redis.error_reply('not enough memory') end end",
    ];
    for source in greedy {
        let mut stub = Stub::default();
        let text = error(eval(&mut vm, &mut stub, source));
        assert!(text.contains("not enough memory"), "{source}: {text}");
        assert_eq!(stub.keys.contains_key(b"kept".as_slice()), source.contains("kept"));
        assert_eq!(eval(&mut vm, &mut stub, "return 7"), Reply::Int(7));
        assert!(vm.memory().vm_bytes < 1 << 20, "{} bytes left over after {source}", vm.memory().vm_bytes);
    }
}

#[test]
fn arguments_past_the_memory_limit_fail_the_script_only() {
    let mut vm = Vm::new(Limits { memory_bytes: 2 << 20, ..Limits::default() });
    let script = vm.load(b"local t = {} for i = 1, 100 do t[i] = {} end return 1", false).expect("compiles");
    let big = vec![b'x'; 4 << 20];
    let mut tree = Tree::new(false);
    assert!(vm.run(&script, &[], &[&big], &mut Stub::default(), &mut tree).failed);
    assert_eq!(eval(&mut vm, &mut Stub::default(), "return #ARGV"), Reply::Int(0));
}

#[test]
fn recursion_ends_in_an_error() {
    let deep = [
        ("local f f = function() return 1 + f() end f()", "stack overflow"),
        (
            "local t = setmetatable({}, {}) getmetatable(t).__index = function(t, k) return t[k] end return t.x",
            "C stack overflow",
        ),
        ("local function g(n) return ('x'):gsub('x', function() return g(n + 1) end) end g(1)", "C stack overflow"),
        ("return {unpack({}, 1, 8000)}", "too many results to unpack"),
        ("return string.find(('a'):rep(30), ('a?'):rep(200000) .. 'b')", "pattern too complex"),
        ("return loadstring('return ' .. ('('):rep(1000) .. '1' .. (')'):rep(1000))()", "attempt to call a nil value"),
    ];
    let run = move || {
        let mut vm = Vm::new(Limits::default());
        for (source, expected) in deep {
            let text = error(eval(&mut vm, &mut Stub::default(), source));
            assert!(text.contains(expected), "{source}: {text}");
        }
    };
    std::thread::Builder::new().stack_size(8 << 20).spawn(run).expect("a thread").join().expect("no panic");
}

/// Counts what it is told: a tree of that depth would recurse itself.
#[derive(Default)]
struct Depth {
    arrays: usize,
    last: Vec<u8>,
}

impl Sink for Depth {
    fn nil(&mut self) {}
    fn nil_array(&mut self) {}
    fn int(&mut self, _: i64) {}
    fn bulk(&mut self, _: &[u8]) {}
    fn status(&mut self, _: &str) {}
    fn error(&mut self, text: &[u8]) {
        self.last = text.to_vec();
    }
    fn double(&mut self, _: f64) {}
    fn boolean(&mut self, _: bool) {}
    fn big_number(&mut self, _: &[u8]) {}
    fn verbatim(&mut self, _: &str, _: &[u8]) {}
    fn array(&mut self, _: usize) {
        self.arrays += 1;
    }
    fn map(&mut self, _: usize) {}
    fn set(&mut self, _: usize) {}
    fn push(&mut self, _: usize) {}
    fn resp3(&self) -> bool {
        false
    }
}

#[test]
fn circular_reply_ends_at_the_stack_limit() {
    let mut vm = Vm::new(Limits::default());
    let script = vm.load(b"local t = {} t[1] = t return t", false).expect("compiles");
    let mut depth = Depth::default();
    vm.run(&script, &[], &[], &mut Stub::default(), &mut depth);
    assert_eq!(depth.last, b"ERR reached lua stack limit");
    assert!((7900..8000).contains(&depth.arrays), "{}", depth.arrays);
}

/// A host whose commands answer deep or panic.
struct Odd;

impl Host for Odd {
    fn call(&mut self, argv: &[&[u8]], sink: &mut dyn Sink) {
        let _owned = argv.to_vec();
        match argv[0] {
            b"deep" => {
                (0..100_000).for_each(|_| sink.array(1));
                sink.int(1);
            }
            b"silent" => {}
            _ => panic!("the host gave up"),
        }
    }
    fn set_resp(&mut self, _: u8) {}
    fn log(&mut self, _: LogLevel, _: &[u8]) {
        panic!("the host gave up");
    }
    fn acl_check(&mut self, _: &[&[u8]]) -> Option<bool> {
        None
    }
    fn set_repl(&mut self, _: u8) {}
    fn interrupt(&mut self) -> Interrupt {
        Interrupt::Continue
    }
}

#[test]
fn odd_replies_of_a_host_do_no_harm() {
    let mut vm = Vm::new(Limits::default());
    assert_eq!(eval(&mut vm, &mut Odd, "return type(redis.call('silent'))"), Reply::Bulk(b"nil".to_vec()));
    assert!(error(eval(&mut vm, &mut Odd, "return redis.call('deep')")).contains("reached lua stack limit"));
}

#[test]
fn panic_of_the_host_passes_and_leaves_the_vm_whole() {
    let mut vm = Vm::new(Limits::default());
    for source in ["while true do pcall(redis.call, 'panic') end", "while true do pcall(redis.log, 1, 'x') end"] {
        let passed = catch_unwind(AssertUnwindSafe(|| eval(&mut vm, &mut Odd, source)));
        assert_eq!(passed.expect_err("a panic").downcast_ref(), Some(&"the host gave up"));
        assert_eq!(
            eval(&mut vm, &mut Stub::default(), "return redis.call('echo', 'well')"),
            Reply::Bulk(b"well".to_vec())
        );
    }
}

#[test]
fn nothing_is_left_over_for_the_next_script() {
    let mut vm = Vm::new(Limits::default());
    let mut stub = Stub::default();
    let script = vm.load(b"KEYS[3] = 'x' KEYS.y = 1 redis.setresp(3) return #ARGV", false).expect("compiles");
    let mut tree = Tree::new(false);
    vm.run(&script, &[b"a", b"b"], &[b"c"], &mut stub, &mut tree);
    assert_eq!(
        eval(&mut vm, &mut stub, "return {#KEYS, #ARGV, KEYS.y == nil, redis.call('get', 'none') == false}"),
        Reply::Array(vec![Reply::Int(0), Reply::Int(0), Reply::Int(1), Reply::Int(1)])
    );
    eval(&mut vm, &mut stub, "collectgarbage('stop') return 1");
    let before = vm.memory().vm_bytes;
    for _ in 0..2000 {
        eval(&mut vm, &mut stub, "local t = {} for i = 1, 100 do t[i] = {} end return 1");
    }
    assert!(vm.memory().vm_bytes < before + (1 << 20));
}

#[test]
fn scripts_of_eval_are_bounded_and_loaded_ones_stay() {
    let mut vm = Vm::new(Limits { cached_scripts: 3, ..Limits::default() });
    let loaded = vm.load(b"return 'kept'", true).expect("compiles").sha;
    let first = vm.load(b"return 0", false).expect("compiles").sha;
    for n in 1..=3 {
        vm.load(format!("return {n}").as_bytes(), false).expect("compiles");
    }
    assert!(!vm.contains(&first));
    assert!(vm.contains(&Sha::of(b"return 1")));
    assert!(vm.contains(&loaded));
    vm.find(&Sha::of(b"return 1"));
    vm.load(b"return 4", false).expect("compiles");
    assert!(vm.contains(&Sha::of(b"return 1")));
    assert!(!vm.contains(&Sha::of(b"return 2")));
    assert_eq!(vm.memory().cached_scripts, 4);
    vm.flush();
    assert!(!vm.contains(&loaded));
    assert_eq!((vm.memory().cached_scripts, vm.memory().scripts_bytes), (0, 0));
}

#[test]
fn random_input_never_breaks_a_library() {
    let mut vm = Vm::new(Limits { memory_bytes: 4 << 20, ..Limits::default() });
    let feed = b"local f = ({cjson.decode, cmsgpack.unpack, struct.unpack, cmsgpack.unpack_limit, loadstring, \
                 struct.size, struct.pack, cjson.encode, cmsgpack.pack})[tonumber(ARGV[1])] \
        local r = {pcall(f, ARGV[2], ARGV[3], tonumber(ARGV[3]))} r = nil return 1";
    let script = vm.load(feed, true).expect("compiles");
    let alphabets: [&[u8]; 4] = [
        b"[]{}:,\"\\u0d8 truefalsn1-+.e",
        b"<>!bBhHiIlLTfdsxc0123 ",
        &[0x81, 0x91, 0xdc, 0xdd, 0xde, 0xdf, 0xa1, 0xd9, 0xdb, 0xc0, 0xcb, 0, 1, 0xff],
        b"",
    ];
    let mut seed = 1_u64;
    let mut draw = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 11) as usize % below
    };
    for _ in 0..6000 {
        let alphabet = alphabets[draw(4)];
        let mut text = |len: usize| -> Vec<u8> {
            let len = draw(len);
            (0..len)
                .map(|_| if alphabet.is_empty() { draw(256) as u8 } else { alphabet[draw(alphabet.len())] })
                .collect()
        };
        let (first, second) = (text(40), text(12));
        let number = [b'1' + draw(9) as u8];
        let mut tree = Tree::new(false);
        vm.run(&script, &[], &[&number, &first, &second], &mut Stub::default(), &mut tree);
        assert_eq!(tree.take(), [Reply::Int(1)]);
    }
    for hostile in [
        "return cjson.decode(('['):rep(1e6))",
        "return cjson.decode('[' .. ('[],'):rep(3e5) .. '[]]')",
        "return cmsgpack.unpack(('\\145'):rep(1e6))",
        "return cmsgpack.unpack('\\221\\255\\255\\255\\255' .. ('\\144'):rep(1e6))",
        "local s, t = ('x'):rep(1e6), {} for i = 1, 1000 do t[i] = s end return cjson.encode(t)",
        "local s, t = ('x'):rep(1e6), {} for i = 1, 1000 do t[i] = s end return cmsgpack.pack(t)",
        "local c = cjson.new() c.encode_sparse_array(false, 0) return c.encode({[2^31 - 1] = 1})",
        "local c = cjson.new() c.encode_max_depth(1e9) local t = {} t[1] = t return c.encode(t)",
        "return struct.pack(('I32'):rep(3e5), unpack({}, 1, 7000))",
    ] {
        error(eval(&mut vm, &mut Stub::default(), hostile));
        assert_eq!(eval(&mut vm, &mut Stub::default(), "return 7"), Reply::Int(7));
    }
}
