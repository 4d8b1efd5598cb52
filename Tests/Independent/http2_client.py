"""A client of HTTP/2 over TLS that may also break its rules. Python's `h2` reads and writes what is allowed; what is
not goes to the socket as bytes."""
import socket
import ssl
import struct

import h2.config
import h2.connection
import h2.events


def frame(kind, flags, stream, payload=b""):
    """A frame as bytes (RFC 9113, 4.1)."""
    return struct.pack("!I", len(payload))[1:] + bytes([kind, flags]) + struct.pack("!I", stream) + payload


class Gone(Exception):
    """The server closed the connection."""


class Connection:
    def __init__(self, address, root, protocols=("h2",), timeout=120):
        trust = ssl.create_default_context(cafile=root)
        trust.set_alpn_protocols(list(protocols))
        self.socket = trust.wrap_socket(socket.create_connection(address, timeout=timeout),
                                        server_hostname="127.0.0.1")
        self.certificate = self.socket.getpeercert()
        self.authority = f"127.0.0.1:{address[1]}"
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=True, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False))
        self.waiting, self.farewell = [], None
        self.h2.initiate_connection()
        self.flush()

    def settle(self):
        """Both sides have acknowledged the other's settings: nothing of ours comes between raw frames."""
        while not isinstance(self.next(), h2.events.SettingsAcknowledged):
            pass

    def flush(self):
        self.raw(self.h2.data_to_send())

    def raw(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            raise Gone

    def head(self, method, path, headers=()):
        return [(":method", method), (":scheme", "https"), (":authority", self.authority), (":path", path), *headers]

    def send(self, method, path, body=None, headers=()):
        """Sends a request and answers its stream."""
        stream = self.h2.get_next_available_stream_id()
        self.h2.send_headers(stream, self.head(method, path, headers), end_stream=body is None)
        if body is not None:
            self.h2.send_data(stream, body, end_stream=True)
        self.flush()
        return stream

    def next(self):
        """The next event of any stream."""
        while not self.waiting:
            try:
                data = self.socket.recv(65536)
            except TimeoutError:
                raise SystemExit("FAILED: the server said nothing for too long")
            except OSError:
                raise Gone
            if not data:
                raise Gone
            self.waiting = self.h2.receive_data(data)
            self.flush()
        event = self.waiting.pop(0)
        if isinstance(event, h2.events.DataReceived):
            self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            self.flush()
        if isinstance(event, h2.events.ConnectionTerminated):
            self.farewell = event
        return event

    def answer(self, stream):
        """Status, fields and body of a request's answer; nothing else may be awaited meanwhile."""
        fields, body = {}, b""
        while True:
            event = self.next()
            if getattr(event, "stream_id", None) != stream:
                continue
            if isinstance(event, h2.events.ResponseReceived):
                fields = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                body += event.data
            elif isinstance(event, h2.events.StreamEnded):
                return int(fields[":status"]), fields, body
            elif isinstance(event, h2.events.StreamReset):
                raise ConnectionResetError(event.error_code)

    def ask(self, method, path, body=None, headers=()):
        return self.answer(self.send(method, path, body, headers))

    def until_closed(self):
        """Reads until the server has closed; answers its last word's code, if it said one."""
        try:
            while True:
                self.next()
        except Gone:
            return self.farewell.error_code if self.farewell else None

    def close(self):
        self.socket.close()
