"""A proxy on loopback that does to requests what networks do: it cuts them, before, within and after; loses answers; delays
them; lets them arrive twice, or long after the client has given up. All by a seed.

It can also lie, which no network may (`Lies`): that is how a checker is shown to find something.
"""
import collections
import contextlib
import json
import random
import socket
import struct
import threading
import time

# What becomes of a request, and how often of a hundred.
FATES = {"pass": 62, "cut before": 5, "cut within": 4, "lose": 7, "cut answer": 4, "twice": 5, "at once twice": 3,
         "late": 4, "delay": 6}


class Ended(Exception):
    """The client or the server hung up."""


class Stream:
    """Bytes of one connection, message by message."""

    def __init__(self, connection):
        self.connection, self.rest = connection, b""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _more(self):
        data = self.connection.recv(65536)
        if not data:
            raise Ended
        self.rest += data

    def message(self):
        """A request or an answer as it came. Bodies have a length; none of those that pass here comes in pieces."""
        while b"\r\n\r\n" not in self.rest:
            self._more()
        head, _, _ = self.rest.partition(b"\r\n\r\n")
        lengths = [int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
        end = len(head) + 4 + (lengths[0] if lengths else 0)
        while len(self.rest) < end:
            self._more()
        message, self.rest = self.rest[:end], self.rest[end:]
        return message

    def reset(self):
        """Not a polite end."""
        with contextlib.suppress(OSError):
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()


class Proxy:
    def __init__(self, server, seed, lies=None):
        self.server, self.random, self.lies = server, random.Random(seed), lies
        self.lock, self.fates = threading.Lock(), collections.Counter()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.address = self.listener.getsockname()
        self.is_calm = False
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self):
        self.listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                threading.Thread(target=self._serve, args=(Stream(connection),), daemon=True).start()

    def _fate(self):
        with self.lock:
            fate = "pass" if self.is_calm else self.random.choices(list(FATES), FATES.values())[0]
            self.fates[fate] += 1
            return fate, self.random.random()

    def _serve(self, client):
        try:
            while True:
                request = client.message()
                fate, chance = self._fate()
                answer = self.lies.forge(request) if self.lies and not self.is_calm else None
                if answer is None:
                    answer = self._meet(request, fate, chance)
                if self.lies and not self.is_calm:
                    answer = self.lies.change(request, answer)
                if fate == "cut answer":
                    client.connection.sendall(answer[:int(len(answer) * chance)])
                    raise Ended
                client.connection.sendall(answer)
        except (Ended, OSError):
            client.reset()

    def _meet(self, request, fate, chance):
        """The answer that the client may have."""
        if fate == "cut before":
            raise Ended
        if fate == "cut within":
            self._ask(request[:int(len(request) * chance)], waits=False)
            raise Ended
        if fate == "late":
            threading.Timer(chance * 0.6, self._ask_quietly, (request,)).start()
            raise Ended
        if fate == "delay":
            time.sleep(chance * 0.15)
        if fate == "twice":
            self._ask(request)
        if fate == "at once twice":
            threading.Thread(target=self._ask_quietly, args=(request,), daemon=True).start()
        answer = self._ask(request)
        if fate == "lose":
            raise Ended
        return answer

    def _ask_quietly(self, request):
        with contextlib.suppress(Ended, OSError):
            self._ask(request)

    def _ask(self, request, waits=True):
        request = self.lies.alter(request) if self.lies and waits and not self.is_calm else request
        with socket.create_connection(self.server.address, timeout=120) as connection:
            connection.sendall(request)
            if waits:
                return Stream(connection).message()
        return b""


# MARK: What no network does

class Lies:
    """One kind of fault, now and then."""

    KINDS = ["forged", "forced", "stale", "skipped", "undone"]

    def __init__(self, kind, seed):
        self.kind, self.random, self.old, self.lock = kind, random.Random(seed), {}, threading.Lock()

    def _now(self, request, endpoint):
        with self.lock:
            return endpoint in request.split(b"?")[0] and self.random.random() < 0.2

    def forge(self, request):
        """An answer to a save that never reaches the server."""
        if self.kind != "forged" or not self._now(request, b"records/modify"):
            return None
        records = [operation["record"] for operation in body(request)["operations"]]
        return message(b"HTTP/1.1 200 OK", {"records": [{**record, "recordChangeTag": "never"} for record in records]})

    def alter(self, request):
        """A request that the client did not make."""
        if self.kind == "forced" and b"records/modify" in request:
            return message(request.split(b"\r\n")[0], None, request.replace(b'"update"', b'"forceUpdate"'))
        if self.kind == "undone" and self._now(request, b"records/modify") and b'"operationID"' in request:
            return message(request.split(b"\r\n")[0], None, request.replace(b'"update"', b'"forceDelete"'))
        return request

    def change(self, request, answer):
        """An answer that the server did not give."""
        if self.kind == "stale" and b"records/lookup" in request:
            with self.lock:
                older = self.old.setdefault(str(body(request)), answer)
                return older if self.random.random() < 0.2 else answer
        if self.kind == "skipped" and self._now(request, b"changes/zone"):
            page = body(answer)
            if page["zones"][0].get("records"):
                page["zones"][0]["records"].pop()
                return message(b"HTTP/1.1 200 OK", page)
        return answer


def body(data):
    return json.loads(data.partition(b"\r\n\r\n")[2])


def message(first, value, like=None):
    """A message with this first line: with `value` as its body, or what `like` has after its own first line."""
    if like is None:
        data = json.dumps(value).encode()
        return first + b"\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data) + data
    head, _, data = like.partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n")[1:] if not line.lower().startswith(b"content-length:")]
    return b"\r\n".join([first, *lines, b"Content-Length: %d" % len(data)]) + b"\r\n\r\n" + data
