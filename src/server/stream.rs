//! A TCP or Unix socket in two halves: the reader belongs to the connection's own task, the writer is shared with
//! whoever sends on its behalf.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, ReadBuf};
use tokio::net::{TcpStream, UnixStream, tcp, unix};

/// The reading half.
pub(super) enum Reader {
    Tcp(tcp::OwnedReadHalf),
    Unix(unix::OwnedReadHalf),
}

/// The writing half.
pub(super) enum Writer {
    Tcp(tcp::OwnedWriteHalf),
    Unix(unix::OwnedWriteHalf),
}

pub(super) fn split_tcp(stream: TcpStream) -> (Reader, Writer) {
    let (reader, writer) = stream.into_split();
    (Reader::Tcp(reader), Writer::Tcp(writer))
}

pub(super) fn split_unix(stream: UnixStream) -> (Reader, Writer) {
    let (reader, writer) = stream.into_split();
    (Reader::Unix(reader), Writer::Unix(writer))
}

impl Reader {
    /// Reads what is there; 0 bytes at the end of the stream. Through `poll_read` because it alone spares the second,
    /// empty read when the first did not fill the buffer.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>, buf: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buf = ReadBuf::new(buf);
        let done = match self {
            Self::Tcp(half) => Pin::new(half).poll_read(cx, &mut buf),
            Self::Unix(half) => Pin::new(half).poll_read(cx, &mut buf),
        };
        done.map_ok(|()| buf.filled().len())
    }

    /// Ready when more can be written.
    pub(super) fn poll_write_ready(&self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self {
            Self::Tcp(half) => half.as_ref().poll_write_ready(cx),
            Self::Unix(half) => half.as_ref().poll_write_ready(cx),
        }
    }
}

impl Writer {
    /// Writes what the socket takes now.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(half) => half.try_write(bytes),
            Self::Unix(half) => half.try_write(bytes),
        }
    }
}
