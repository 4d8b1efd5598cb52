"""TLS and HTTP/2 of a real server, by clients that share nothing with it: curl, Python's `h2`, httpx, h2load, Chromium.

usage: secure.py --brume PATH [--first]

With `--first` only files, silent clients and curl: what `make test` runs.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import threading
import time
import urllib.request

import h2.events
import h2.settings
import httpx

import chromium
from brume_server import Server, expect
from certificates import Authority
from http2_client import Connection, Gone, frame

MEMORY = 50 << 20
ENHANCE_YOUR_CALM = 11


class Secure(Server):
    """A server that speaks TLS."""

    def __init__(self, brume, folder, authority, files, extra=()):
        self.authority, self.files = authority, files
        super().__init__(brume, folder, store="memory", log=os.path.join(authority.folder, "server.log"),
                         extra=["--tls-certificate", files[0], "--tls-key", files[1], "--log-level", "warning", *extra])

    def connect(self, **options):
        return Connection(self.address, self.authority.root, **options)

    def path(self, endpoint, user="alice", device="phone"):
        values = self.values
        return (f"/database/1/{values['BRUME_CONTAINER']}/development/private/{endpoint}"
                f"?{self.client(user, device).credentials()}")

    def stream_path(self, device):
        values = self.values
        return (f"/_brume/stream?container={values['BRUME_CONTAINER']}&environment=development"
                f"&{self.client('alice', device).credentials()}")

    def logged(self, text):
        with open(self.log) as file:
            return text in file.read()

    def metric(self, name):
        context = ssl._create_unverified_context()
        with urllib.request.urlopen(f"{self.values['BRUME_URL']}/_brume/metrics", context=context) as answer:
            lines = answer.read().decode().splitlines()
        return next((float(line.split()[-1]) for line in lines if line.startswith(name + " ")), None)

    @property
    def memory(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))


def wait(condition, what):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    raise SystemExit(f"FAILED: {what}")


# MARK: Settings

def refuses_what_cannot_be_used(brume, folder, authority):
    print("== files that cannot be used")
    good, other = authority.issue("good"), authority.issue("other")
    locked = authority.issue("locked", password=b"secret")
    cases = [
        (["--tls-certificate", good[0]], "--tls-key is missing"),
        (["--tls-key", good[1]], "--tls-certificate is missing"),
        (["--tls-certificate", good[0] + ".no", "--tls-key", good[1]], "which cannot be read"),
        (["--tls-certificate", good[1], "--tls-key", good[1]], "holds no certificate in PEM form"),
        (["--tls-certificate", good[0], "--tls-key", good[0]], "holds no private key in PEM form"),
        (["--tls-certificate", good[0], "--tls-key", other[1]], "is not that of the first certificate"),
        (["--tls-certificate", locked[0], "--tls-key", locked[1]], "or one with a password"),
        (["--tls-certificate", good[0], "--tls-key", good[1], "--unix-socket", folder + "/s"], "are both set"),
    ]
    for options, words in cases:
        result = subprocess.run([brume, "serve", "--store", "memory", "--port", "0", "--data", folder + "/refused",
                                 *options], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        expect(result.returncode != 0 and words in result.stderr.replace("\n", " "),
               f"'{words}' is said of it{'' if words in result.stderr else ': ' + result.stderr}")


# MARK: Clients

def curl_speaks_both(server):
    print("== curl")
    for option, version in (("--http2", "2"), ("--http1.1", "1.1")):
        result = subprocess.run(
            ["curl", "--silent", option, "--cacert", server.authority.root, "--write-out", "%{http_version}",
             "--output", "/dev/null", "--fail", server.values["BRUME_URL"] + "/_brume/health/ready"],
            capture_output=True, text=True)
        expect(result.stdout == version, f"speaks HTTP/{version} by TLS {result.stdout}{result.stderr}")
    old = subprocess.run(["curl", "--silent", "--tls-max", "1.1", "--insecure", "--output", "/dev/null",
                          server.values["BRUME_URL"] + "/_brume/health/ready"])
    expect(old.returncode == 35, "TLS 1.1 is refused")


def httpx_saves_at_once(server):
    print("== httpx")
    with httpx.Client(http2=True, verify=ssl.create_default_context(cafile=server.authority.root)) as client:
        body = {"operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": f"n{number}", "fields": {"text": {"value": "x" * 100_000}}}}
            for number in range(10)]}
        answer = client.post(server.values["BRUME_URL"] + server.path("records/modify"), json=body)
        expect(answer.http_version == "HTTP/2" and answer.status_code == 200,
               f"saves ten records of 100 KB in one request {answer.status_code}")
        expect(not {"connection", "transfer-encoding", "keep-alive"} & set(answer.headers),
               "an answer has no fields about the connection")
        query = {"query": {"recordType": "Note", "filterBy": []}}
        found = client.post(server.values["BRUME_URL"] + server.path("records/query"), json=query).json()
        expect(len(found["records"]) == 10, "and reads an answer of a megabyte")
        upload(server, client)


def upload(server, client):
    """An asset of some megabytes, streamed up and down."""
    base = server.values["BRUME_URL"]
    tokens = client.post(base + server.path("assets/upload"),
                         json={"tokens": [{"recordType": "Photo", "recordName": "p", "fieldName": "file"}]}).json()
    content = os.urandom(3 << 20)
    url = tokens["tokens"][0]["url"]
    receipt = client.post(url, content=content, headers={"Content-Type": "application/octet-stream"}).json()
    saved = client.post(base + server.path("records/modify"), json={"operations": [{
        "operationType": "create", "record": {"recordType": "Photo", "recordName": "p", "fields": {
            "file": {"value": receipt["singleFile"]}}}}]}).json()
    address = saved["records"][0]["fields"]["file"]["value"]["downloadURL"].replace("${f}", "file")
    expect(client.get(address).content == content, "a file of 3 MB goes up and comes down")


def a_body_that_waits_is_asked_for(server):
    print("== Expect: 100-continue")
    connection = server.connect()
    stream = begun(connection, [("expect", "100-continue")], server.path("zones/list"))
    event = connection.next()
    while getattr(event, "stream_id", None) != stream or isinstance(event, h2.events.WindowUpdated):
        event = connection.next()
    word = isinstance(event, h2.events.InformationalResponseReceived) and dict(event.headers)[":status"]
    expect(word == "100", f"a client that waits with its body gets 100 Continue {event}")
    connection.h2.send_data(stream, b"{}", end_stream=True)
    connection.flush()
    expect(connection.answer(stream)[0] == 200, "and then its answer")
    status, fields, body = connection.ask("POST", server.path("zones/list"), b"{}", [("expect", "200-maybe")])
    expect(status == 417 and b"'Expect'" in body, f"another expectation is 417 {status}")
    connection.close()
    connection = server.connect()
    status = connection.ask("GET", "/_brume/health/live", headers=[("expect", "100-continue")])[0]
    expect(status == 200, "a request without a body gets its answer")
    connection.close()


def too_large_is_refused_at_once(server):
    connection = server.connect()
    stream = begun(connection, [("content-length", str(17 << 20))], server.path("records/modify"))
    connection.h2.send_data(stream, b"x" * 16_384)
    connection.flush()
    expect(connection.answer(stream)[0] == 413, "a body that is announced beyond the limit is 413 before it comes")
    event = connection.next()
    while not isinstance(event, h2.events.StreamReset):
        event = connection.next()
    expect(event.stream_id == stream, "the rest of it is not read: its stream ends")
    expect(connection.ask("GET", "/_brume/health/live")[0] == 200, "and the connection goes on")
    connection.close()


def load(server):
    program = shutil.which("h2load")
    if not program:
        return print("  not tried: h2load is not installed")
    print("== h2load")
    result = subprocess.run([program, "-n", "2000", "-c", "4", "-m", "50",
                             server.values["BRUME_URL"] + "/_brume/health/live"], capture_output=True, text=True)
    expect("2000 succeeded, 0 failed, 0 errored" in result.stdout, "2,000 requests, 50 at once, all succeed"
           + ("" if "2000 succeeded" in result.stdout else result.stdout))


def push_beside_requests(server):
    print("== an event stream and requests on one connection")
    connection = server.connect()
    stream = connection.send("GET", server.stream_path("listener"))
    event = connection.next()
    while not isinstance(event, h2.events.ResponseReceived):
        event = connection.next()
    expect(dict(event.headers)["content-type"] == "text/event-stream" and "connection" not in dict(event.headers),
           "the stream begins")
    zone = {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]}
    expect(connection.ask("POST", server.path("zones/modify"), json.dumps(zone).encode())[0] == 200,
           "a request is answered on the connection of the stream")
    subscription = {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "all", "subscriptionType": "zone", "zoneID": {"zoneName": "Notes"},
        "notificationInfo": {"shouldSendContentAvailable": True}}}]}
    connection.ask("POST", server.path("subscriptions/modify"), json.dumps(subscription).encode())
    for number in range(2):
        save(server, f"pushed-{number}")
        events = read_events(connection, stream, 1)
        expect(len(events) == 1 and "pushed" not in events[0], f"push {number + 1} comes by the stream")
        time.sleep(1.1)  # Beyond the time within which silent pushes merge.
    return connection, stream


def save(server, name):
    """By another device."""
    connection = server.connect()
    body = {"operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": name, "fields": {}}}], "zoneID": {"zoneName": "Notes"}}
    status, _, answer = connection.ask("POST", server.path("records/modify", device="writer"), json.dumps(body).encode())
    expect(status == 200 and b"serverErrorCode" not in answer, f"{name} is saved")
    connection.close()


def read_events(connection, stream, count):
    """So many `data:` lines."""
    text = ""
    while text.count("\ndata: ") < count or not text.endswith("\n\n"):
        event = connection.next()
        if isinstance(event, h2.events.DataReceived) and event.stream_id == stream:
            text += event.data.decode()
        elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)) and event.stream_id == stream:
            raise SystemExit(f"FAILED: the stream ended after {text!r}")
    return [line for line in text.splitlines() if line.startswith("data: ")]


def swift_client(server):
    print("== the Swift client")
    environment = {**os.environ, "BRUME_URL": server.values["BRUME_URL"], "BRUME_TRUST": server.authority.root,
                   "BRUME_ADMIN_TOKEN": json.load(open(os.path.join(server.folder, "server.json")))["adminToken"]}
    command = [server.binary, "records", "get", "n1", "--user", "alice"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    expect(result.returncode == 0 and '"n1"' in result.stdout, f"trusts the root of BRUME_TRUST {result.stderr}")
    environment.pop("BRUME_TRUST")
    result = subprocess.run(command, env=environment, capture_output=True, text=True)
    expect(result.returncode != 0 and "no server answers" in result.stderr, "and nobody else's certificate without it")
    text = server.tool("records", "get", "n2", "--user", "alice")
    expect('"n2"' in text, "a command by the data folder needs neither")


def browser_speaks_http2(server):
    program = chromium.find()
    if not program:
        return print("  not tried: Chromium is not installed")
    print("== Chromium and brume.js")
    browser = chromium.Chromium(program, options=["--ignore-certificate-errors"])
    try:
        page = browser.page(server.values["BRUME_URL"] + "/_brume/health/live")
        values = server.values
        answer = page.run(f"""(async () => {{
          const {{ Container }} = await import("/_brume/client/brume.js");
          const container = new Container({{
            url: location.origin, container: {json.dumps(values['BRUME_CONTAINER'])},
            apiToken: {json.dumps(values['BRUME_API_TOKEN'])},
            webAuthToken: {json.dumps(values['BRUME_USER_TOKEN_ALICE'])}, deviceID: "browser" }});
          const saved = await container.privateDatabase.saveRecord(
            {{ recordType: "Note", recordName: "from-browser", fields: {{ text: "hello" }} }});
          const protocols = performance.getEntriesByType("resource").map((entry) => entry.nextHopProtocol);
          return {{ name: saved.recordName, protocols: [...new Set(protocols)] }};
        }})()""")
        expect(answer == {"name": "from-browser", "protocols": ["h2"]}, f"saves by HTTP/2 {answer}")
    finally:
        browser.end()


# MARK: Clients that do not behave (reliability, row I8)

def floods_end_the_connection(server):
    print("== floods")
    before = server.memory
    floods = {
        "10,000 streams that are reset at once": rapid_reset,
        "100,000 PING": lambda connection: connection.raw(frame(6, 0, 0, b"12345678") * 100_000),
        "100,000 SETTINGS": lambda connection: connection.raw(frame(4, 0, 0) * 100_000),
        "100,000 PRIORITY": lambda connection: connection.raw(frame(2, 0, 1, b"\0\0\0\0\x10") * 100_000),
        "100,000 empty DATA frames": empty_data,
        "a header of 100,000 CONTINUATION frames": continuations,
        "a header that unpacks to 64 MB": header_bomb,
    }
    for what, flood in floods.items():
        connection = server.connect()
        try:
            connection.settle()
            flood(connection)
        except Gone:
            pass
        code = connection.until_closed()
        expect(code != 0, f"{what}: the connection is closed (last word: {code})")
    grown = server.memory - before
    expect(grown < MEMORY, f"the server has grown by {grown >> 20} MB, fewer than 50")


def rapid_reset(connection):
    for _ in range(10_000):
        stream = connection.h2.get_next_available_stream_id()
        connection.h2.send_headers(stream, connection.head("GET", "/_brume/health/ready"), end_stream=True)
        connection.h2.reset_stream(stream)
        connection.flush()


def begun(connection, headers=(), path="/_brume/signin/password"):
    """A request whose body is to come."""
    stream = connection.h2.get_next_available_stream_id()
    connection.h2.send_headers(stream, connection.head("POST", path, headers))
    connection.flush()
    return stream


def empty_data(connection):
    connection.raw(frame(0, 0, begun(connection)) * 100_000)


def continuations(connection):
    connection.raw(frame(1, 0, 1, b""))
    connection.raw(frame(9, 0, 1, b"\x40\x01a\x01b") * 100_000)


def header_bomb(connection):
    """One long field in the table, named a thousand times."""
    block = b"\x82\x87\x84\x41\x0127.0.0.1".replace(b"\x0127.0.0.1", b"\x09127.0.0.1")
    block += b"\x40\x01a\x7f\x81\x1e" + b"b" * 4000 + b"\xbe" * 16_000
    connection.raw(frame(1, 0, 1, block[:16_000]) + frame(9, 4, 1, block[16_000:32_000]))


def unread_answers_are_bounded(server):
    """Clients that allow nothing to be sent: look-ups of 200 KB, 300 at once."""
    print("== unread answers")
    first = server.connect()
    names = [f"unread-{number}" for number in range(13)]
    for name in names:
        record = {"recordType": "Note", "recordName": name, "fields": {"text": {"value": "x" * 15_000}}}
        body = json.dumps({"operations": [{"operationType": "create", "record": record}]}).encode()
        expect(first.ask("POST", server.path("records/modify"), body)[0] == 200, f"{name} is saved")
    look = json.dumps({"records": [{"recordName": name} for name in names]}).encode()
    before, statuses, connections = server.memory, [], []
    for _ in range(3):
        connection = server.connect()
        connection.h2.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0})
        connection.flush()
        connection.settle()
        for _ in range(100):
            connection.send("POST", server.path("records/lookup"), look)
        waiting = 100
        while waiting:
            event = connection.next()
            if isinstance(event, h2.events.ResponseReceived):
                statuses.append(dict(event.headers)[":status"])
                waiting -= 1
        connections.append(connection)
    # What one user may have of answers that are not large.
    fitting = (24 << 20) // (13 * 15_000)
    expect(100 < statuses.count("200") <= fitting and set(statuses) == {"200", "503"},
           f"{statuses.count('200')} of 300 are kept, the others refused")
    expect(server.memory - before < 2 * MEMORY, f"the server has grown by {(server.memory - before) >> 20} MB")
    for connection in connections:
        connection.close()
    wait(lambda: first.ask("POST", server.path("records/lookup"), look)[0] == 200, "when they have gone, there is room")
    expect(True, "when they have gone, there is room")
    first.close()


def what_is_malformed_reaches_nobody(server):
    print("== malformed requests")
    for path in ("/a\r\nX-Evil: 1", "/a\nb", ""):
        connection = server.connect()
        try:
            status, _, body = connection.ask("GET", path)
            expect(status == 400, f"{path!r} is refused with {status}")
        except (ConnectionResetError, Gone):
            expect(True, f"{path!r} is refused")
        connection.close()
    connection = server.connect()
    connection.authority = "evil.example"
    expect(connection.ask("GET", "/_brume/metrics")[0] == 403, "a name that is not the server's is 403")
    connection.close()
    connection = server.connect()
    status = connection.ask("GET", "/_brume/health/live", headers=[("host", connection.authority)])[0]
    expect(status == 200, "a Host that says the same as the authority may stand beside it")
    status = connection.ask("GET", "/_brume/health/live", headers=[("host", "other.example")])[0]
    expect(status == 400, "another one may not")
    connection.close()


def silence_ends(brume, folder, authority, files):
    print("== clients that say nothing")
    server = Secure(brume, folder + "/silent", authority, files,
                    ["--timeout-header", "1", "--timeout-idle", "1", "--timeout-body", "1"]).start()
    plain = socket.create_connection(server.address, timeout=120)
    expect(plain.recv(100) == b"", "a connection without a handshake is closed")
    connection = server.connect()
    expect(connection.until_closed() == 0, "one without a request is sent GOAWAY and closed")
    connection = server.connect()
    connection.settle()
    connection.raw(frame(1, 1, 1, b"\x82"))
    code = connection.until_closed()
    expect(code == 0, f"one whose header has no end too ({code})")
    connection = server.connect()
    expect(connection.ask("GET", "/_brume/health/live")[0] == 200, "one that has been answered")
    expect(connection.until_closed() == 0, "is closed when it is idle")
    connection = server.connect()
    stream = connection.h2.get_next_available_stream_id()
    connection.h2.send_headers(stream, connection.head("POST", server.path("records/modify")))
    connection.flush()
    event = connection.next()
    while not isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
        event = connection.next()
    expect(isinstance(event, h2.events.StreamReset) and event.stream_id == stream,
           "a body that does not come ends its stream")
    connection.close()
    server.stop()


def many_requests_at_once(server):
    """More than may be open: the client learns the bound and keeps it; who does not is refused."""
    connection = server.connect()
    while not connection.h2.remote_settings.max_concurrent_streams == 100:
        connection.next()
    streams = [begun(connection) for _ in range(100)]
    raw = connection.h2.get_next_available_stream_id()
    expect(raw == streams[-1] + 2, "a hundred requests are open at once")
    connection.raw(frame(1, 5, raw, b"\x82\x87\x84\x41\x09127.0.0.1"))
    try:
        event = connection.next()
        while not (isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated))):
            event = connection.next()
    except Gone:
        event = None
    expect(True, f"the next one is refused ({event})")
    connection.close()


# MARK: Reload

def certificates_are_renewed(server, authority, open_connection):
    print("== reload")
    connection, stream = open_connection
    serial = server.connect().certificate["serialNumber"]
    fresh = authority.issue("fresh")
    for old, new in zip(server.files, fresh):
        shutil.copyfile(new, old)
    server.process.send_signal(signal.SIGHUP)
    wait(lambda: server.connect().certificate["serialNumber"] != serial, "new connections get the new certificate")
    expect(True, "new connections get the new certificate")
    save(server, "after-reload")
    expect(len(read_events(connection, stream, 1)) == 1, "the open stream goes on")
    with open(server.files[1], "w") as file:
        file.write("no key")
    serial = server.connect().certificate["serialNumber"]
    server.process.send_signal(signal.SIGHUP)
    wait(lambda: server.logged("are refused; the old ones stay") and server.logged("holds no private key"),
         "a key that cannot be used is refused in the log")
    expect(server.connect().certificate["serialNumber"] == serial, "and the old certificate stays")


def expired_is_reported(brume, folder, authority):
    print("== an expired certificate")
    server = Secure(brume, folder + "/expired", authority, authority.issue("expired", days=-1)).start()
    wait(lambda: server.logged("the TLS certificate has expired"), "the log says so")
    end = server.metric("brume_tls_certificate_end_timestamp_seconds")
    expect(abs(time.time() - 86_400 - end) < 300, "a metric has its last second")
    result = subprocess.run([brume, "doctor", "--data", server.folder], capture_output=True, text=True)
    expect(result.returncode == 1 and "the TLS certificate has expired" in result.stdout, "doctor finds it")
    server.stop()


def an_open_key_is_a_warning(brume, folder, authority):
    print("== a key that every user may read")
    files = authority.issue("open")
    os.chmod(files[1], 0o644)
    server = Secure(brume, folder + "/open", authority, files).start()
    wait(lambda: server.logged("every user of this machine"), "the log says so")
    given = {**os.environ, "BRUME_TLS_CERTIFICATE": files[0], "BRUME_TLS_KEY": files[1]}
    words = [brume, "doctor", "--data", server.folder]
    result = subprocess.run(words, capture_output=True, text=True, env=given)
    expect(result.returncode == 0 and "warn  settings: the rights of" in result.stdout, f"doctor warns of it {result.stdout[:500]}")
    result = subprocess.run([*words, "--json"], capture_output=True, text=True, env=given)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    expect([line["what"] for line in lines if line["warning"]] == ["settings"] and all(line["ok"] for line in lines),
           f"in JSON too {lines}")
    server.stop()


def ends_in_good_order(server, open_connection):
    print("== the server ends")
    connection, stream = open_connection
    ended = threading.Thread(target=server.stop)
    ended.start()
    kinds = []
    try:
        while True:
            kinds.append(type(connection.next()).__name__)
    except Gone:
        pass
    ended.join()
    expect("StreamEnded" in kinds and "ConnectionTerminated" in kinds,
           f"the stream gets its end and the connection its farewell {kinds}")
    expect(server.process.returncode == 0, "and the server ends with 0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--first", action="store_true")
    arguments = parser.parse_args()
    brume = os.path.abspath(arguments.brume)
    with tempfile.TemporaryDirectory() as folder:
        authority = Authority(folder)
        refuses_what_cannot_be_used(brume, folder, authority)
        files = authority.issue("server")
        silence_ends(brume, folder, authority, files)
        server = Secure(brume, folder + "/data", authority, files).start()
        curl_speaks_both(server)
        if arguments.first:
            server.stop()
            return
        httpx_saves_at_once(server)
        a_body_that_waits_is_asked_for(server)
        too_large_is_refused_at_once(server)
        load(server)
        open_connection = push_beside_requests(server)
        swift_client(server)
        browser_speaks_http2(server)
        what_is_malformed_reaches_nobody(server)
        many_requests_at_once(server)
        unread_answers_are_bounded(server)
        floods_end_the_connection(server)
        certificates_are_renewed(server, authority, open_connection)
        expired_is_reported(brume, folder, authority)
        an_open_key_is_a_warning(brume, folder, authority)
        ends_in_good_order(server, open_connection)
    print("TLS and HTTP/2: all as promised")


if __name__ == "__main__":
    main()
