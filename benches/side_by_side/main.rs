//! The side-by-side bench: holdfast, redis-server and valkey-server under the same load, in turns, the servers on one
//! core and this load generator on another. `benches/run` fetches the rivals and starts it.
//!
//!     cargo bench --bench side_by_side -- [WORD ...]      only what has one of the words in its name
//!
//! Environment: `ROUNDS` (5), `SCALE` (1; operations a round are multiplied by it), `RIVALS` (`name=binary`, several
//! separated by spaces), `RESULTS` (a directory for table and chart), `PATIENCE` (20; seconds to wait for late events).
//!
//! As a test (`cargo test`) it sends a little of everything to holdfast alone.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a table is what it is for")]

mod load;
mod moments;
mod report;
mod server;
mod wire;
mod workloads;

use load::Crowd;
use report::{Figures, Row, median};
use server::Server;
use std::io;
use std::path::Path;
use std::time::Duration;
use workloads::{Kind, Loaded, WORKLOADS, Workload};

struct Options {
    rounds: usize,
    scale: f64,
    words: Vec<String>,
    patience: Duration,
    /// As a test: few connections, few operations, few keys.
    little: bool,
}

fn main() -> io::Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let little = !arguments.iter().any(|argument| argument == "--bench");
    arguments.retain(|argument| !argument.starts_with("--"));
    let options = Options {
        rounds: if little { 1 } else { number("ROUNDS", 5.0) as usize },
        scale: number("SCALE", 1.0),
        words: if little { Vec::new() } else { arguments },
        patience: Duration::from_secs_f64(number("PATIENCE", 20.0)),
        little,
    };
    nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE, 30_000, 30_000)
        .or_else(|error| if little { Ok(()) } else { Err(error) })?;
    if !little {
        server::pin_load()?;
    }
    let mut servers = vec![Server::start("holdfast", Path::new(env!("CARGO_BIN_EXE_holdfast")), &[])?];
    if !little {
        for rival in std::env::var("RIVALS").unwrap_or_else(|_| "redis=redis-server".into()).split_whitespace() {
            let (name, binary) = rival.split_once('=').ok_or_else(|| io::Error::other("RIVALS: name=binary"))?;
            servers.push(Server::start(name.to_owned().leak(), Path::new(binary), &["--appendonly", "no"])?);
        }
    }
    let loaded = servers.iter().map(Loaded::into_server).collect::<io::Result<Vec<_>>>()?;
    let rows = workloads(&options, &servers, &loaded)?;
    let names: Vec<_> = servers.iter().map(|server| server.name).collect();
    let mut text = heading(&options, &servers);
    text.push_str(&report::table(&names, &rows));
    text.push_str(&moments_table(&options, &servers, &loaded)?);
    println!("{text}");
    if let (Ok(results), false) = (std::env::var("RESULTS"), little) {
        std::fs::write(Path::new(&results).join("table.md"), &text)?;
        std::fs::write(Path::new(&results).join("chart.svg"), report::chart(&names, &rows))?;
    }
    Ok(())
}

fn number(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn heading(options: &Options, servers: &[Server]) -> String {
    let versions: Vec<_> = servers.iter().map(|server| format!("{} {}", server.name, server.version)).collect();
    format!("{}; {} rounds, the servers on core 0, the load on core 1\n\n", versions.join(", "), options.rounds)
}

impl Options {
    fn wants(&self, name: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| name.contains(word.as_str()))
    }

    fn fitted(&self, workload: &Workload) -> Workload {
        let mut fitted = *workload;
        fitted.operations = (fitted.operations as f64 * self.scale) as u64;
        if self.little {
            fitted.connections = fitted.connections.min(20);
            fitted.operations = fitted.operations.min(400);
            fitted.held = fitted.held.min(1_000);
        }
        fitted
    }
}

