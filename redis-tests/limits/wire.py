"""A server to measure, what the kernel knows of it, and connections to it. Standard library only."""

import glob
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import time

SERVER_CORE = 0


def free_files(count):
    """Has this process and its children open at least `count` files, if the system lets them."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= count:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (count, max(count, hard)))
    except (ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def keep_off_server_core():
    cores = os.sched_getaffinity(0) - {SERVER_CORE}
    if cores:
        os.sched_setaffinity(0, cores)


def keep_on_server_core():
    try:
        os.sched_setaffinity(0, {SERVER_CORE})
    except OSError:
        pass  # Not ours to use: the system places it.


def run_first(priority):
    """Lets this process run as soon as it can, so that its own wait for a core is not taken for the server's."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError:
        pass  # Not root: the figures then hold this process's waits, too.


def run_as_others():
    if os.sched_getscheduler(0) != os.SCHED_OTHER:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def encode(*args):
    parts = [b"*%d\r\n" % len(args)]
    for arg in args:
        arg = arg if isinstance(arg, bytes) else str(arg).encode()
        parts.append(b"$%d\r\n%s\r\n" % (len(arg), arg))
    return b"".join(parts)


class Connection:
    """One client that waits for each reply."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")

    def ask(self, *args):
        self.socket.sendall(encode(*args))
        return self.reply()

    def reply(self):
        line = self.file.readline()
        if not line:
            raise ConnectionError("the server closed the connection")
        kind, rest = line[:1], line[1:-2]
        if kind == b"-":
            raise RuntimeError(rest.decode())
        if kind == b":":
            return int(rest)
        if kind == b"$":
            return None if rest == b"-1" else self.file.read(int(rest) + 2)[:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        return rest

    def pour(self, requests, reply_bytes):
        """Sends bytes and reads replies of a known length; gives them back."""
        self.socket.sendall(requests)
        replies = self.file.read(reply_bytes)
        if len(replies) < reply_bytes:
            raise ConnectionError("the server closed the connection")
        return replies

    def close(self):
        self.file.close()
        self.socket.close()


class Server:
    """A server of its own port and directory, on a core of its own. To be used with `with`."""

    def __init__(self, *options):
        self.options = options

    def __enter__(self):
        self.dir = tempfile.mkdtemp()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        command = [os.environ["HOLDFAST_BIN"], "--port", str(self.port), "--dir", self.dir, "--save", "", *self.options]
        with open(os.path.join(self.dir, "log"), "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, preexec_fn=keep_on_server_core)
        try:
            self.wait_until_it_answers()
        except BaseException:
            self.__exit__()
            raise
        return self

    def wait_until_it_answers(self):
        deadline = time.monotonic() + 10
        while True:
            try:
                connection = Connection(self.port)
                connection.ask("PING")
                return connection.close()
            except OSError:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    with open(os.path.join(self.dir, "log"), errors="replace") as log:
                        raise RuntimeError("the server does not start: " + log.read()[-500:]) from None
                time.sleep(0.02)

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.dir, ignore_errors=True)

    def rss_bytes(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmRSS"))

    def cpu_ticks(self):
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rsplit(") ", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def io_starved(self):
        """A function that tells for how many ns the I/O threads, the kernel's threads that carry packets when there are
        many, and the caller were ready to run while others had their core."""
        files = [os.open("/proc/thread-self/schedstat", os.O_RDONLY)]
        for path in glob.glob(f"/proc/{self.process.pid}/task/*") + glob.glob("/proc/[0-9]*"):
            try:
                with open(f"{path}/comm") as name:
                    if name.read().startswith("io-" if "/task/" in path else "ksoftirqd/"):
                        files.append(os.open(f"{path}/schedstat", os.O_RDONLY))
            except OSError:
                pass  # A process that has ended.
        if len(files) < 2:
            raise RuntimeError("the server has no thread named io-0")
        return lambda: sum(int(os.pread(file, 64, 0).split()[1]) for file in files)
