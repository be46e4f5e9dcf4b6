//! CONFIG SET: order of checks, texts of refusals, and how values are told afterwards.

use super::*;

/// Pairs, and what setting them answers.
type Case = (&'static [(&'static str, &'static str)], Result<Vec<&'static str>, String>);

#[test]
fn pairs_are_checked_in_the_order_of_redis() {
    let failed =
        |name: &str, why: &str| Err(format!("ERR CONFIG SET failed (possibly related to argument '{name}') - {why}"));
    let unknown = |name: &str| Err(format!("ERR Unknown option or number of arguments for CONFIG SET - '{name}'"));
    let no_integer = "argument couldn't be parsed into an integer";
    let immutable = "can't set immutable config";
    let cases: [Case; 13] = [
        (&[("nosuch", "1")], unknown("nosuch")),
        (&[("", "1")], unknown("")),
        (&[("port*", "1")], unknown("port*")),
        (&[("port", "7391"), ("nosuch", "2")], unknown("nosuch")),
        (&[("Timeout", "3"), ("timeout", "4")], failed("timeout", "duplicate parameter")),
        (&[("databases", "3"), ("nosuch", "4")], failed("databases", immutable)),
        (&[("timeout", "zz"), ("databases", "3")], failed("databases", immutable)),
        (&[("timeout", "3"), ("timeout", "4"), ("nosuch", "5")], failed("timeout", "duplicate parameter")),
        (&[("TIMEOUT", "zz")], failed("timeout", no_integer)),
        (&[("DATABASES", "4")], failed("DATABASES", immutable)),
        (&[("Dir", "/tmp")], failed("Dir", "can't set protected config")),
        (&[("timeout", "5"), ("hz", "zz")], failed("hz", no_integer)),
        (&[("busy-reply-threshold", "3"), ("lua-time-limit", "4")], Ok(vec!["busy-reply-threshold"])),
    ];
    for (pairs, expected) in cases {
        assert_eq!(set(&mut Config::default(), pairs), expected, "{pairs:?}");
    }
}

#[test]
fn failed_set_changes_nothing() {
    let mut config = Config::default();
    assert!(set(&mut config, &[("timeout", "5"), ("save", "1 1"), ("hz", "zz")]).is_err());
    assert_eq!((config.timeout_s, told(&config, "save").as_str()), (0, "3600 1 300 100 60 10000"));
    assert_eq!(config.settings, Config::default().settings);
}

#[test]
fn protected_settings_open_for_whom_they_should() {
    for (allowed, local, expected) in
        [("no", true, false), ("local", false, false), ("local", true, true), ("yes", false, true)]
    {
        let mut config = serve(&["--enable-protected-configs", allowed]);
        let done = config.set(&[(b"dbfilename", b"x")], local);
        assert_eq!(done.is_ok(), expected, "{allowed} {local}");
    }
}

