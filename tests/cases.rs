//! The house's transcripts, recorded on redis-server 7.0.15, played over real sockets.

use crate::harness::{Connection, Server};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

#[test]
fn every_case_plays_as_on_redis() {
    let server = Server::start(&[]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the cases").map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 11, "the cases are there");
    for file in files {
        play(&file, server.port);
    }
}

fn play(file: &Path, port: u16) {
    let mut first = Connection::to(port);
    first.ask("FLUSHALL");
    first.ask("SCRIPT FLUSH");
    let mut lines: HashMap<String, (Connection, Instant)> = HashMap::new();
    let mut window = None;
    let text = std::fs::read_to_string(file).expect("a case");
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        let place = format!("{}:{}: {line}", file.display(), number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(seconds) = line.strip_prefix("sleep ") {
            std::thread::sleep(Duration::from_secs_f64(seconds.parse().expect("seconds")));
            continue;
        }
        if let Some(who) = line.strip_suffix(".close") {
            lines.remove(who);
            continue;
        }
        let at = line.find([':', '=', '~', '!', '<', '>']).unwrap_or_else(|| panic!("not understood: {place}"));
        let rest = line[at + 1..].trim_start();
        let (connection, sent) =
            lines.entry(line[..at].to_owned()).or_insert_with(|| (Connection::to(port), Instant::now()));
        match &line[at..=at] {
            ":" => {
                connection.send(rest);
                *sent = Instant::now();
            }
            ">" => {
                connection.send_raw(&crate::text::split(rest)[0]);
                *sent = Instant::now();
            }
            "<" => window = Some(crate::text::split(rest).iter().map(|ms| millis(ms)).collect::<Vec<_>>()),
            "!" => {
                let wait = Duration::from_secs_f64(rest.parse().expect("seconds"));
                assert_eq!(connection.reply_within(wait), None, "{place}");
            }
            kind => {
                let got =
                    connection.reply_within(Duration::from_secs(10)).unwrap_or_else(|| panic!("no reply: {place}"));
                let fits =
                    if kind == "=" { got == rest } else { regex::Regex::new(rest).expect("a pattern").is_match(&got) };
                assert!(fits, "{place}\n  got {got}");
                if let Some(window) = window.take() {
                    let took = sent.elapsed();
                    assert!(window[0] <= took && took <= window[1], "{place}: took {took:?}");
                }
            }
        }
    }
}

fn millis(text: &[u8]) -> Duration {
    Duration::from_millis(String::from_utf8_lossy(text).parse().expect("milliseconds"))
}
