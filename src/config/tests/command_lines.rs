//! Command lines.

use super::*;

#[test]
fn values_reach_their_options() {
    let config = serve(&["--port", "7393", "--save", "900", "1", "--bind", "127.0.0.1", "-::1", "--TIMEOUT", "5"]);
    assert_eq!((config.port, config.timeout_s), (7393, 5));
    assert_eq!(config.bind, ["127.0.0.1", "-::1"]);
    assert_eq!(told(&config, "save"), "900 1");
    let config = serve(&["--client-output-buffer-limit", "pubsub", "1mb", "0", "0", "--unixsocketperm", "700"]);
    let pubsub = OutputLimit { hard_bytes: 1 << 20, soft_bytes: 0, soft_s: 0 };
    assert_eq!(config.client_output_buffer_limit.pubsub, pubsub);
    assert_eq!((config.unixsocketperm, told(&config, "unixsocketperm").as_str()), (0o700, "700"));
    assert_eq!(serve(&["--port 7393", "--requirepass", "a \"b\"\x01"]).requirepass, b"a \"b\"\x01");
    assert_eq!(serve(&["--requirepass", "--x", "--port", "1"]).requirepass, b"--x");
    assert_eq!(serve(&[]).port, 6379);
}

#[test]
fn save_without_value_turns_saving_off() {
    for args in [&["--save"][..], &["--save", "--port", "1"], &["--save", ""], &["--save", "--save"]] {
        assert_eq!(told(&serve(args), "save"), "", "{args:?}");
    }
}

#[test]
fn errors_blame_the_line_that_redis_blames() {
    for (args, line, why) in [
        (&["--port"][..], "port", "wrong number of arguments"),
        (&["--port", "7393", "foo", "--bar", "x"], r#"port "7393" "foo""#, "wrong number of arguments"),
        (&["--port", "--timeout", "3"], r#"port "--timeout" "3""#, "wrong number of arguments"),
        (&["--port", "7393", "-", "--timeout", "zz"], r#"port "7393" "-""#, "wrong number of arguments"),
        (&["--port", "7393", "--nosuch"], "nosuch", "Bad directive or wrong number of arguments"),
        (&["--nosuch", "a\"b\\nc"], r#"nosuch "a\"b\\nc""#, "Bad directive or wrong number of arguments"),
        (&["-x"], r#""-x""#, "Bad directive or wrong number of arguments"),
        (&["--save", "900"], r#"save "900""#, "Invalid save parameters"),
    ] {
        assert_eq!(blamed(args), (format!(">>> '{line}'"), why.to_owned()), "{args:?}");
    }
    let whole = invoke(&["--port", "1", "--timeout", "zz"], "").expect_err("no number").to_string();
    assert!(whole.contains("at line 3\n>>> 'timeout \"zz\"'"), "{whole}");
}

#[test]
fn other_wishes_are_told_apart() {
    assert!(matches!(invoke(&["--help"], ""), Ok(Invocation::Help)));
    assert!(matches!(invoke(&["-h", "foo"], ""), Ok(Invocation::Help)));
    assert!(matches!(invoke(&["-v"], ""), Ok(Invocation::Version)));
    assert!(matches!(invoke(&["--version", "--port", "2"], ""), Ok(Invocation::Version)));
    let refused = invoke(&["--check-system"], "").expect_err("unsupported");
    assert_eq!(refused.to_string(), "--check-system is not supported by holdfast");
}