#[test]
fn refusals_read_as_in_redis() {
    for (name, value, why) in [
        ("protected-mode", "maybe", "argument must be 'yes' or 'no'"),
        ("port", "99999", "argument must be between 0 and 65535 inclusive"),
        ("port", " 5", "argument couldn't be parsed into an integer"),
        ("port", "+5", "argument couldn't be parsed into an integer"),
        ("port", "05", "argument couldn't be parsed into an integer"),
        ("slowlog-log-slower-than", "-2", "argument must be between -1 and 9223372036854775807 inclusive"),
        ("maxmemory", "1.5gb", "argument must be a memory value"),
        ("maxmemory", "-1", "argument must be a memory value"),
        ("maxmemory", "1 mb", "argument must be a memory value"),
        ("repl-backlog-size", "0", "argument must be between 1 and 9223372036854775807 inclusive"),
        ("proto-max-bulk-len", "1", "argument must be between 1048576 and 9223372036854775807 inclusive"),
        ("maxmemory-clients", "101%", "percentage argument must be less or equal to 100"),
        ("maxmemory-clients", "%", "argument must be a memory or percent value"),
        ("maxmemory-clients", "-5%", "argument must be a memory or percent value"),
        ("loglevel", "notice debug", "argument(s) must be one of the following: debug, verbose, notice, warning"),
        ("shutdown-on-sigterm", "save nosave", "shutdown options SAVE and NOSAVE can't be used simultaneously"),
        ("shutdown-on-sigint", "", "argument(s) must be one of the following: default, save, nosave, now, force"),
        ("save", "900  1", "Invalid save parameters"),
        ("save", "0 1", "Invalid save parameters"),
        ("save", "1 -1", "Invalid save parameters"),
        ("notify-keyspace-events", "KQ", "Invalid event class character. Use 'Ag$lshzxeKEtmdn'."),
        ("client-output-buffer-limit", "normal 1 2", "Wrong number of arguments in buffer limit configuration."),
        ("client-output-buffer-limit", "master 1 2 3", "Invalid client class specified in buffer limit configuration."),
        (
            "client-output-buffer-limit",
            "normal 1 2 -3",
            "Error in hard, soft or soft_seconds setting in buffer limit configuration.",
        ),
        ("latency-tracking-info-percentiles", "nan", "Invalid latency-tracking-info-percentiles parameters"),
        (
            "latency-tracking-info-percentiles",
            "50 101",
            "latency-tracking-info-percentiles parameters should sit between [0.0,100.0]",
        ),
        ("oom-score-adj-values", "1 2", "wrong number of arguments"),
        ("oom-score-adj-values", "1 2 3000", "Invalid oom-score-adj-values, elements must be between -2000 and 2000."),
        ("proc-title-template", "{title} ", "template format is invalid or contains unknown variables"),
        ("proc-title-template", "{title", "template format is invalid or contains unknown variables"),
        ("cluster-announce-hostname", "a_b", "Hostnames may only contain alphanumeric characters, hyphens or dots"),
    ] {
        assert_eq!(refusal(name, value), why, "{name} {value}");
    }
}

#[test]
fn values_are_told_as_redis_tells_them() {
    for (name, given, expected) in [
        ("maxmemory", "1GB", "1073741824"),
        ("maxmemory", "1k", "1000"),
        ("maxmemory", "gb", "0"),
        ("maxmemory", "18446744073709551616", "18446744073709551615"),
        ("maxmemory", "18446744073709551615gb", "18446744072635809792"),
        ("maxmemory-clients", "0%", "0"),
        ("maxmemory-clients", "1mb", "1048576"),
        ("maxmemory-clients", "18446744073709551615", "1%"),
        ("notify-keyspace-events", "KEA", "AKE"),
        ("shutdown-on-sigterm", "force SAVE now default", "save now force"),
        ("loglevel", "WARNING", "warning"),
        ("hz", "9999", "500"),
        ("hz", "0", "1"),
        (
            "latency-tracking-info-percentiles",
            "50.000 99.9 100 99.123456789 99.99999999 -0.0",
            "50 99.9 100 99.123457 100 -0",
        ),
        ("latency-tracking-info-percentiles", "", ""),
        ("save", "", ""),
        ("save", "5 99999999999", "5 1215752191"),
        (
            "client-output-buffer-limit",
            "replica 1k 2kb 3 normal 1 2 3 normal 4 5 6",
            "normal 4 5 6 slave 1000 2048 3 pubsub 33554432 8388608 60",
        ),
        ("bind", "", ""),
    ] {
        let mut config = Config::default();
        set(&mut config, &[(name, given)]).expect(name);
        assert_eq!(told(&config, name), expected, "{name} {given}");
    }
}

#[test]
fn promises_that_cannot_be_kept_are_refused() {
    for (name, value, keep) in [
        ("appendonly", "yes", "no"),
        ("maxmemory-policy", "allkeys-lru", "noeviction"),
        ("tls-port", "6380", "0"),
        ("min-replicas-to-write", "1", "0"),
        ("activedefrag", "yes", "no"),
    ] {
        assert!(refusal(name, value).contains(' '), "{name}");
        assert_eq!(set(&mut Config::default(), &[(name, keep)]), Ok(vec![]));
    }
    for args in [["--cluster-enabled", "yes"], ["--aclfile", "x"], ["--loadmodule", "x"], ["--user", "bob"]] {
        assert!(blamed(&args).1.contains("supported"), "{args:?}");
    }
    assert!(blamed(&["--slaveof", "a", "1"]).1.contains("replica"));
    serve(&["--replicaof", "no", "one", "--cluster-enabled", "no", "--appendonly", "no"]);
}
