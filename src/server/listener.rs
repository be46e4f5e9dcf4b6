//! Listening sockets: bound before anything else starts, so that a taken port is one plain line and exit 1.

use super::connection::{Connection, Link};
use super::process::StartError;
use super::shared::{Place, Shared};
use super::stream::{Reader, Writer, split_tcp, split_unix};
use crate::config::Config;
use crate::session::{Client, Session, Shown, Signals};
use parking_lot::Mutex;
use socket2::{Domain, Protocol, SockAddr, SockRef, Socket, TcpKeepalive, Type};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::runtime::Handle;
use tokio::task::AbortHandle;

/// Sockets that are bound, not yet served.
pub(super) struct Listeners {
    tcp: Vec<std::net::TcpListener>,
    unix: Option<(std::os::unix::net::UnixListener, PathBuf)>,
    address: Address,
}

/// Where TCP connections are accepted.
#[derive(Clone)]
struct Address {
    port: u16,
    bind: Vec<String>,
    backlog: i32,
}

/// The TCP sockets that are served.
struct Serving {
    address: Address,
    /// Each also owned by its task, and kept here so that it can be closed at once.
    sockets: Vec<std::net::TcpListener>,
    tasks: Vec<AbortHandle>,
    door: Arc<Door>,
}

/// Where the hook of CONFIG SET, a plain function, finds the sockets. One process is one server.
static SERVING: Mutex<Option<Serving>> = Mutex::new(None);

impl Listeners {
    /// Binds what `config` names.
    ///
    /// # Errors
    /// The address that cannot be bound, and why. Addresses with a leading `-` may be missing on this machine.
    pub(super) fn bind(config: &Config) -> Result<Self, StartError> {
        let address = Address::of(config);
        let tcp = address.open()?;
        let unix = match &config.unixsocket {
            None => None,
            Some(path) => Some((bind_unix(path, config)?, path.clone())),
        };
        if tcp.is_empty() && unix.is_none() {
            return Err(StartError::Other("Configured to not listen anywhere, exiting.".to_owned()));
        }
        Ok(Self { tcp, unix, address })
    }

    /// Accepts connections, handing them to the I/O threads in turn.
    pub(super) fn serve(self, shared: &Arc<Shared>, threads: &[Handle]) -> io::Result<()> {
        let door = Arc::new(Door { shared: Arc::clone(shared), threads: threads.to_vec() });
        let mut serving =
            Serving { address: self.address, sockets: Vec::new(), tasks: Vec::new(), door: Arc::clone(&door) };
        serving.serve(self.tcp)?;
        *SERVING.lock() = Some(serving);
        if let Some((listener, path)) = self.unix {
            listener.set_nonblocking(true)?;
            let listener = UnixListener::from_std(listener)?;
            tracing::info!("The server is now ready to accept connections at {}", path.display());
            tokio::spawn(accept_unix(listener, path, door));
        }
        Ok(())
    }
}

impl Address {
    fn of(config: &Config) -> Self {
        Self { port: config.port, bind: config.bind.clone(), backlog: config.tcp_backlog }
    }

    fn open(&self) -> Result<Vec<std::net::TcpListener>, StartError> {
        let mut tcp = Vec::new();
        if self.port == 0 {
            return Ok(tcp);
        }
        for bind in &self.bind {
            match bind_tcp(bind.trim_start_matches('-'), self.port, self.backlog) {
                Ok(listener) => tcp.push(listener),
                Err(error) if bind.starts_with('-') && is_absent(&error) => {}
                Err(error) => return Err(StartError::bind(bind, self.port, &error)),
            }
        }
        if tcp.is_empty() && !self.bind.is_empty() {
            return Err(StartError::Other(format!("Failed listening on port {} (TCP), aborting.", self.port)));
        }
        Ok(tcp)
    }
}

impl Serving {
    fn serve(&mut self, listeners: Vec<std::net::TcpListener>) -> io::Result<()> {
        for listener in listeners {
            listener.set_nonblocking(true)?;
            self.sockets.push(listener.try_clone()?);
            let door = Arc::clone(&self.door);
            let task = self.door.threads[0].spawn(async move {
                match TcpListener::from_std(listener) {
                    Ok(listener) => accept_tcp(listener, door).await,
                    Err(error) => tracing::warn!("Cannot accept connections: {error}"),
                }
            });
            self.tasks.push(task.abort_handle());
        }
        Ok(())
    }

