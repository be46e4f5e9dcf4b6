//! What is measured without load: how late an event comes, how long a hand-over takes, what a held lock weighs.

use crate::load::histogram;
use crate::server::Server;
use crate::wire::{Talk, request};
use crate::workloads::{Loaded, held_lock, owner};
use hdrhistogram::Histogram;
use std::io::{self, Read};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Times in nanoseconds, and how many were hoped for.
pub(crate) struct Moments {
    pub(crate) times: Histogram<u64>,
    pub(crate) expected: u64,
}

const EXPIRING: u64 = 1000;

/// How long behind their deadlines `expired` events of a thousand keys arrive, among `others` with far deadlines. Stops
/// waiting after `patience`.
pub(crate) fn expired_lag(server: &Server, others: usize, patience: Duration) -> io::Result<Moments> {
    let mut talk = server.talk()?;
    talk.ask(&[b"FLUSHALL"])?;
    talk.ask(&[b"CONFIG", b"SET", b"notify-keyspace-events", b"Ex"])?;
    talk.ask_all(others, |index, out| request(out, &[b"SET", &held_lock(index), b"1", b"PX", b"3600000"]))?;
    let mut listener = server.talk()?;
    listener.ask(&[b"SUBSCRIBE", b"__keyevent@0__:expired"])?;
    let first = unix_nanos() / 1_000_000 + 300;
    talk.ask_all(EXPIRING as usize, |index, out| {
        let deadline = (first + index as u128).to_string();
        request(out, &[b"SET", deadline.as_bytes(), b"1", b"PXAT", deadline.as_bytes()]);
    })?;
    let mut moments = Moments { times: histogram(), expected: EXPIRING };
    let end = Instant::now() + Duration::from_millis(300 + EXPIRING) + patience;
    while moments.times.len() < EXPIRING {
        let left = end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        listener.stream.set_read_timeout(Some(left))?;
        let message = match listener.reply() {
            Ok(message) => message,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => break,
            Err(error) => return Err(error),
        };
        let now = unix_nanos();
        let text = String::from_utf8_lossy(&message);
        let deadline = text.lines().last().and_then(|name| name.parse::<u128>().ok());
        let deadline = deadline.ok_or_else(|| io::Error::other(format!("no event of ours: {text}")))? * 1_000_000;
        moments.times.saturating_record(u64::try_from(now.saturating_sub(deadline)).unwrap_or(u64::MAX));
    }
    talk.ask(&[b"CONFIG", b"SET", b"notify-keyspace-events", b""])?;
    talk.ask(&[b"FLUSHALL"])?;
    Ok(moments)
}

/// From the request that releases a lock to the reply that gives it to the client that waited, as Redisson does it: the
/// release publishes, the waiter hears it and asks again.
pub(crate) fn hand_over(server: &Server, loaded: &Loaded, times: u64) -> io::Result<Moments> {
    const LOCK: &[u8] = b"order:lock:000000";
    const CHANNEL: &[u8] = b"redisson_lock__channel:{order}";
    let (mut one, mut other, mut listener) = (server.talk()?, server.talk()?, server.talk()?);
    one.ask(&[b"FLUSHALL"])?;
    listener.ask(&[b"SUBSCRIBE", CHANNEL])?;
    let mut moments = Moments { times: histogram(), expected: times };
    let mut out = Vec::new();
    loaded.acquire(&mut out, LOCK, &owner(0));
    one.send(&out)?;
    one.reply()?;
    for turn in 0..times {
        let (holder, waiter) = if turn % 2 == 0 { (&mut one, &mut other) } else { (&mut other, &mut one) };
        let mut release = Vec::new();
        let latch = format!("redisson_unlock_latch:{{order}}:{turn:032x}");
        let from = usize::try_from(turn % 2).unwrap_or(0);
        loaded.release(&mut release, LOCK, CHANNEL, latch.as_bytes(), &owner(from));
        out.clear();
        loaded.acquire(&mut out, LOCK, &owner(1 - from));
        let start = Instant::now();
        holder.send(&release)?;
        listener.reply()?;
        waiter.send(&out)?;
        let reply = waiter.reply()?;
        moments.times.saturating_record(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        if reply != b"$-1\r\n" {
            return Err(io::Error::other("the waiter did not get the lock"));
        }
        holder.reply()?;
        holder.ask(&[b"DEL", latch.as_bytes()])?;
    }
    Ok(moments)
}

/// From a PUBLISH to the last of `listeners` having it; CPU seconds of the server for each PUBLISH beside it.
pub(crate) fn fan_out(server: &Server, listeners: usize, times: u64) -> io::Result<(Moments, f64)> {
    let mut crowd: Vec<Talk> = Vec::with_capacity(listeners);
    for _ in 0..listeners {
        let mut talk = server.talk()?;
        talk.ask(&[b"SUBSCRIBE", b"all"])?;
        crowd.push(talk);
    }
    let mut talk = server.talk()?;
    let mut moments = Moments { times: histogram(), expected: times };
    let mut message = [0; 64];
    let length = b"*3\r\n$7\r\nmessage\r\n$3\r\nall\r\n$1\r\n0\r\n".len();
    let before = server.cpu_seconds();
    for _ in 0..times {
        let start = Instant::now();
        talk.ask(&[b"PUBLISH", b"all", b"0"])?;
        for listener in &mut crowd {
            listener.stream.read_exact(&mut message[..length])?;
        }
        moments.times.saturating_record(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    Ok((moments, (server.cpu_seconds() - before) / times as f64))
}

/// Resident bytes for each of `locks` held Redisson locks: key 17, owner 38 bytes, a lease.
pub(crate) fn bytes_a_lock(server: &Server, loaded: &Loaded, locks: usize) -> io::Result<f64> {
    let mut talk = server.talk()?;
    talk.ask(&[b"FLUSHALL"])?;
    // What a first lock brings with it is not a lock's.
    talk.ask_all(1000, |index, out| loaded.acquire(out, &held_lock(index), &owner(index)))?;
    let before = server.resident_bytes();
    talk.ask_all(locks, |index, out| {
        request(out, &[b"HSET", &held_lock(1000 + index), &owner(index), b"1"]);
    })?;
    talk.ask_all(locks, |index, out| request(out, &[b"PEXPIRE", &held_lock(1000 + index), b"3600000"]))?;
    let grown = server.resident_bytes().saturating_sub(before);
    talk.ask(&[b"FLUSHALL"])?;
    Ok(grown as f64 / locks as f64)
}

fn unix_nanos() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos())
}
