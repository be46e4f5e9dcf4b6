//! Settings against what Redis 7.0.15 answered: `redis_7_0_15.txt` is its CONFIG GET * without a config file.

mod command_lines;
mod config_set;
mod files;
mod rewrite;

use std::ffi::OsString;

use super::*;
use crate::event::EventClasses;

const RECORDED: &str = include_str!("redis_7_0_15.txt");

/// Names and defaults that Redis 7.0.15 told. `dir` was the directory it ran in.
fn recorded() -> impl Iterator<Item = (&'static str, &'static str)> {
    RECORDED.lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn invoke(args: &[&str], stdin: &str) -> Result<Invocation, ConfigError> {
    let args: Vec<OsString> = args.iter().map(OsString::from).collect();
    Invocation::parse(&args, &mut stdin.as_bytes())
}

fn serve(args: &[&str]) -> Config {
    match invoke(args, "") {
        Ok(Invocation::Serve(config)) => *config,
        other => panic!("{args:?}: {other:?}"),
    }
}

fn from_text(text: &str) -> Result<Config, ConfigError> {
    match invoke(&["-"], text)? {
        Invocation::Serve(config) => Ok(*config),
        other => panic!("{other:?}"),
    }
}

fn told(config: &Config, name: &str) -> String {
    match config.query(&[name.as_bytes()]).as_slice() {
        [(_, value)] => String::from_utf8_lossy(value).into_owned(),
        other => panic!("{name}: {other:?}"),
    }
}

fn set(config: &mut Config, pairs: &[(&str, &str)]) -> Result<Vec<&'static str>, String> {
    let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_bytes(), value.as_bytes())).collect();
    config.set(&pairs, false).map_err(|error| error.to_string())
}

fn refusal(name: &str, value: &str) -> String {
    let whole = set(&mut Config::default(), &[(name, value)]).expect_err(value);
    let head = format!("ERR CONFIG SET failed (possibly related to argument '{name}') - ");
    whole.strip_prefix(&head).unwrap_or_else(|| panic!("{whole}")).to_owned()
}

/// The last two lines of a start-up error: the blamed line and the reason.
fn blamed(args: &[&str]) -> (String, String) {
    let text = invoke(args, "").expect_err("must be refused").to_string();
    let lines: Vec<_> = text.lines().rev().take(2).map(str::to_owned).collect();
    (lines[1].clone(), lines[0].clone())
}

mod table_rows {
    use super::*;

    #[test]
    fn no_name_occurs_twice() {
        let mut names: Vec<_> = table::rows().flat_map(|(_, row)| row.names()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn every_name_of_redis_is_known_with_its_default() {
        let config = Config::default();
        for (name, default) in recorded().filter(|(name, _)| *name != "dir") {
            assert_eq!(told(&config, name), default, "{name}");
        }
    }

    #[test]
    fn names_beyond_redis_are_few_and_known() {
        let listed = Config::default().query(&[b"*"]);
        let extra: Vec<_> = listed
            .iter()
            .map(|(name, _)| std::str::from_utf8(name).expect("ascii"))
            .filter(|name| recorded().all(|(known, _)| known != *name))
            .collect();
        assert_eq!(extra, ["lua-memory-limit"]);
        assert_eq!(listed.len(), recorded().count() + extra.len());
    }

    #[test]
    fn every_default_reads_back_as_itself() {
        let config = Config::default();
        for (index, row) in table::rows().filter(|(_, row)| !matches!(row.kind, Kind::ReplicaOf)) {
            let told = row.kind.tell(&config.values[index]);
            let again = row.kind.parse(&row.kind.words(&told), &Value::Words(Vec::new()));
            assert_eq!(again.as_ref(), Ok(&config.values[index]), "{}", row.name);
        }
        assert_eq!(config.ineffective(), [""; 0]);
    }

    #[test]
    fn every_mutable_row_takes_another_value_and_tells_it() {
        for (index, row) in table::rows().filter(|(_, row)| !row.immutable && !row.protected && row.only.is_none()) {
            let mut config = Config::default();
            let given = another(row, &config.values[index]);
            for name in row.names() {
                let changed = set(&mut config, &[(name, &given)]).expect(name);
                assert_eq!(changed, if name == row.name { vec![row.name] } else { vec![] }, "{name}");
                assert_eq!(told(&config, name), given, "{name}");
            }
            assert_eq!(config.ineffective(), if row.effect.is_some() { vec![] } else { vec![row.name] });
            let settings_differ = config.settings != Config::default().settings;
            assert_eq!(settings_differ, row.effect.is_some(), "{}", row.name);
        }
    }

    /// A valid value, as told, that is not the current one.
    fn another(row: &table::Row, current: &Value) -> String {
        match (row.kind, current) {
            (Kind::YesNo, Value::Bool(yes)) => if *yes { "no" } else { "yes" }.to_owned(),
            (Kind::Int { max, .. }, Value::Int(n)) => if *n < max { n + 1 } else { n - 1 }.to_string(),
            (Kind::Memory { .. }, Value::Size(n)) => (n + 1).to_string(),
            (Kind::OneOf(choices), Value::Choice(now)) => {
                choices.iter().find(|choice| *choice != now).expect("two choices").to_string()
            }
            (Kind::Text(_), _) if row.name == "proc-title-template" => "{port} a".to_owned(),
            (Kind::Text(_), _) => "other".to_owned(),
            (Kind::Hz, _) => "100".to_owned(),
            (Kind::MemoryOrPercent, _) => "5%".to_owned(),
            (Kind::ShutdownOptions, _) => "save now force".to_owned(),
            (Kind::Bind, _) => "127.0.0.1 -::1".to_owned(),
            (Kind::Save, _) => "900 1 60 5".to_owned(),
            (Kind::OutputLimits, _) => "normal 1 2 3 slave 4 5 6 pubsub 7 8 9".to_owned(),
            (Kind::OomScores, _) => "1 -2 3".to_owned(),
            (Kind::Events, _) => "AKE".to_owned(),
            (Kind::Percentiles, _) => "0 12.5 100".to_owned(),
            (kind, value) => panic!("{}: {kind:?} {value:?}", row.name),
        }
    }

    #[test]
    fn every_immutable_row_is_refused_by_config_set() {
        for (_, row) in table::rows().filter(|(_, row)| row.immutable) {
            for name in row.names() {
                assert_eq!(refusal(name, "1"), "can't set immutable config");
            }
        }
    }
}

mod config_get {
    use super::*;

    fn names(patterns: &[&str]) -> Vec<String> {
        let patterns: Vec<_> = patterns.iter().map(|pattern| pattern.as_bytes()).collect();
        let found = Config::default().query(&patterns);
        found.into_iter().map(|(name, _)| String::from_utf8_lossy(&name).into_owned()).collect()
    }

    #[test]
    fn each_name_is_told_once_and_as_it_was_spelled() {
        assert_eq!(names(&["p*t", "port", "PORT", "nosuch"]), ["port"]);
        assert_eq!(names(&["SLAVE-priority"]), ["SLAVE-priority"]);
        assert_eq!(names(&["LUA-TIME*", "busy-reply-threshold"]), ["lua-time-limit", "busy-reply-threshold"]);
        assert_eq!(names(&["repl-ping*"]), ["repl-ping-replica-period", "repl-ping-slave-period"]);
    }

    #[test]
    fn hidden_settings_are_found_only_by_name() {
        assert_eq!(names(&["key-load-del*"]), [""; 0]);
        assert_eq!(names(&["key-load-delay"]), ["key-load-delay"]);
    }
}