fn workloads(options: &Options, servers: &[Server], loaded: &[Loaded]) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for workload in WORKLOADS.iter().filter(|workload| options.wants(workload.name)) {
        let workload = options.fitted(workload);
        let mut figures: Vec<Figures> = servers.iter().map(|_| Figures::default()).collect();
        let mut crowds = Vec::new();
        for (server, loaded) in servers.iter().zip(loaded) {
            workload.prepare(server, loaded)?;
            let mut crowd =
                Crowd::connect(server.address, workload.connections, |index| workload.script(loaded, index))?;
            // Page faults, and the growing of tables and buffers, are not what is compared.
            crowd.run(workload.operations / 10)?;
            crowds.push(crowd);
        }
        for _ in 0..options.rounds {
            for ((server, crowd), figures) in servers.iter().zip(&mut crowds).zip(&mut figures) {
                if workload.kind == Kind::SetNx {
                    // So that each of them takes a free lock.
                    server.talk()?.ask(&[b"FLUSHALL"])?;
                }
                let before = server.cpu_seconds();
                let run = crowd.run(workload.operations)?;
                let cpu = server.cpu_seconds() - before;
                figures.rates.push(run.operations as f64 / run.took.as_secs_f64());
                figures.cpu_us.push(cpu * 1e6 / run.operations as f64);
                figures.p50_ms.push(run.waits.value_at_quantile(0.5) as f64 / 1e6);
                figures.p99_ms.push(run.waits.value_at_quantile(0.99) as f64 / 1e6);
            }
        }
        let rates: Vec<_> = figures.iter().map(|figures| format!("{:.0}", median(&figures.rates))).collect();
        eprintln!("{}: {} ops/s", workload.name, rates.join(", "));
        rows.push(Row { name: workload.name, figures });
    }
    Ok(rows)
}

/// Hand-over, fan-out, late events and memory: one line each, one column a server.
fn moments_table(options: &Options, servers: &[Server], loaded: &[Loaded]) -> io::Result<String> {
    let few = |count: usize| if options.little { count / 100 } else { count };
    let mut lines = Vec::new();
    let mut line = |name: &str, measure: &dyn Fn(&Server, &Loaded) -> io::Result<String>| -> io::Result<()> {
        if options.wants(name) {
            let cells = servers.iter().zip(loaded).map(|(server, loaded)| measure(server, loaded));
            lines.push(format!("| {name} | {} |\n", cells.collect::<io::Result<Vec<_>>>()?.join(" | ")));
        }
        Ok(())
    };
    line("hand-over, p50 / p99", &|server, loaded| {
        let moments = moments::hand_over(server, loaded, few(20_000) as u64)?;
        Ok(format!("{} us / {} us", at(&moments, 0.5) / 1000, at(&moments, 0.99) / 1000))
    })?;
    line("PUBLISH until 1,000 subscribers have it, p50 / p99, CPU", &|server, _| {
        let (moments, cpu) = moments::fan_out(server, few(1_000), few(1_000) as u64)?;
        let (p50, p99) = (at(&moments, 0.5) / 1000, at(&moments, 0.99) / 1000);
        Ok(format!("{p50} us / {p99} us, {:.0} us", cpu * 1e6))
    })?;
    for others in [10_000, 100_000, 1_000_000] {
        let name = format!("`expired` behind its time, {others} other volatile keys, p50 / p99, of 1000");
        line(&name, &|server, _| {
            let moments = moments::expired_lag(server, few(others), options.patience)?;
            if options.little && moments.times.len() < moments.expected {
                return Err(io::Error::other("events are missing"));
            }
            let (p50, p99) = (at(&moments, 0.5) as f64 / 1e6, at(&moments, 0.99) as f64 / 1e6);
            Ok(format!("{p50:.2} ms / {p99:.2} ms, {}", moments.times.len()))
        })?;
    }
    line("bytes a held lock, a million of them", &|server, loaded| {
        Ok(format!("{:.0}", moments::bytes_a_lock(server, loaded, few(1_000_000))?))
    })?;
    if lines.is_empty() {
        return Ok(String::new());
    }
    let names: Vec<_> = servers.iter().map(|server| server.name).collect();
    let head = format!("\n| moment | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    Ok(head + &lines.concat())
}

/// Of what arrived.
fn at(moments: &moments::Moments, quantile: f64) -> u64 {
    moments.times.value_at_quantile(quantile)
}
