"""Traces where the world is: a save over HTTP/2 and TLS, a push to Apple's side over HTTP/2, one to a Web Push service.

Part of tracing.py.
"""
import json
import os

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from brume_server import Server, expect
from channels import TOPIC, ZONE, Browser
from certificates import Authority
from http2_client import Connection
from other_sides import Apple, Certificates, Receiver

TRACE, PARENT, TOKEN = "af7651916cd43dd8448eb211c80319c0", "b7ad6b7169203331", "cd" * 32


class World:
    """A server with TLS that sends its traces to `collector` and its pushes to sides of ours."""

    def __init__(self, brume, folder, collector):
        certificates = Certificates(folder)
        self.apple, self.pushes = Apple(certificates), Receiver(certificates, 201)
        self.authority = Authority(os.path.join(folder, "authority"))
        certificate, key = self.authority.issue("server")
        self.server = Server(brume, os.path.join(folder, "data"), store="memory", extra=[
            "--tls-certificate", certificate, "--tls-key", key, "--otlp-endpoint", collector.url,
            "--apns-url", f"https://localhost:{self.apple.port}", "--push-trust", certificates.root,
            "--webpush-allow", "localhost"]).start()
        secret = os.path.join(folder, "AuthKey.p8")
        with open(secret, "wb") as file:
            file.write(ec.generate_private_key(ec.SECP256R1()).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        self.server.tool("apns", "add", "--team", "TEAM123456", "--key-id", "KEY1234567", "--key-file", secret,
                         "--topic", TOPIC)
        self.connection = Connection(self.server.address, self.authority.root)

    def ask(self, path, body, device, headers=()):
        """A call of alice's over the one connection, which speaks HTTP/2."""
        values = self.server.values
        credentials = self.server.client("alice", device).credentials()
        place = path.format(container=values["BRUME_CONTAINER"])
        joint = "&" if "?" in place else "?"
        status, _, answer = self.connection.ask(
            "POST", f"{place}{joint}{credentials}", json.dumps(body).encode(), list(headers))
        if status != 200 or b"serverErrorCode" in answer:
            raise SystemExit(f"FAILED: {path}: {status} {answer[:300]}")

    def records(self, endpoint, body, headers=()):
        self.ask(f"/database/1/{{container}}/development/private/{endpoint}", body, "writer", headers)

    def register(self, device, channel):
        self.ask("/_brume/devices?container={container}&environment=development", channel, device)

    def prepare(self):
        self.records("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        self.records("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "all", "subscriptionType": "zone", "zoneID": ZONE,
            "notificationInfo": {"shouldSendContentAvailable": True}}}]})
        self.register("phone", {"apns": {"token": TOKEN, "environment": "production"}})
        self.browser = Browser(self.pushes, "/s/one")
        self.register("browser", {"webPush": self.browser.subscription()})


def save_over_http2_to_both_services(brume, folder, collector, wait, attributes):
    """`collector`, `wait` and `attributes` are tracing.py's."""
    print("== a save over HTTP/2, delivered to Apple's side and to a Web Push service")
    os.makedirs(os.path.join(folder, "authority"))
    world = World(brume, folder, collector)
    world.prepare()
    world.records("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": "first", "fields": {"text": {"value": "a secret text"}}}}]},
        headers=[("traceparent", f"00-{TRACE}-{PARENT}-01")])
    world.apple.arrivals.wait(lambda _: world.apple.to(TOKEN), "a push for Apple's side")
    world.pushes.arrivals.wait(lambda _: world.pushes.at("/s/one"), "a push for the browser")

    def spans():
        return {key: span for key, span in collector.spans.items() if span["traceId"] == TRACE}

    def named(name):
        return [span for span in spans().values() if span["name"] == name]

    wait(lambda: named("push apns") and named("push webpush") and len(named("call")) == 2
         and any(span["kind"] == 2 for span in spans().values()), f"all spans: {[s['name'] for s in spans().values()]}")
    all_spans = spans()
    request = next(span for span in all_spans.values() if span["kind"] == 2)
    expect(request["parentSpanId"] == PARENT and attributes(request)["http.response.status_code"] == "200",
           "a request over HTTP/2 goes on with the trace of its traceparent")
    streams = [span for span in collector.spans.values() if span["kind"] == 2]
    expect(len(streams) >= 5 and len({span["traceId"] for span in streams}) == len(streams),
           f"{len(streams)} requests on one connection are {len(streams)} traces")
    for name, status in (("push apns", "200"), ("push webpush", "201")):
        push = named(name)[0]
        call = next(span for span in named("call") if span["parentSpanId"] == push["spanId"])
        expect(attributes(push)["http.response.status_code"] == attributes(call)["http.response.status_code"] == status,
               f"'{name}' and the call inside of it have the answer's status, {status}")
        above = push
        while above["parentSpanId"] in all_spans:
            above = all_spans[above["parentSpanId"]]
        expect(above is request, f"'{name}' is inside of the request")
    sent = [item["headers"] for item in world.apple.to(TOKEN) + world.pushes.at("/s/one")]
    expect(not any("traceparent" in headers or "tracestate" in headers for headers in sent),
           "neither Apple's side nor the push service gets the trace")
    everything = b"".join(body for _, _, body in collector.calls)
    secrets = [TOKEN, "/s/one", world.browser.subscription()["keys"]["auth"], "a secret text", "KEY1234567"]
    expect(not any(secret.encode() in everything for secret in secrets),
           "no span has a device's token, an endpoint, a key or a value")
    expect(world.server.stop() == 0, "the server ends in good order")
