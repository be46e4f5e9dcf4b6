//! Config files: syntax, includes, and errors that name their line.

use super::*;

/// A directory of its own, gone at the end of the test.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("holdfast-config-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("scratch directory");
        Self(path.canonicalize().expect("scratch directory"))
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).expect("scratch file");
        path.to_str().expect("utf-8").to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).ok();
    }
}

/// The settings that a distribution's stock file makes, every line differing from a bare start among them.
const STOCK: &str = r#"
# a comment
bind 127.0.0.1 -::1
protected-mode yes
port 6379
tcp-backlog 511
daemonize yes
pidfile /run/redis/redis-server.pid
loglevel notice
databases 16
always-show-logo no
proc-title-template "{title} {listen-addr} {server-mode}"
stop-writes-on-bgsave-error yes
rdbcompression yes
dbfilename dump.rdb
replica-serve-stale-data yes
repl-diskless-load disabled
replica-priority 100
lazyfree-lazy-eviction no
oom-score-adj no
oom-score-adj-values 0 200 800
appendonly no
appendfilename "appendonly.aof"
appenddirname "appendonlydir"
auto-aof-rewrite-min-size 64mb
 
slowlog-log-slower-than 10000
notify-keyspace-events ""
hash-max-listpack-entries 512
list-max-listpack-size -2
client-output-buffer-limit normal 0 0 0
client-output-buffer-limit replica 256mb 64mb 60
client-output-buffer-limit pubsub 32mb 8mb 60
hz 10
jemalloc-bg-thread yes
"#;

#[test]
fn stock_file_loads_and_leaves_nothing_to_complain_of() {
    let scratch = Scratch::new("stock");
    let file = scratch.write("redis.conf", &format!("{STOCK}dir {}\nlogfile log\n", scratch.0.display()));
    let config = serve(&[&file]);
    assert_eq!(config.bind, ["127.0.0.1", "-::1"]);
    assert!(config.daemonize && config.protected_mode);
    assert_eq!(config.pidfile.as_deref(), Some(Path::new("/run/redis/redis-server.pid")));
    assert_eq!(config.dir, scratch.0);
    assert_eq!(config.file(), Some(Path::new(&file)));
    assert_eq!(config.client_output_buffer_limit, Config::default().client_output_buffer_limit);
    assert_eq!(config.notify_keyspace_events, EventClasses::empty());
    assert_eq!(config.ineffective(), [""; 0]);
}

#[test]
fn options_come_after_the_file_and_standard_input() {
    let scratch = Scratch::new("order");
    let file = scratch.write("a.conf", "port 1\ntimeout 1\nhz 20\n");
    let config = match invoke(&[&file, "--port", "3", "-"], "port 2\ntimeout 2") {
        Ok(Invocation::Serve(config)) => config,
        other => panic!("{other:?}"),
    };
    assert_eq!((config.port, config.timeout_s), (3, 2));
    assert_eq!(config.ineffective(), ["hz"]);
}

#[test]
fn includes_follow_patterns_and_count_their_own_lines() {
    let scratch = Scratch::new("include");
    scratch.write("1.part", "port 1\ntimeout 7\n");
    scratch.write("2.part", "port 2\n");
    scratch.write(".3.part", "port 3\n");
    let all =
        scratch.write("all.conf", &format!("include {}/*.part\ninclude /nonexistent/*.conf", scratch.0.display()));
    let config = serve(&[&all]);
    assert_eq!((config.port, config.timeout_s), (2, 7));
    let bad = scratch.write("bad.part", "port zz\n");
    let (line, why) = blamed(&[&scratch.write("b.conf", &format!("\n\ninclude {bad}"))]);
    assert_eq!((line.as_str(), why.as_str()), (">>> 'port zz'", "argument couldn't be parsed into an integer"));
    let own = scratch.write("loop.conf", &format!("include {}/loop.conf", scratch.0.display()));
    assert!(blamed_whole(&[&own]).ends_with("included too deeply"));
}

fn blamed_whole(args: &[&str]) -> String {
    invoke(args, "").expect_err("must be refused").to_string()
}