    fn close(&mut self) {
        self.tasks.drain(..).for_each(|task| task.abort());
        for socket in self.sockets.drain(..) {
            // The task may hold its own handle a moment longer; no connection may come in through it.
            let _ = SockRef::from(&socket).shutdown(std::net::Shutdown::Both);
        }
    }

    fn move_to(&mut self, address: Address) -> Result<(), String> {
        // Another port is tried while the old one is still open; on the same one old and new addresses may overlap.
        let beside = address.port != self.address.port;
        let early = if beside { Some(address.open().map_err(|error| error.to_string())?) } else { None };
        self.close();
        let opened = early.map_or_else(|| address.open(), Ok);
        match opened {
            Ok(listeners) => {
                self.address = address;
                self.serve(listeners).map_err(|error| error.to_string())
            }
            Err(error) => {
                let back = self.address.open().map_err(|error| error.to_string())?;
                self.serve(back).map_err(|error| error.to_string())?;
                Err(error.to_string())
            }
        }
    }
}

/// Listens for TCP connections where `config` says instead; false when it cannot, and then goes on as before.
pub(super) fn listen(config: &Config) -> bool {
    let mut serving = SERVING.lock();
    let Some(serving) = serving.as_mut() else { return false };
    match serving.move_to(Address::of(config)) {
        Ok(()) => true,
        Err(error) => {
            tracing::warn!("Cannot listen elsewhere: {error}");
            false
        }
    }
}

/// Accepts no TCP connection any more.
pub(super) fn close() {
    if let Some(mut serving) = SERVING.lock().take() {
        serving.close();
    }
}

/// The address does not exist here: what a leading `-` forgives (Redis 7.0).
fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(code) if [nix::libc::EADDRNOTAVAIL, nix::libc::EAFNOSUPPORT, nix::libc::EPROTONOSUPPORT].contains(&code)
    )
}

fn bind_tcp(bind: &str, port: u16, backlog: i32) -> io::Result<std::net::TcpListener> {
    let address = match bind {
        "*" => SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port),
        "::*" => SocketAddr::new(IpAddr::V6(Ipv6Addr::UNSPECIFIED), port),
        name => (name, port)
            .to_socket_addrs()?
            .next()
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "Name or service not known"))?,
    };
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    socket.set_reuse_address(true)?;
    socket.bind(&SockAddr::from(address))?;
    socket.listen(backlog)?;
    Ok(socket.into())
}

fn bind_unix(path: &Path, config: &Config) -> Result<std::os::unix::net::UnixListener, StartError> {
    // A socket left by a server that was killed would keep this one from starting; Redis removes it too.
    let _ = std::fs::remove_file(path);
    let fail =
        |error: io::Error| StartError::Other(format!("Failed opening Unix socket: bind: {}: {error}", path.display()));
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None).map_err(fail)?;
    socket.bind(&SockAddr::unix(path).map_err(fail)?).map_err(fail)?;
    socket.listen(config.tcp_backlog).map_err(fail)?;
    if config.unixsocketperm != 0 {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(config.unixsocketperm)).map_err(fail)?;
    }
    Ok(socket.into())
}

/// Who lets connections in.
struct Door {
    shared: Arc<Shared>,
    threads: Vec<Handle>,
}

const TOO_MANY: &[u8] = b"-ERR max number of clients reached\r\n";

const PROTECTED: &[u8] = b"-DENIED Redis is running in protected mode because protected mode is enabled and no \
                           password is set for the default user. In this mode connections are only accepted from the \
                           loopback interface. If you want to connect from external computers, set a password, or \
                           bind to given addresses, or disable protected mode with CONFIG SET protected-mode no on \
                           the server itself.\r\n";

async fn accept_tcp(listener: TcpListener, door: Arc<Door>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => door.admit_tcp(stream, peer),
            Err(error) => pause_after(&error).await,
        }
    }
}

async fn accept_unix(listener: UnixListener, path: PathBuf, door: Arc<Door>) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => door.admit_unix(stream, &path),
            Err(error) => pause_after(&error).await,
        }
    }
}

