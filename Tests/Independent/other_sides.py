"""The other sides of delivery, made without any of our Swift: Apple's push server over HTTP/2, a Web Push
service, a webhook's receiver, and the certificates they need. Each answers as its script says.
"""
import asyncio
import base64
import datetime
import ipaddress
import json
import os
import ssl
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import h2.config
import h2.connection
import h2.events
import h2.settings
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class Certificates:
    """A root of our own and a certificate for localhost."""

    def __init__(self, folder):
        root_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
        root_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Brume test root")])
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        names = x509.SubjectAlternativeName(
            [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        root = self._certificate(root_name, root_name, root_key.public_key(), root_key, x509.BasicConstraints(True, None))
        leaf = self._certificate(name, root_name, key.public_key(), root_key, names)
        self.root = os.path.join(folder, "root.pem")
        chain = os.path.join(folder, "chain.pem")
        with open(self.root, "wb") as file:
            file.write(root.public_bytes(serialization.Encoding.PEM))
        with open(chain, "wb") as file:
            file.write(leaf.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.load_cert_chain(chain)
        self.http2 = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.http2.load_cert_chain(chain)
        self.http2.set_alpn_protocols(["h2"])

    @staticmethod
    def _certificate(subject, issuer, key, signer, extension):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
                .not_valid_after(now + datetime.timedelta(days=2)).add_extension(extension, critical=False)
                .sign(signer, hashes.SHA256()))


class Arrivals:
    """What came in, for whoever waits for it."""

    def __init__(self):
        self.items, self.changed = [], threading.Condition()

    def add(self, item):
        with self.changed:
            self.items.append(item)
            self.changed.notify_all()

    def wait(self, condition, what, seconds=120):
        """The list once `condition` holds; the test fails otherwise."""
        with self.changed:
            if not self.changed.wait_for(lambda: condition(self.items), timeout=seconds):
                raise SystemExit(f"did not happen in {seconds} s: {what}; arrived: {self.items[-5:]}")
            return list(self.items)


class Apple:
    """api.push.apple.com, as far as its documents say. `script[token]` holds answers to give first:
    (status, reason, extras), or "silence", "reset", "goaway"; or a list of numbers of requests that it
    allows at once, one after the other, when it has accepted this one."""

    def __init__(self, certificates):
        self.certificates, self.script, self.arrivals, self.connections = certificates, {}, Arrivals(), 0
        self.allowed = Arrivals()
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self._run, args=(ready,), daemon=True).start()
        ready.wait()

    def _run(self, ready):
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(
            asyncio.start_server(self._serve, "127.0.0.1", 0, ssl=self.certificates.http2))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    def to(self, token):
        return [item for item in self.arrivals.items if item["token"] == token]

    async def _serve(self, reader, writer):
        self.connections += 1
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.issuer = None
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        streams = {}
        try:
            while data := await reader.read(65536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        streams[event.stream_id] = [dict(event.headers), b""]
                    elif isinstance(event, h2.events.DataReceived):
                        streams[event.stream_id][1] += event.data
                        connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
                    elif isinstance(event, h2.events.StreamEnded):
                        self._answer(connection, writer, event.stream_id, *streams.pop(event.stream_id))
                writer.write(connection.data_to_send())
                await writer.drain()
        except (OSError, h2.exceptions.ProtocolError):
            pass
        writer.close()

    def _answer(self, connection, writer, stream, headers, body):
        token = headers[":path"].rsplit("/", 1)[-1]
        script = self.script.get(token) or [(200, None, {})]
        step = script.pop(0)
        if self._is_foreign(connection, headers["authorization"]):
            step = (403, "InvalidProviderToken", {})
        self.arrivals.add({"token": token, "headers": headers, "body": body, "time": time.time(), "answer": step})
        if step == "silence":
            return
        if step == "reset":
            connection.reset_stream(stream, 7)
            return
        if step == "goaway":
            connection.close_connection(last_stream_id=0)
            return
        if isinstance(step, list):
            self._allow(connection, writer, step)
            step = (200, None, {})
        status, reason, extras = step
        answer = {"reason": reason, **{key: extras[key] for key in extras if key != "retry-after"}}
        body = b"" if reason is None else json.dumps(answer).encode()
        headers = [(":status", str(status)), ("apns-id", headers["apns-id"])]
        if "retry-after" in extras:
            headers.append(("retry-after", extras["retry-after"]))
        connection.send_headers(stream, headers, end_stream=not body)
        if body:
            connection.send_data(stream, body, end_stream=True)


    @staticmethod
    def _is_foreign(connection, authorization):
        """Apple takes the tokens of one team only on a connection."""
        claims = authorization.split(".")[1]
        issuer = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["iss"]
        connection.issuer = connection.issuer or issuer
        return connection.issuer != issuer

    def _allow(self, connection, writer, limits):
        """Nothing is under way by then."""
        self.allow_again = lambda: self._allow(connection, writer, [100])

        def say():
            limit = limits.pop(0)
            connection.update_settings({h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit})
            writer.write(connection.data_to_send())
            self.allowed.add(limit)
            if limits:
                self.loop.call_later(0.1, say)
        self.loop.call_later(0.1, say)


class Receiver:
    """An HTTPS server that takes POSTs: a Web Push service, or a webhook's receiver. `script[path]` holds
    (status, headers) to answer first, or bytes that stand for the whole answer; afterwards `status`."""

    def __init__(self, certificates, status):
        receiver = self
        self.script, self.arrivals = {}, Arrivals()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                steps = receiver.script.get(self.path) or [(status, {})]
                step = steps.pop(0)
                if isinstance(step, bytes):
                    receiver.arrivals.add({"path": self.path, "headers": {}, "body": body, "answer": step})
                    self.wfile.write(step)
                    self.close_connection = True
                    return
                code, headers = step
                receiver.arrivals.add({"path": self.path, "headers": {k.lower(): v for k, v in self.headers.items()},
                                       "body": body, "answer": code})
                self.send_response(code)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.socket = certificates.server.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.origin = f"https://localhost:{self.port}"

    def at(self, path):
        return [item for item in self.arrivals.items if item["path"] == path]