#[test]
fn unreadable_files_are_named() {
    let text = "Fatal error, can't open config file '/nonexistent': No such file or directory";
    assert_eq!(blamed_whole(&["/nonexistent"]), text);
    assert_eq!(blamed_whole(&["--include", "/nonexistent"]), text);
    assert_eq!(
        blamed_whole(&["--logfile", "/nonexistent/log"]),
        "\n*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***\nCan't open the log file: No such file or directory"
    );
}

#[test]
fn quoting_follows_redis() {
    for (line, expected) in [
        (r#"requirepass "\x41\n\"\q""#, Some("A\n\"q")),
        (r"requirepass 'a\'b\n'", Some(r"a'b\n")),
        ("requirepass\tx", Some("x")),
        ("  REQUIREPASS x \r", Some("x")),
        (r#"requirepass """#, Some("")),
        (r#"requirepass "a"#, None),
        ("requirepass 'a'b", None),
        (r#"requirepass a"b"#, None),
    ] {
        let loaded = from_text(line);
        match expected {
            Some(password) => assert_eq!(loaded.expect(line).requirepass, password.as_bytes(), "{line}"),
            None => {
                let text = loaded.expect_err(line).to_string();
                assert!(text.ends_with("Unbalanced quotes in configuration line"), "{text}");
            }
        }
    }
}

#[test]
fn save_lines_add_up_after_the_first() {
    for (text, expected) in [
        ("save 900 1\nsave 60 5", "900 1 60 5"),
        ("save \"\"\nsave 60 5", "60 5"),
        ("save 60 5\nsave \"\"", ""),
        ("save \"60 5\"", "60 5"),
        ("save 60 5\nsave 60 7 30 3", "60 5 60 7 30 3"),
    ] {
        assert_eq!(told(&from_text(text).expect(text), "save"), expected);
    }
}

#[test]
fn renames_are_kept_with_their_line() {
    let config = from_text("port 0\nrename-command CONFIG \"\"\nrename-command get fetch").expect("valid");
    let renames: Vec<_> =
        config.renames().iter().map(|rename| (rename.from.as_slice(), rename.to.as_slice())).collect();
    assert_eq!(renames, [(&b"CONFIG"[..], &b""[..]), (b"get", b"fetch")]);
    assert_eq!(
        config.renames()[1].refused(Rename::NO_SUCH_COMMAND).to_string(),
        "\n*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***\nReading the configuration file, at line 3\n\
         >>> 'rename-command get fetch'\nNo such command in rename-command"
    );
}

#[test]
fn file_lines_fail_as_in_redis() {
    for (line, why) in [
        ("port", "wrong number of arguments"),
        ("port 63 # comment", "wrong number of arguments"),
        ("port\"63\"", "Bad directive or wrong number of arguments"),
        ("\"\" 3", "Bad directive or wrong number of arguments"),
        ("include", "Bad directive or wrong number of arguments"),
        ("rename-command GET", "Bad directive or wrong number of arguments"),
        ("list-max-ziplist-entries 2 3", "Bad directive or wrong number of arguments"),
        ("my.module", "Module config specified without value"),
        ("loglevel notice debug", "wrong number of arguments"),
        ("unixsocketperm 999", "argument couldn't be parsed as an octal number"),
        ("unixsocketperm 1777", "argument must be between 0 and 777 inclusive"),
        ("dir /nonexistent", "No such file or directory"),
        ("dir /dev/null", "Not a directory"),
        ("dbfilename a/b", "dbfilename can't be a path, just a filename"),
        ("appenddirname \"\"", "appenddirname can't be empty"),
        ("replicaof a b", "Invalid master port"),
        ("replicaof no one extra", "wrong number of arguments"),
        ("bind 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17", "Too many bind addresses specified."),
    ] {
        let text = from_text(line).expect_err(line).to_string();
        let head = "\n*** FATAL CONFIG FILE ERROR (Redis 7.2.4) ***\nReading the configuration file, at line 1\n";
        assert_eq!(text, format!("{head}>>> '{line}'\n{why}"));
    }
    from_text("lua-replicate-commands yes\nlist-max-ziplist-value 3\noom-score-adj-values \"1 2 3\"").expect("valid");
}
