//! The protocol as far as a load generator needs it: requests as bytes, and where a reply ends.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// A request as a client sends it.
pub(crate) fn request(out: &mut Vec<u8>, argv: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", argv.len()).as_bytes());
    for arg in argv {
        out.extend_from_slice(format!("${}\r\n", arg.len()).as_bytes());
        out.extend_from_slice(arg);
        out.extend_from_slice(b"\r\n");
    }
}

/// The length of the RESP2 reply at the head of `bytes`, if all of it is there.
///
/// # Errors
///
/// What is no reply, and error replies: a load that is refused measures nothing.
pub(crate) fn reply_length(bytes: &[u8]) -> io::Result<Option<usize>> {
    let mut at = 0;
    let mut open = 1_u64;
    while open > 0 {
        let Some(end) = bytes[at..].windows(2).position(|pair| pair == b"\r\n") else { return Ok(None) };
        let line = &bytes[at..at + end];
        at += end + 2;
        open -= 1;
        let count = || std::str::from_utf8(&line[1..]).ok().and_then(|digits| digits.parse::<i64>().ok());
        match (line.first(), count()) {
            (Some(b'+' | b':'), _) => {}
            (Some(b'$'), Some(length)) => at += usize::try_from(length).map_or(0, |length| length + 2),
            (Some(b'*'), Some(length)) => open += u64::try_from(length).unwrap_or(0),
            _ => return Err(io::Error::other(format!("the server says {:?}", String::from_utf8_lossy(line)))),
        }
    }
    Ok((at <= bytes.len()).then_some(at))
}

/// A blocking connection.
pub(crate) struct Talk {
    pub(crate) stream: TcpStream,
    buffer: Vec<u8>,
}

impl Talk {
    pub(crate) fn to(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(120)))?;
        Ok(Self { stream, buffer: Vec::new() })
    }

    /// Sends what is already in the protocol's form.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes)
    }

    /// The next reply, whole.
    pub(crate) fn reply(&mut self) -> io::Result<Vec<u8>> {
        loop {
            if let Some(length) = reply_length(&self.buffer)? {
                return Ok(self.buffer.drain(..length).collect());
            }
            let mut chunk = [0; 16 * 1024];
            let count = self.stream.read(&mut chunk)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.buffer.extend_from_slice(&chunk[..count]);
        }
    }

    /// Sends one request and waits for its reply.
    pub(crate) fn ask(&mut self, argv: &[&[u8]]) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        request(&mut bytes, argv);
        self.send(&bytes)?;
        self.reply()
    }

    /// Sends many requests, up to a thousand under way at a time, and waits for all replies.
    pub(crate) fn ask_all(&mut self, count: usize, mut one: impl FnMut(usize, &mut Vec<u8>)) -> io::Result<()> {
        let mut bytes = Vec::new();
        for start in (0..count).step_by(1000) {
            bytes.clear();
            let end = count.min(start + 1000);
            (start..end).for_each(|index| one(index, &mut bytes));
            self.send(&bytes)?;
            for _ in start..end {
                self.reply()?;
            }
        }
        Ok(())
    }
}