/// Out of descriptors: trying again at once would only spin.
async fn pause_after(error: &io::Error) {
    tracing::warn!("Error accepting a connection: {error}");
    tokio::time::sleep(Duration::from_millis(50)).await;
}

impl Door {
    fn admit_tcp(&self, stream: TcpStream, peer: SocketAddr) {
        let knobs = &self.shared.knobs;
        let loopback = peer.ip().to_canonical().is_loopback();
        let Some(place) = self.shared.take_place() else {
            return self.refuse(|| stream.try_write(TOO_MANY));
        };
        // Whatever `bind` says (Redis 7.0).
        if knobs.protected_mode.load(Ordering::Relaxed) && !loopback && !knobs.has_password.load(Ordering::Relaxed) {
            return self.refuse(|| stream.try_write(PROTECTED));
        }
        if let Err(error) = settle(&stream, knobs.tcp_keepalive_s.load(Ordering::Relaxed)) {
            tracing::debug!("Cannot set options of a socket: {error}");
        }
        let laddr = stream.local_addr().map_or(String::new(), |addr| addr.to_string());
        let shown = Shown { addr: peer.to_string(), laddr, fd: stream.as_raw_fd(), ..fresh() };
        let marks = if loopback { Signals::LOCAL } else { Signals::empty() };
        match stream.into_std() {
            Ok(stream) => self.start(place, shown, marks, move || TcpStream::from_std(stream).map(split_tcp)),
            Err(error) => tracing::debug!("Lost a connection: {error}"),
        }
    }

    fn admit_unix(&self, stream: UnixStream, path: &Path) {
        let Some(place) = self.shared.take_place() else {
            return self.refuse(|| stream.try_write(TOO_MANY));
        };
        let addr = format!("{}:0", path.display());
        let shown = Shown { addr: addr.clone(), laddr: addr, fd: stream.as_raw_fd(), ..fresh() };
        match stream.into_std() {
            Ok(stream) => self.start(place, shown, Signals::LOCAL | Signals::UNIX_SOCKET, move || {
                UnixStream::from_std(stream).map(split_unix)
            }),
            Err(error) => tracing::debug!("Lost a connection: {error}"),
        }
    }

    fn refuse(&self, say: impl FnOnce() -> io::Result<usize>) {
        // Whether the stranger hears it does not matter.
        let _ = say();
        self.shared.knobs.rejected_connections.fetch_add(1, Ordering::Relaxed);
    }

    fn start(
        &self,
        place: Place,
        shown: Shown,
        marks: Signals,
        open: impl FnOnce() -> io::Result<(Reader, Writer)> + Send + 'static,
    ) {
        let id = self.shared.next_id();
        let thread = (id as usize - 1) % self.threads.len();
        let session = Session::new(id, thread, self.shared.clock.now(), shown);
        session.raise(marks);
        let client = Client::new(Arc::clone(&session), !self.shared.knobs.has_password.load(Ordering::Relaxed));
        let shared = Arc::clone(&self.shared);
        self.threads[thread].spawn(async move {
            // The socket is registered with the reactor of the thread that serves it.
            let (reader, writer) = match open() {
                Ok(halves) => halves,
                Err(error) => return tracing::debug!("Lost a connection: {error}"),
            };
            let link = Arc::new(Link::new(session, writer));
            shared.add(&link);
            shared.knobs.connections_received.fetch_add(1, Ordering::Relaxed);
            let mut connection = Connection::new(shared, link, reader, client);
            std::future::poll_fn(|cx| connection.poll(cx)).await;
            connection.end();
            drop(place);
        });
    }
}

fn fresh() -> Shown {
    Shown { user: "default".to_owned(), ..Shown::default() }
}

fn settle(stream: &TcpStream, keepalive_s: u64) -> io::Result<()> {
    stream.set_nodelay(true)?;
    if keepalive_s > 0 {
        let keepalive = TcpKeepalive::new()
            .with_time(Duration::from_secs(keepalive_s))
            .with_interval(Duration::from_secs((keepalive_s / 3).max(1)))
            .with_retries(3);
        SockRef::from(stream).set_tcp_keepalive(&keepalive)?;
    }
    Ok(())
}
