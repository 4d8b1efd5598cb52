"""Delivery to the outside against other sides of our own: APNs over HTTP/2 with TLS, Web Push, webhooks.

Everything that arrives is read by code that shares nothing with the server: headers, provider tokens and
VAPID tokens are verified, payloads decrypted, signatures recomputed. Each status is played back once.
"""
import argparse
import base64
import hashlib
import hmac
import http.client
import json
import subprocess
import sys
import tempfile
import threading
import time

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

import service_worker
from brume_server import Refused, Server
from other_sides import Apple, Certificates, Receiver

TEAM, KEY_ID, TOPIC = "TEAM123456", "KEY1234567", "org.example.app"
ZONE = {"zoneName": "Notes"}
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def unpadded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def verified(token, key):
    """Header and claims of an ES256 token; the test fails if the signature is not the key's."""
    head, claims, signature = token.split(".")
    raw = unpadded(signature)
    check(len(raw) == 64, "the signature of a token has 64 bytes")
    try:
        key.verify(encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
                   f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        raise SystemExit("FAILED: a token is not signed by its key")
    return json.loads(unpadded(head)), json.loads(unpadded(claims))


class Browser:
    """A push subscription, and reading what it gets (RFC 8291)."""

    def __init__(self, service, path):
        self.service, self.path = service, path
        self.private, self.secret = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"
        self.public = self.private.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)

    def subscription(self):
        def text(data):
            return base64.urlsafe_b64encode(data).decode().rstrip("=")
        return {"endpoint": self.service.origin + self.path, "expirationTime": None,
                "keys": {"p256dh": text(self.public), "auth": text(self.secret)}}

    def decrypt(self, body):
        check(len(body) <= 4096, "a Web Push body has at most 4096 bytes")
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, content = body[21:21 + length], body[21 + length:]
        check(size >= len(content), "one record")
        shared = self.private.exchange(
            ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))

        def derive(secret, salt, info, count):
            return HKDF(hashes.SHA256(), count, salt, info).derive(secret)
        key = derive(shared, self.secret, b"WebPush: info\0" + self.public + sender, 32)
        plain = AESGCM(derive(key, salt, b"Content-Encoding: aes128gcm\0", 16)).decrypt(
            derive(key, salt, b"Content-Encoding: nonce\0", 12), content, None)
        check(plain.rstrip(b"\0")[-1:] == b"\x02", "the record is the last")
        return json.loads(plain.rstrip(b"\0")[:-1])


class World:
    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        self.certificates = Certificates(folder)
        self.apple = Apple(self.certificates)
        self.pushes, self.hooks = Receiver(self.certificates, 201), Receiver(self.certificates, 200)
        self.server = Server(binary, folder + "/data", extra=[
            "--apns-url", f"https://localhost:{self.apple.port}",
            "--apns-sandbox-url", f"https://localhost:{self.apple.port}",
            "--push-trust", self.certificates.root, "--push-allow", "localhost",
            "--webpush-allow", "localhost",
            "--push-timeout", "2", "--push-contact", "mailto:test@example.org"])
        self.server.start()
        self.writer = self.server.client("alice", "writer")

    def tool(self, *arguments, fails=False):
        result = subprocess.run([self.binary, *arguments, "--data", self.folder + "/data"],
                                capture_output=True, text=True)
        check((result.returncode != 0) == fails, f"{arguments}: {result.stdout} {result.stderr}")
        return result.stdout if not fails else result.stderr

    def says(self, *arguments):
        """What a command says beside its output."""
        result = subprocess.run([self.binary, *arguments, "--data", self.folder + "/data"], capture_output=True, text=True)
        check(result.returncode == 0, f"{arguments}: {result.stdout} {result.stderr}")
        return result.stderr

    def own(self, path, body, device, user="alice"):
        """A call under /_brume as a device."""
        values, client = self.server.values, self.server.client(user, device)
        connection = http.client.HTTPConnection(*self.server.address, timeout=120)
        connection.request("GET" if body is None else "POST",
                           f"/_brume/{path}?container={values['BRUME_CONTAINER']}"
                           f"&environment=development&{client.credentials()}",
                           None if body is None else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def phone(self, name, token, environment="production"):
        status, answer = self.own("devices", {"apns": {"token": token, "environment": environment}}, name)
        check(status == 200, f"registering {name}: {answer}")

    def save(self, name, **fields):
        fields = {key: {"value": value} for key, value in fields.items()}
        self.writer.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
            "recordName": name, "recordType": "Note", "fields": fields}}]})

    def log(self, *arguments):
        lines = self.tool("push", "log", "--json", "--limit", "1000", *arguments)
        return [json.loads(line) for line in lines.splitlines()]

    def devices(self):
        return {json.loads(line)["device"] for line in self.tool("devices", "list", "--json").splitlines()}

    def until(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.1)
        raise SystemExit(f"did not happen in {seconds} s: {what}")


