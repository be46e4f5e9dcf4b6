"""Processes beside the one that loads the server: what they measure must not wait for what that one does."""

import array
import gc
import mmap
import multiprocessing
import select
import socket
import struct
import time

import wire

context = multiprocessing.get_context("fork")


class Child:
    """A process that works until it is told to stop, and then hands over what it found."""

    def __init__(self, *args):
        self.flags = mmap.mmap(-1, 64)
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=self.enter, args=(other, *args), daemon=True)
        self.process.start()
        other.close()
        self.hear()

    def enter(self, pipe, *args):
        gc.disable()
        wire.keep_off_server_core()
        try:
            self.work(pipe, *args)
        except Exception as error:  # Told to the parent, which fails the limit.
            pipe.send(error)

    def hear(self):
        heard = self.pipe.recv()
        if isinstance(heard, Exception):
            raise heard
        return heard

    def told_to_stop(self):
        return self.flags[0] != 0

    def count(self):
        """What the process has counted so far."""
        return struct.unpack_from("<Q", self.flags, 8)[0]

    def set_count(self, count):
        struct.pack_into("<Q", self.flags, 8, count)

    def stop(self):
        self.flags[0] = 1
        found = self.hear()
        self.process.join(10)
        return found


class Prober(Child):
    """Sends a PING every half millisecond and notes how long each took, and for how much of that the server's I/O
    threads were ready to run while others had their core."""

    INTERVAL_NS = 500_000

    def work(self, pipe, server):
        wire.run_first(2)
        connection = socket.create_connection(("127.0.0.1", server.port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        ping, now, starved_ns = wire.encode("PING"), time.monotonic_ns, server.io_starved()
        samples = array.array("q")
        pipe.send("ready")
        due, starved_before = now(), starved_ns()
        while not self.told_to_stop():
            start = now()
            connection.sendall(ping)
            if not connection.recv(64):
                raise ConnectionError("the server closed the prober's connection")
            took, starved = now() - start, starved_ns()
            samples.extend((start, took, starved - starved_before))
            starved_before = starved
            due = max(due + self.INTERVAL_NS, start)
            time.sleep(max(0, due - now()) / 1e9)
        pipe.send(samples)

    def latencies(self, since_ns=0, until_ns=1 << 62):
        """Those of the PINGs sent within a span of the monotonic clock."""
        samples = self.stop()
        return Latencies(
            (took, starved)
            for start, took, starved in zip(samples[::3], samples[1::3], samples[2::3])
            if since_ns <= start <= until_ns
        )


class Latencies:
    """In milliseconds. Those of the server alone are without its waits for a core."""

    def __init__(self, samples):
        self.all_ms, self.own_ms = [], []
        for took, starved in samples:
            self.note(took, self.all_ms)
            self.note(max(0, took - starved), self.own_ms)
        self.all_ms.sort()
        self.own_ms.sort()

    @staticmethod
    def note(took_ns, into_ms):
        # A PING held up for long stands for those that were not sent meanwhile, too.
        while True:
            into_ms.append(took_ns / 1e6)
            took_ns -= Prober.INTERVAL_NS
            if took_ns <= 0:
                break

    def text(self):
        own, every = self.own_ms, self.all_ms
        return (
            f"PING p50 {percentile(own, 0.5):.2f}, p99 {percentile(own, 0.99):.2f}, longest {own[-1]:.2f} ms; with the "
            f"server's waits for its core p99 {percentile(every, 0.99):.2f}, longest {every[-1]:.2f} ms"
        )


def percentile(ordered, share):
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


class Crowd(Child):
    """Many connections: each says PING once, then waits; later each subscribes and takes what it gets."""

    def work(self, pipe, port, size, channel):
        crowd = []
        for _ in range(size):
            crowd.append(socket.create_connection(("127.0.0.1", port)))
        pipe.send("connected")
        self.all_say(crowd, wire.encode("PING"), len(b"+PONG\r\n"))
        pipe.send("each has said PING")
        pipe.recv()
        self.all_say(crowd, wire.encode("SUBSCRIBE", channel), len(wire.encode("subscribe", channel) + b":1\r\n"))
        pipe.send("subscribed")
        pipe.send(self.take(crowd))

    def all_say(self, crowd, request, reply_bytes):
        for first in range(0, len(crowd), 100):
            some = crowd[first : first + 100]
            for connection in some:
                connection.sendall(request)
            for connection in some:
                left = reply_bytes
                while left > 0:
                    got = len(connection.recv(left))
                    if got == 0:
                        raise ConnectionError("the server closed a connection")
                    left -= got

    def take(self, crowd):
        """Bytes that each got."""
        poll = select.epoll()
        by_file = {}
        for connection in crowd:
            connection.setblocking(False)
            by_file[connection.fileno()] = connection.recv
            poll.register(connection.fileno(), select.EPOLLIN)
        got = dict.fromkeys(by_file, 0)
        total = 0
        while not self.told_to_stop():
            for file, _ in poll.poll(0.05, 512):
                count = len(by_file[file](65536))
                if count == 0:
                    raise ConnectionError("the server closed a subscriber's connection")
                got[file] += count
                total += count
            self.set_count(total)
        return list(got.values())


class ExpiryWatcher(Child):
    """Notes when each `expired` event arrives."""

    CHANNEL = b"__keyevent@0__:expired"

    def work(self, pipe, port, key_bytes, expected):
        connection = socket.create_connection(("127.0.0.1", port))
        connection.sendall(wire.encode("SUBSCRIBE", self.CHANNEL))
        connection.recv(1024)
        pipe.send("ready")
        size = len(wire.encode("message", self.CHANNEL, b"k" * key_bytes))
        chunks, ends, times, total = [], array.array("q"), array.array("q"), 0
        connection.settimeout(0.2)
        wire.run_first(1)
        while total < expected * size and not self.told_to_stop():
            try:
                chunk = connection.recv(1 << 20)
            except TimeoutError:
                continue
            if not chunk:
                break
            times.append(time.time_ns())
            total += len(chunk)
            chunks.append(chunk)
            ends.append(total)
            self.set_count(total // size)
        wire.run_as_others()
        pipe.send((size, b"".join(chunks), ends, times))
