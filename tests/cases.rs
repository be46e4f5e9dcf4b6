//! The house's transcripts, recorded on redis-server 7.0.15, played over real sockets.
//!
//! Some hold times (`TTL` a request after `PEXPIRE key 1500` is 2 only within the next millisecond), so a busy machine
//! can lose a play that is right: a case fails only when every one of its [`ATTEMPTS`] does.

use crate::harness::{Connection, Server};
use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

const ATTEMPTS: usize = 5;

#[test]
fn every_case_plays_as_on_redis() {
    let server = Server::start(&[]);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the cases").map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() >= 11, "the cases are there");
    for file in files {
        let mut failures = Vec::new();
        while let Err(failure) = play(&file, server.port) {
            failures.push(failure);
            assert!(failures.len() < ATTEMPTS, "in {ATTEMPTS} plays:\n{}", failures.join("\n"));
        }
    }
}

/// Plays one case on an emptied server. The first thing that differs is the error.
fn play(file: &Path, port: u16) -> Result<(), String> {
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
                if let Some(got) = connection.reply_within(wait) {
                    return Err(format!("{place}\n  got {got}"));
                }
            }
            kind => {
                let got =
                    connection.reply_within(Duration::from_secs(10)).ok_or_else(|| format!("no reply: {place}"))?;
                let fits =
                    if kind == "=" { got == rest } else { regex::Regex::new(rest).expect("a pattern").is_match(&got) };
                if !fits {
                    return Err(format!("{place}\n  got {got}"));
                }
                if let Some(window) = window.take() {
                    let took = sent.elapsed();
                    if !(window[0]..=window[1]).contains(&took) {
                        return Err(format!("{place}: took {took:?}"));
                    }
                }
            }
        }
    }
    Ok(())
}

fn millis(text: &[u8]) -> Duration {
    Duration::from_millis(String::from_utf8_lossy(text).parse().expect("milliseconds"))
}