def prepare(world):
    """Zones and subscriptions: silent ones for the zone, an alert for urgent notes."""
    world.key = ec.generate_private_key(ec.SECP256R1())
    file = world.folder + "/AuthKey.p8"
    with open(file, "wb") as stream:
        stream.write(world.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    world.tool("apns", "add", "--team", TEAM, "--key-id", KEY_ID, "--key-file", file, "--topic", TOPIC)
    check(TOPIC in world.tool("apns", "list") and "PRIVATE" not in world.tool("apns", "list", "--json"),
          "the list of keys shows no key")
    world.writer.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    world.save("first", text="x", urgent=0)
    alert = {"subscriptionID": "urgent", "subscriptionType": "query", "zoneWide": True, "firesOn": ["create"],
             "query": {"recordType": "Note", "filterBy": [
                 {"fieldName": "urgent", "comparator": "EQUALS", "fieldValue": {"value": 1}}]},
             "notificationInfo": {"alertLocalizationKey": "NOTE", "alertLocalizationArgs": ["text"],
                                  "soundName": "default", "shouldBadge": True}}
    silent = {"subscriptionID": "zone", "subscriptionType": "zone", "zoneID": ZONE,
              "notificationInfo": {"shouldSendContentAvailable": True}}
    for subscription in (alert, silent):
        answer = world.writer.call("subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": subscription}]})
        check("serverErrorCode" not in json.dumps(answer), f"subscription: {answer}")


def apns_headers(world):
    world.phone("phone", "AB" * 32)
    world.save("hello", text="Milk", urgent=1)
    token = "ab" * 32
    world.apple.arrivals.wait(lambda all: len([1 for item in all if item["token"] == token]) >= 2, "two pushes")
    arrived = world.apple.to(token)
    alert = next(item for item in arrived if item["headers"]["apns-push-type"] == "alert")
    silent = next(item for item in arrived if item["headers"]["apns-push-type"] == "background")
    for item in arrived:
        headers = item["headers"]
        check(headers[":method"] == "POST" and headers[":path"] == f"/3/device/{token}", "path")
        check(headers["apns-topic"] == TOPIC, "topic")
        check(len(headers["apns-id"]) == 36 and headers["apns-id"] == headers["apns-id"].lower(), "apns-id")
        check(0 < int(headers["apns-expiration"]) - time.time() <= 30 * 86400, "expiration")
        check(len(item["body"]) <= 4096, "at most 4096 bytes")
        head, claims = verified(headers["authorization"].removeprefix("bearer "), world.key.public_key())
        check(head["alg"] == "ES256" and head["kid"] == KEY_ID, "token's header")
        check(claims["iss"] == TEAM and abs(claims["iat"] - time.time()) < 60, "token's claims")
    check(len({item["headers"]["authorization"] for item in arrived}) == 1, "one provider token for all")
    check(alert["headers"]["apns-priority"] == "10" and silent["headers"]["apns-priority"] == "5", "priorities")
    check(alert["headers"]["apns-id"] != silent["headers"]["apns-id"], "each push has an ID of its own")
    body, quiet = json.loads(alert["body"]), json.loads(silent["body"])
    check(body["aps"]["alert"] == {"loc-key": "NOTE", "loc-args": ["Milk"]}, f"alert: {body}")
    check(body["aps"]["badge"] == 1 and body["aps"]["sound"] == "default", "badge and sound")
    check(body["ck"]["qry"]["rid"] == "hello" and body["ck"]["qry"]["dbs"] == 1, "native numbers")
    check(quiet["aps"] == {"content-available": 1} and quiet["ck"]["fet"]["zid"] == "Notes", f"silent: {quiet}")
    check(quiet["ck"]["nid"] == body["ck"]["nid"], "one nid for a change")


