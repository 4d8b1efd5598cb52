"""Asks a server over connections that stay open, and keeps what it answered in a form that can be compared.

A client of few lines: the library's spends more time on a request than the server.
"""
import functools
import json
import socket
import threading


class Answer:
    """Status and body; JSON where it is JSON, otherwise the text."""

    def __init__(self, status, text, headers=""):
        self.status, self.text, self.headers = status, text, headers

    @functools.cached_property
    def json(self):
        """Read when it is asked for: who wants the status alone does not read megabytes."""
        try:
            return json.loads(self.text)
        except ValueError:
            return None

    def items(self):
        """The dictionaries of an answer that has one list of items."""
        if isinstance(self.json, dict):
            for value in self.json.values():
                if isinstance(value, list):
                    return [item for item in value if isinstance(item, dict)]
        return []

    def get(self, key, default=None):
        return self.json.get(key, default) if isinstance(self.json, dict) else default

    def __repr__(self):
        return f"{self.status} {self.text[:600]}"


class Connection:
    """One connection, for one thread."""

    def __init__(self, address, timeout=60):
        self.host = f"{address[0]}:{address[1]}"
        self.socket = socket.create_connection(address, timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file, self.is_open = self.socket.makefile("rb"), True

    def ask(self, method, target, body=None, headers=None):
        lines = [f"{method} {target} HTTP/1.1", f"Host: {self.host}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        if method in ("POST", "PUT"):
            lines.append(f"Content-Length: {len(body or b'')}")
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode() + (body or b""))
        return self.read(method)

    def read(self, method):
        line = self.file.readline()
        if not line:
            raise ConnectionError("the connection ended")
        headers = {}
        while (field := self.file.readline()) not in (b"\r\n", b""):
            name, _, value = field.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        self.is_open = headers.get("connection", "").lower() != "close"
        return Answer(int(line.split()[1]), self._body(method, headers), headers)

    def _body(self, method, headers):
        if headers.get("content-type", "").startswith("text/event-stream"):
            # A stream has no end: its beginning says that it was opened.
            self.is_open = False
            return "stream"
        if method == "HEAD":
            return ""
        if headers.get("transfer-encoding") == "chunked":
            pieces = []
            while size := int(self.file.readline(), 16):
                pieces.append(self.file.read(size))
                self.file.readline()
            self.file.readline()
            return b"".join(pieces).decode("utf-8", "replace")
        return self.file.read(int(headers.get("content-length", 0))).decode("utf-8", "replace")

    def close(self):
        self.file.close()
        self.socket.close()


class Wire:
    """Each thread has its own connection."""

    def __init__(self, address, timeout=60):
        self.address, self.timeout, self.threads = address, timeout, threading.local()

    def ask(self, method, target, body=None, headers=None):
        """Asks once more where a connection that was open has ended."""
        for attempt in (1, 2):
            connection = getattr(self.threads, "connection", None)
            if connection is None or not connection.is_open:
                if connection is not None:
                    connection.close()
                connection = self.threads.connection = Connection(self.address, self.timeout)
            try:
                return connection.ask(method, target, body, headers)
            except (OSError, ValueError, IndexError) as error:
                connection.close()
                self.threads.connection = None
                if attempt == 2:
                    raise ConnectionError(f"{method} {target} has no answer: {error!r}") from error