def apns_statuses(world):
    """Every answer, played back once to a device of its own."""
    newer, older = int((time.time() + 3600) * 1000), 1000
    cases = {  # answer first, is sent again, device stays
        "c1": ((500, "InternalServerError", {}), True, True),
        "c2": ((503, "ServiceUnavailable", {"retry-after": "1"}), True, True),
        "c3": ((429, "TooManyRequests", {"retry-after": "1"}), True, True),
        "c4": ((400, "BadDeviceToken", {}), False, True),
        "c5": ((400, "BadCollapseId", {}), False, True),
        "c6": ((413, "PayloadTooLarge", {}), True, True),
        "c7": ((410, "Unregistered", {"timestamp": newer}), False, False),
        "c8": ((410, "Unregistered", {"timestamp": older}), True, True),
        "c9": ("silence", True, True),
        "ca": ("reset", True, True),
        "cb": ("goaway", True, True),
    }
    # Those that break the connection come first: they may take others' answers along, which then come twice.
    breaking = {name: case for name, case in cases.items() if isinstance(case[0], str)}
    play_statuses(world, "breaking", breaking)
    play_statuses(world, "statuses", {name: case for name, case in cases.items() if name not in breaking})


def play_statuses(world, record, cases):
    tokens = {name: name * 32 for name in cases}
    for name, (answer, _, _) in cases.items():
        world.phone(name, tokens[name])
        world.apple.script[tokens[name]] = [answer]
    world.save(record, text="x", urgent=0)
    for name, (answer, again, _) in cases.items():
        count = 2 if again else 1
        world.apple.arrivals.wait(lambda _: len(world.apple.to(tokens[name])) >= count, f"{name} {answer}", 120)
    world.until(lambda: not any(line["verdict"] == "retry" and not any(
        done["device"] == line["device"] and done["verdict"] != "retry" for done in world.log())
        for line in world.log()), "every push has its end")
    left = world.devices()
    for name, (answer, again, stays) in cases.items():
        arrived = world.apple.to(tokens[name])
        exact = record != "breaking"
        check(len(arrived) == (2 if again else 1) if exact else len(arrived) >= 2, f"{answer}: {len(arrived)} times")
        check(len({item["headers"]["apns-id"] for item in arrived}) == 1, f"{answer}: the same ID")
        check((name in left) == stays, f"{answer}: device {'stays' if stays else 'goes'}")
        if name in ("c2", "c3"):
            check(arrived[1]["time"] - arrived[0]["time"] >= 1, f"{answer}: Retry-After")
        verdicts = [line["verdict"] for line in world.log("--device", name)]
        check(verdicts[-1] == ("gone" if not stays else "sent" if again else "refused"), f"{answer}: {verdicts}")


def again_by_hand(world):
    """What failed waits for minutes; an operator who has mended what was in the way need not."""
    tokens = {"w1": "e1" * 32, "w2": "e2" * 32}
    world.apple.script[tokens["w1"]] = [(429, "TooManyRequests", {"retry-after": "600"})]
    world.apple.script[tokens["w2"]] = [(403, "InvalidProviderToken", {})]
    world.phone("w1", tokens["w1"])
    world.save("waits", text="x", urgent=0)
    world.until(lambda: [line["verdict"] for line in world.log("--device", "w1")] == ["retry"], "Apple asks to wait")
    check("nothing waits" in world.says("push", "retry", "--device", "nobody"), "a device that is not there waits for nothing")
    check("1 device" in world.says("push", "retry", "--user", "alice", "--device", "w1"), "one is sent to again")
    world.until(lambda: [line["verdict"] for line in world.log("--device", "w1")] == ["retry", "sent"], "and at once")
    # A key that Apple refused is not asked about for five minutes, but when somebody says so.
    world.phone("w2", tokens["w2"])
    world.save("refused", text="x", urgent=0)
    world.until(lambda: "retry" in [line["verdict"] for line in world.log("--device", "w2")], "Apple refuses the key")
    # Others whose push was under way then learn of the refusal a moment later.
    world.until(lambda: "nothing waits" in world.says("push", "retry"), "it is asked again, for everybody")
    world.until(lambda: [line["verdict"] for line in world.log("--device", "w2")][-1] == "sent", "and takes the push")


def apns_limits(world):
    """Apple allows one request until it knows the key, then many; here none as well, for a while."""
    token = "d1" * 32
    world.phone("limited", token)
    world.apple.script[token] = [[1, 1000, 0, 1, 0]]
    world.save("one", text="x", urgent=0)
    world.apple.allowed.wait(lambda limits: len(limits) == 5, "five limits, with nothing under way")
    # This push waits for the last one.
    world.save("two", text="x", urgent=0)
    world.apple.loop.call_soon_threadsafe(world.apple.allow_again)
    world.apple.arrivals.wait(lambda _: len(world.apple.to(token)) >= 2, "a push while the limit changes")
    world.until(lambda: [line["verdict"] for line in world.log("--device", "limited")] == ["sent", "sent"],
                "each push taken at the first attempt")


def apns_teams(world):
    """Two teams' apps in one container: each has connections of its own."""
    file = world.folder + "/AuthKey.p8"
    world.tool("apns", "add", "--team", "OTHER12345", "--key-id", "OTHERKEY12", "--key-file", file, "--topic", "org.example.watch")
    token = "d2" * 32
    status, answer = world.own("devices", {
        "apns": {"token": token, "environment": "production", "topic": "org.example.watch"}}, "watch")
    check(status == 200, f"registering watch: {answer}")
    world.save("teams", text="x", urgent=0)
    world.until(lambda: [line["verdict"] for line in world.log("--device", "watch")] == ["sent"], "the other team's push")
    check(world.apple.to(token)[0]["headers"]["apns-topic"] == "org.example.watch", "the other team's topic")
    world.tool("apns", "remove", "org.example.watch")


def web_push(world):
    status, answer = world.own("webpush/key", None, "browser")
    public = unpadded(answer["publicKey"])
    check(status == 200 and len(public) == 65, "the key that browsers need")
    browser, gone, full = (Browser(world.pushes, path) for path in ("/s/one", "/s/gone", "/s/full"))
    world.pushes.script = {"/s/gone": [(410, {})], "/s/full": [(429, {"retry-after": "1"}), (413, {})]}
    for name, each in (("browser", browser), ("gone", gone), ("full", full)):
        status, answer = world.own("devices", {"webPush": each.subscription()}, name)
        check(status == 200, f"registering {name}: {answer}")
    world.save("web", text="Brot", urgent=1)
    world.pushes.arrivals.wait(lambda _: len(world.pushes.at("/s/one")) == 2, "two messages")
    sender = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), public)
    payloads = []
    for item in world.pushes.at("/s/one"):
        headers, payload = item["headers"], browser.decrypt(item["body"])
        payloads.append(payload)
        is_alert = "alert" in payload["aps"]
        check(headers["content-encoding"] == "aes128gcm" and 0 < int(headers["ttl"]) <= 2419200, "TTL")
        check(headers["urgency"] == ("high" if is_alert else "normal"), "urgency")
        check(("topic" in headers) != is_alert and len(headers.get("topic", "")) <= 32, "topic")
        scheme, proof = headers["authorization"].split(" ", 1)
        parts = dict(part.strip().split("=", 1) for part in proof.split(","))
        check(scheme == "vapid" and unpadded(parts["k"]) == public, "VAPID key")
        _, claims = verified(parts["t"], sender)
        check(claims["aud"] == world.pushes.origin and claims["sub"] == "mailto:test@example.org", f"{claims}")
        check(0 < claims["exp"] - time.time() <= 86400, "VAPID expiry")
    alert = next(payload for payload in payloads if "alert" in payload["aps"])
    check(alert["ck"]["qry"]["dbs"] == 1 and alert["ck"]["qry"]["rid"] == "web", "the web's numbers")
    world.until(lambda: "gone" not in world.devices(), "a subscription that ended is forgotten")
    world.pushes.arrivals.wait(lambda _: len(world.pushes.at("/s/full")) >= 4, "429, then 413, then taken")
    sizes = [len(item["body"]) for item in world.pushes.at("/s/full") if item["answer"] == 413]
    check(len(sizes) == 1, "413 once")
    world.alert = alert


def in_a_browser(world):
    """What the browser got, shown by a service worker in headless Chromium where there is one."""
    if service_worker.binary() is None:
        print("   chromium is not installed: not shown in a browser")
        return
    notifications = service_worker.shown(world.alert, world.folder + "/browser")
    check(notifications == [{"body": "Brot", "data": {"nid": world.alert["ck"]["nid"], "record": "web"}}],
          f"shown: {notifications}")


def forgery(world):
    """No endpoint of ours may be registered, nor one that only looks like somebody else's."""
    for endpoint in ("http://localhost/x", "https://127.0.0.1/x", "https://169.254.169.254/latest", "https://[::1]/x",
                     "https://0x7f.0.0.1/", "https://2130706433/", "https://10.0.0.1/", "https://a:b@example.org/",
                     "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "ftp://localhost/", "https://100.64.0.1/"):
        if endpoint == "http://localhost/x":
            continue  # this test's operator allows localhost
        body = {"webPush": {**Browser(world.pushes, "/").subscription(), "endpoint": endpoint}}
        status, answer = world.own("devices", body, "forger")
        check(status == 400, f"{endpoint}: {status} {answer}")
        check(world.tool("webhook", "add", endpoint, fails=True), f"webhook {endpoint}")
    check("forger" not in world.devices(), "nothing was registered")


def webhooks(world):
    identifier, secret = world.tool("webhook", "add", world.hooks.origin + "/hook").split()
    key = base64.b64decode(secret.removeprefix("whsec_"))
    world.hooks.script["/hook"] = [(500, {}), (302, {"location": "http://127.0.0.1:1/"})]
    names = [f"hook{number}" for number in range(5)]
    for name in names:
        world.save(name, text="x", urgent=0)

    def delivered(items):
        saved = [change["recordName"] for item in items if item["answer"] == 200
                for change in json.loads(item["body"])["changes"]]
        return saved == names
    items = world.hooks.arrivals.wait(delivered, "all changes, in order, once")
    for item in items:
        headers = item["headers"]
        content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + item["body"]
        expected = "v1," + base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
        check(headers["webhook-signature"] == expected, "signature")
        check(abs(int(headers["webhook-timestamp"]) - time.time()) < 60, "timestamp")
    check(len({item["headers"]["webhook-id"] for item in items[:3]}) == 1, "a repeat has the same ID")
    check(len({item["body"] for item in items[:3]}) == 1, "a repeat is the same call")
    first = json.loads(items[0]["body"])["changes"][0]
    check(first["type"] == "record.created" and first["record"]["fields"]["text"]["value"] == "x", f"{first}")
    check(identifier in world.tool("webhook", "list") and secret not in world.tool("webhook", "list", "--json"),
          "the list shows no secret")
    test = world.tool("push", "test", "--webhook", identifier).strip()
    world.hooks.arrivals.wait(lambda items: items[-1]["headers"]["webhook-id"] == test, "the test call")
    line, = world.log("--notification", test)
    check(line["verdict"] == "sent" and line["status"] == 200 and line["device"] == identifier, f"{line}")
    world.hooks.script["/hook"] = [(410, {})]
    world.save("last", text="x", urgent=0)
    world.until(lambda: json.loads(world.tool("webhook", "list", "--json"))["state"] == "off", "410 switches it off")
    check("answered 410" in world.tool("webhook", "list"), "and says why")
    world.tool("webhook", "enable", identifier)
    world.hooks.arrivals.wait(lambda items: "last" in items[-1]["body"].decode() and items[-1]["answer"] == 200,
                              "switched on again, it goes on where it stopped")
    world.tool("webhook", "remove", identifier)


def mean_answers(world):
    """What a receiver may answer that is no answer: the call fails, is tried again, and nothing else is harmed."""
    head, empty = b"HTTP/1.1 ", b" X\r\ncontent-length: 0\r\n\r\n"
    answers = [
        head + b"000" + empty, head + b"099 X\r\ncontent-length: 1\r\n\r\nx",
        head + b"103 X\r\ncontent-length: 1\r\n\r\nx", head + b"100 X\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n",
        head + b"200 OK\r\nconte", b"\0\1\2 nonsense\r\n\r\n", head + b"200 OK\r\ncontent-length: -1\r\n\r\n"]
    added = {}
    for number, answer in enumerate(answers):
        world.hooks.script[f"/mean/{number}"] = [answer]
        added[number] = world.tool("webhook", "add", world.hooks.origin + f"/mean/{number}").split()[0]
    world.save("mean", text="x", urgent=0)
    for number, answer in enumerate(answers):
        path = f"/mean/{number}"
        world.hooks.arrivals.wait(lambda _: [item["answer"] for item in world.hooks.at(path)][:2] == [answer, 200],
                                  f"a second call after {answer}")
        world.until(lambda: [line["verdict"] for line in world.log("--device", added[number])] == ["retry", "sent"],
                    f"failed, then taken: {answer}")
        world.tool("webhook", "remove", added[number])


def trace(world):
    """From the request that saved a record to Apple's answer."""
    nid = json.loads(next(item for item in world.apple.to("ab" * 32) if b"hello" in item["body"])["body"])["ck"]["nid"]
    lines = world.log("--notification", nid)
    check({line["subscription"] for line in lines} == {"urgent", "zone"}, "both subscriptions")
    request = lines[0]["request"]
    check({line["position"] for line in world.log("--request", request)} == {line["position"] for line in lines},
          "the request leads to its pushes")
    check(all(line["user"] == "alice" and line["status"] == 200 for line in lines), f"{lines}")
    text = json.dumps(world.log())
    for secret in ("ab" * 32, "/s/one", "/hook", "PRIVATE"):
        check(secret not in text, f"the log has a secret: {secret}")
    metrics = http.client.HTTPConnection(*world.server.address)
    metrics.request("GET", "/_brume/metrics")
    text = metrics.getresponse().read().decode()
    for series in ('brume_pushes_total{channel="apns",verdict="sent"}', 'channel="webpush",verdict="gone"',
                   'channel="webhook",verdict="retry"', "brume_push_seconds_count"):
        check(series in text, f"metrics: {series}")


class Watching:
    """A `brume push tail` that runs, and what it prints. It is ended if it says nothing for too long."""

    def __init__(self, world, *arguments):
        self.process = subprocess.Popen(
            [world.binary, "push", "tail", *arguments, "--data", world.folder + "/data"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.timer = threading.Timer(30, self.process.kill)
        self.timer.start()

    def until(self, condition, what, raw=False):
        for line in self.process.stdout:
            if condition(line if raw else json.loads(line)):
                return
        raise SystemExit(f"brume push tail never showed {what}")

    def end(self):
        self.timer.cancel()
        self.process.kill()
        self.process.wait()


def watched(world):
    """`brume push tail`, of everybody and as a device, while `brume push test` and a save are delivered."""
    status, answer = world.own("devices", {"apns": {"token": "ef" * 32, "environment": "production"}}, "pad", "bob")
    check(status == 200, f"registering pad: {answer}")
    table = Watching(world)
    table.until(lambda line: "verdict" in line, "a heading", raw=True)
    log, device = Watching(world, "--json"), Watching(world, "--user", "bob", "--device", "tail")
    try:
        world.until(lambda: "tail" in world.devices(), "the tail is a device")
        nid = world.tool("push", "test", "--user", "bob", "--text", "a word").strip()
        device.until(lambda push: push["ck"]["nid"] == nid and "a word" in json.dumps(push["aps"]), "the test push")
        sent = set()
        def both(line):
            if line["notification"] == nid and line["verdict"] == "sent":
                sent.add((line["user"], line["device"], line["channel"]))
            return sent == {("bob", "pad", "apns"), ("bob", "tail", "stream")}
        log.until(both, "Apple's answer and the stream's acknowledgement")
        check(len(world.apple.to("ef" * 32)) == 1, "the test push at Apple")
        headings = []
        table.until(lambda line: headings.append("verdict" in line) or nid in line, "the test push", raw=True)
        check(not any(headings), "the heading stands once")
    finally:
        table.end()
        log.end()
        device.end()


def signed_out(world):
    """Whoever signed out is not reached; after signing in again the device gets what waited."""
    world.tool("user", "signout", "bob")
    world.tool("push", "test", "--user", "bob", "--text", "waits")
    channels = [line["channel"] for line in map(json.loads, world.tool("devices", "list", "--json").splitlines())
                if line["user"] == "bob"]
    check(channels and set(channels) == {"stream"}, f"no address of bob is left: {channels}")
    try:
        status, answer = world.own("devices", {"apns": {"token": "ef" * 32, "environment": "production"}}, "pad", "bob")
    except json.JSONDecodeError:
        status, answer = 0, None
    check(status in (401, 421), f"the old session registers nothing: {status} {answer}")
    # What was sent after the sign-out to somebody else has arrived by now, so bob's push would have.
    world.save("after", text="x", urgent=1)
    world.apple.arrivals.wait(lambda items: b'"after"' in b"".join(item["body"] for item in items), "alice's push")
    check(len(world.apple.to("ef" * 32)) == 1, "nothing for bob while he is signed out")
    world.server.values["BRUME_USER_TOKEN_BOB"] = world.tool("user", "token", "bob").strip()
    status, answer = world.own("devices", {"apns": {"token": "ef" * 32, "environment": "production"}}, "pad", "bob")
    check(status == 200, f"registering pad again: {answer}")
    world.apple.arrivals.wait(lambda _: len(world.apple.to("ef" * 32)) == 2, "what waited for bob")
    check(b"waits" in world.apple.to("ef" * 32)[1]["body"], "it is what was sent meanwhile")


def crash(world):
    """Killed while Apple holds the answer: after the restart the push goes again, with the same ID."""
    token = "cd" * 32
    world.phone("crash", token)
    world.apple.script[token] = ["silence"]
    world.save("crash", text="x", urgent=0)
    world.apple.arrivals.wait(lambda _: len(world.apple.to(token)) == 1, "the first attempt")
    log = Watching(world, "--json")
    log.until(lambda line: line["verdict"] == "sent", "the last lines")
    world.server.kill()
    world.server.start()
    world.apple.arrivals.wait(lambda _: len(world.apple.to(token)) >= 2, "the push after the restart")
    check(len({item["headers"]["apns-id"] for item in world.apple.to(token)}) == 1, "the same ID after a crash")
    # Whoever watches goes on with the server that is there now.
    log.until(lambda line: line["device"] == "crash" and line["verdict"] == "sent", "what was sent after the crash")
    log.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True, help="the program under test")
    binary = parser.parse_args().brume
    with tempfile.TemporaryDirectory() as folder:
        world = World(binary, folder)
        start = time.monotonic()
        try:
            for step in (prepare, apns_headers, apns_statuses, again_by_hand, apns_limits, apns_teams, web_push, in_a_browser, forgery, webhooks, mean_answers, trace, watched,
                         signed_out, crash):
                step(world)
                print(f"   {step.__name__} ok, {time.monotonic() - start:.1f} s", flush=True)
        except Refused as error:
            raise SystemExit(f"FAILED: {error}")
        finally:
            world.server.stop()
    print(f"{checks} checks, {len(world.apple.arrivals.items)} pushes to Apple over {world.apple.connections} connections")


if __name__ == "__main__":
    sys.exit(main())
