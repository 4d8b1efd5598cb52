"""`brume import cloudkit` between two servers of our own: public data with a server-to-server key, private data with
a web auth token through a gate that takes each token once, as the protocol's documents have it.

Files, references, parents, many pages; a second run that changes nothing; a source that asks to wait in between.
Python's standard library only.
"""
import argparse
import http.client
import http.server
import itertools
import json
import os
import re
import subprocess
import tempfile
import threading
import urllib.parse
import urllib.request

from brume_server import Server, expect

CONTAINER = "iCloud.org.example.app"
PHOTO = bytes(range(256)) * 3000


class Gate(http.server.BaseHTTPRequestHandler):
    """Before the source, as Apple's service differs from ours: a web auth token is good for one call, the first call of
    all is put off, checksums are of another kind, and addresses of files leave a place for a name."""
    protocol_version = "HTTP/1.1"
    address, used, lock, put_off = None, set(), threading.Lock(), 0

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        query = urllib.parse.parse_qs(urllib.parse.urlparse(self.path).query)
        if self.path.startswith("/file/"):
            expect("$" not in self.path, "the place in a file's address is filled")
            return self.reply(200, [], urllib.request.urlopen(query["of"][0]).read())
        token = query.get("ckWebAuthToken", [""])[0]
        with Gate.lock:
            if Gate.put_off == 0:
                Gate.put_off = 1
                return self.reply(503, [("Retry-After", "1")], b"<html>busy</html>")
            if token in Gate.used:
                text = {"uuid": "1", "serverErrorCode": "AUTHENTICATION_FAILED", "reason": "token used twice"}
                return self.reply(401, [], json.dumps(text).encode())
        inner = http.client.HTTPConnection(*Gate.address)
        inner.request(self.command, self.path, body, {"Host": "localhost"})
        answer = inner.getresponse()
        # The server may give the same token again, within a moment.
        if answer.getheader("X-Apple-CloudKit-Web-Auth-Token") not in (None, token):
            Gate.used.add(token)
        kept = [(name, value) for name, value in answer.getheaders() if name.lower().startswith("x-apple")]
        text = json.loads(answer.read())
        self.change_files(text)
        self.reply(answer.status, kept, json.dumps(text).encode())

    def change_files(self, part):
        if isinstance(part, dict) and "downloadURL" in part:
            part["fileChecksum"] = part["fileChecksum"][::-1]
            part["downloadURL"] = "http://%s/file/${f}?of=%s" % (
                self.headers["Host"], urllib.parse.quote(part["downloadURL"], safe=""))
        for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            self.change_files(inner)

    def reply(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


def field(kind, value):
    return {"type": kind, "value": value}


def save(client, records, database, zone="_defaultZone"):
    for start in range(0, len(records), 200):
        answer = client.call("records/modify", {
            "zoneID": {"zoneName": zone},
            "operations": [{"operationType": "forceReplace", "record": record}
                           for record in records[start:start + 200]]}, database)
        for record in answer["records"]:
            if "serverErrorCode" in record:
                raise SystemExit(f"the source refuses {record}")


def upload(client, database, record_type, record, name, zone="_defaultZone", content=PHOTO):
    ticket = client.call("assets/upload", {"zoneID": {"zoneName": zone}, "tokens": [
        {"recordType": record_type, "recordName": record, "fieldName": name}]}, database)["tokens"][0]
    request = urllib.request.Request(ticket["url"], data=content, method="POST")
    return json.loads(urllib.request.urlopen(request).read())["singleFile"]


def query(client, record_type, database="public"):
    found, body = {}, {"query": {"recordType": record_type}}
    while True:
        page = client.call("records/query", body, database)
        for record in page["records"]:
            found[record["recordName"]] = record
        if "continuationMarker" not in page:
            return found
        body["continuationMarker"] = page["continuationMarker"]


def changes(client, zone):
    found, wanted = {}, {"zoneID": {"zoneName": zone}}
    while True:
        page = client.call("changes/zone", {"zones": [wanted]})["zones"][0]
        for record in page["records"]:
            found[record["recordName"]] = record
        if not page["moreComing"]:
            return found
        wanted["syncToken"] = page["syncToken"]


def plain(record):
    """What must be the same at both places."""
    def value(field):
        found = field["value"]
        for one in found if isinstance(found, list) else [found]:
            if isinstance(one, dict):
                one.pop("downloadURL", None)
                one.get("zoneID", {}).pop("ownerRecordName", None)
        return field
    return {"type": record["recordType"], "fields": {name: value(f) for name, f in record["fields"].items()},
            "parent": record.get("parent", {}).get("recordName"), "zone": record["zoneID"]["zoneName"]}


def same(here, there):
    # Addresses are looked at before `plain` takes them off.
    return {name: plain(record) for name, record in here.items()} == \
        {name: plain(record) for name, record in there.items()}


def tags(records):
    return {name: record["recordChangeTag"] for name, record in records.items()}


def fetched(record, name):
    found = record["fields"][name]["value"]
    return [urllib.request.urlopen(one["downloadURL"]).read() for one in (found if isinstance(found, list) else [found])]


class Importer:
    def __init__(self, binary, source, target):
        self.binary, self.source, self.target = binary, source, target

    def given(self, arguments, variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
        return ([self.binary, "import", "cloudkit", "--container", CONTAINER, "--data", self.target.folder, *arguments],
                {**environment, **variables})

    def run(self, *arguments, **variables):
        command, environment = self.given(arguments, variables)
        return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)

    def key(self, *arguments):
        values = self.source.values
        return ("--from", values["BRUME_URL"], "--key-id", values["BRUME_KEY_ID"],
                "--key-file", values["BRUME_KEY_FILE"], "--user", "importer", *arguments)

    def public(self, *arguments):
        return self.run(*self.key(*arguments))

    def start(self, *arguments):
        command, environment = self.given(self.key(*arguments), {})
        return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)


def test_public(importer, source, target):
    print("== public data, with a server-to-server key")
    alice = source.client("alice", "phone")
    trails = [{"recordName": f"trail-{n:03}", "recordType": "Trail", "fields": {
        "title": field("STRING", f"Täl {n}"), "km": field("DOUBLE", n), "seen": field("TIMESTAMP", 1_700_000_000_000 + n),
        "tags": field("STRING_LIST", [str(n), "x"]), "raw": field("BYTES", "AAEC"),
        "at": field("LOCATION", {"latitude": 47.5, "longitude": 14.25})}} for n in range(450)]
    save(alice, trails, "public")
    # Each refers to one that its server will list later or earlier; some must be there before.
    for n, trail in enumerate(trails):
        trail["fields"]["next"] = field("REFERENCE", {
            "recordName": f"trail-{(n + 7) % 450:03}", "action": "VALIDATE" if n % 9 == 0 else "NONE"})
    save(alice, trails, "public")
    for n in range(3):
        save(alice, [{"recordName": f"photo-{n}", "recordType": "Photo", "fields": {
            "file": field("ASSETID", upload(alice, "public", "Photo", f"photo-{n}", "file", content=PHOTO + b"%d" % n)),
            "trail": field("REFERENCE", {"recordName": f"trail-{n:03}", "action": "DELETE_SELF"})}}], "public")
    both = ("--type", "Photo", "--type", "Trail")
    dry = importer.public(*both, "--dry-run")
    expect(dry.returncode == 0 and dry.stdout == "Photo  3\nTrail  450\n", f"a dry run counts: {dry.stdout}{dry.stderr}")
    expect("importer" not in target.tool("user", "list"), "and makes nothing, not even the account")

    source.tool("faults", "add", "error", "--code", "7", "--retry-after", "600", "--on", "query", "--skip", "2")
    with importer.start(*both) as cut:
        for line in cut.stderr:
            if "is asked again in 600 s" in line:
                cut.kill()
    expect(cut.wait() == -9, "an import is killed while it waits for its third page")
    source.tool("faults", "add", "error", "--code", "7", "--retry-after", "1", "--on", "query", "--skip", "2")
    first = importer.public(*both)
    expect(first.returncode == 0, f"an import ends well: {first.stderr}")
    expect("the source is asked again in" in first.stderr, "and waited when the source asked for it")
    expect("no fault is waiting" in subprocess.run(
        [importer.binary, "faults", "list", "--data", source.folder], capture_output=True, text=True).stderr,
        "which it did")
    # One of the first pages' records refers to one that comes with the third, and must be there before.
    expect("read 453 records: 251 saved, 202 there already, 0 refused; 0 files fetched" in first.stderr,
           f"everything came, the first two pages only once: {first.stderr.splitlines()[-1]}")
    bob = target.client("bob", "laptop")
    photos, copies = query(alice, "Photo"), query(bob, "Photo")
    expect([fetched(copies[f"photo-{n}"], "file") for n in range(3)] == [[PHOTO + b"%d" % n] for n in range(3)],
           "files have the same bytes")
    there = query(bob, "Trail")
    before = tags(there), tags(copies)
    expect(same(query(alice, "Trail"), there) and same(photos, copies), "records are the same at both places")

    again = importer.public(*both)
    expect(again.returncode == 0 and "0 saved, 453 there already, 0 refused; 0 files fetched" in again.stderr,
           f"a second run saves nothing: {again.stderr}")
    expect((tags(query(bob, "Trail")), tags(query(bob, "Photo"))) == before, "and no change tag moved")
    trails[5]["fields"]["title"] = field("STRING", "new")
    save(alice, [trails[5]], "public")
    more = importer.public(*both)
    expect("1 saved, 452 there already" in more.stderr, f"what changed comes with the next run: {more.stderr}")


def test_private(importer, source, target):
    print("== private data, with a web auth token that is good for one call")
    alice = source.client("alice", "phone")
    for zone in ("Notes", "Empty"):
        alice.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
    notes = [{"recordName": f"note-{n:03}", "recordType": "Note", "fields": {"text": field("STRING", str(n))}}
             for n in range(430)]
    save(alice, notes, "private", "Notes")
    # The change feed lists the children first: their parent is saved last.
    files = [upload(alice, "private", "Note", "note-000", "files", "Notes", PHOTO + c) for c in (b"a", b"b")]
    notes[0]["fields"]["files"] = field("ASSETID_LIST", files)
    for note in notes[1:20]:
        note["parent"] = {"recordName": "note-000"}
        note["fields"]["other"] = field("REFERENCE", {"recordName": "note-000", "action": "VALIDATE"})
    save(alice, notes[1:20], "private", "Notes")
    save(alice, notes[:1], "private", "Notes")
    root = alice.call("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
        {"operationType": "create", "record": {"recordType": "Note", "recordName": "root", "createShortGUID": True}}]})
    share = alice.call("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
        {"operationType": "create", "record": {
            "recordType": "cloudkit.share", "publicPermission": "NONE", "participants": [], "fields": {},
            "forRecord": {"recordName": "root", "recordChangeTag": root["records"][0]["recordChangeTag"]}}}]})
    expect("serverErrorCode" not in share["records"][0], "the source has a share")
    alice.call("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
        {"operationType": "forceDelete", "record": {"recordName": "note-429"}}]})
    save(alice, [{"recordName": "card", "recordType": "Card", "fields": {"n": field("INT64", 7)}}], "private")

    Gate.address = source.address
    gate = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Gate)
    threading.Thread(target=gate.serve_forever, daemon=True).start()
    token_file = os.path.join(source.folder, "token")
    token = source.values["BRUME_USER_TOKEN_ALICE"]
    with open(token_file, "w") as file:
        # As an import leaves it that was killed while it put a shorter token there.
        file.write(token + "\nrest-of-the-one-before\n")
    arguments = ("--from", f"http://127.0.0.1:{gate.server_port}", "--api-token", source.values["BRUME_API_TOKEN"],
                 "--web-auth-token-file", token_file, "--user", "ann", "--type", "Card")
    first = importer.run(*arguments)
    expect(first.returncode == 0, f"an import ends well: {first.stderr}")
    expect("status 503" in first.stderr, "and waited for a service that was busy")
    expect("read 431 records: 431 saved, 0 there already, 0 refused; 2 files fetched" in first.stderr,
           f"everything came: {first.stderr.splitlines()[-1]}")
    expect("1 shares are left out" in first.stderr, "but for the share, which is said")
    expect(open(token_file).read().strip() not in ("", token), "the newest token is in the file")
    target.values["BRUME_USER_TOKEN_ANN"] = target.tool("user", "token", "ann").split()[-1]
    ann = target.client("ann", "laptop")
    zones = {zone["zoneID"]["zoneName"]: zone for zone in ann.call("zones/list", {})["zones"]}
    expect(set(zones) == {"_defaultZone", "Notes", "Empty"}, f"zones came, the empty one too: {set(zones)}")
    here, there = changes(alice, "Notes"), changes(ann, "Notes")
    here = {name: record for name, record in here.items() if not record.get("deleted") and record["recordType"] != "cloudkit.share"}
    expect(fetched(there["note-000"], "files") == [PHOTO + b"a", PHOTO + b"b"], "lists of files have the same bytes")
    before = tags(there)
    expect(len(there) == 430 and same(here, there), "records, parents and references are the same at both places")
    expect(query(ann, "Card", "private")["card"]["fields"]["n"]["value"] == 7, "so is the default zone's")

    # What the source calls otherwise is fetched to be compared, and not sent: nothing would ever save it.
    target.tool("faults", "add", "error", "--code", "25", "--on", "uploadAssets", "--always")
    again = importer.run(*arguments)
    target.tool("faults", "clear")
    expect(again.returncode == 0 and "0 saved, 431 there already, 0 refused; 2 files fetched" in again.stderr,
           f"a second run goes on with the token in the file, and saves nothing: {again.stderr}")
    after = {zone["zoneID"]["zoneName"]: zone for zone in ann.call("zones/list", {})["zones"]}
    expect(tags(changes(ann, "Notes")) == before and after == zones, "no change tag moved, and no zone's token")
    used = importer.run(*arguments[:4], "--user", "ann", BRUME_FROM_WEB_AUTH_TOKEN=token)
    expect(used.returncode == 77 and "token used twice" in used.stderr, f"a dead token ends with 77: {used.stderr}")
    gate.shutdown()


def test_many_words(importer, source):
    print("== more words than one request may have")
    # A request may have 100,000, and each record has 25,000.
    digits = "0123456789bcdefghijklmnopqrstuvwxyz"
    words = " ".join("".join(four) for four in itertools.islice(itertools.product(digits, repeat=4), 25_000))
    alice = source.client("alice", "phone")
    for n in range(5):
        save(alice, [{"recordName": f"essay-{n}", "recordType": "Essay", "fields": {"text": field("STRING", words)}}], "public")
    essays = importer.public("--type", "Essay")
    expect(essays.returncode == 0 and "5 saved, 0 there already, 0 refused" in essays.stderr,
           f"they come in several requests: {essays.stderr}")


def test_parents_last(importer, source):
    print("== more files than a user may have without records, whose records refer to one that comes last")
    alice = source.client("alice", "phone")
    save(alice, [{"recordName": "album", "recordType": "Album", "fields": {}}], "public")
    # The source keeps 400 files at most, as the target does.
    for start in range(0, 450, 90):
        save(alice, [{"recordName": f"picture-{n}", "recordType": "Picture", "fields": {
            "file": field("ASSETID", upload(alice, "public", "Picture", f"picture-{n}", "file", content=b"%d" % n)),
            "album": field("REFERENCE", {"recordName": "album", "action": "VALIDATE"})}}
            for n in range(start, start + 90)], "public")
    outcome = importer.public("--type", "Picture", "--type", "Album")
    expect(outcome.returncode == 0
           and "read 451 records: 451 saved, 0 there already, 0 refused; 450 files fetched" in outcome.stderr,
           f"all come, each file once: {outcome.stderr.splitlines()[-1]}")


def test_refusals(importer, source, target):
    print("== what is refused")
    values = source.values
    key = ("--from", values["BRUME_URL"], "--key-id", values["BRUME_KEY_ID"], "--user", "importer")
    file = ("--key-file", values["BRUME_KEY_FILE"])
    no_key = os.path.join(source.folder, "no-key")
    with open(no_key, "w") as text:
        text.write("nothing")
    cases = [
        (64, "--type", importer.run(*key, *file)),
        (64, "reads the public database only", importer.run(*key, *file, "--database", "private")),
        (64, "--from is", importer.run(*key[2:], *file, "--from", "nonsense", "--type", "Trail")),
        (66, "cannot be read", importer.run(*key, "--key-file", no_key + "-2", "--type", "Trail")),
        (65, "P-256", importer.run(*key, "--key-file", no_key, "--type", "Trail")),
        (69, "127.0.0.1:9", importer.run(*key[2:], *file, "--from", "http://127.0.0.1:9", "--type", "Trail")),
        (77, "AUTHENTICATION_FAILED", importer.run(
            "--from", values["BRUME_URL"], "--key-id", "none", "--user", "importer", *file, "--type", "Trail")),
        (77, "AUTHENTICATION_FAILED", importer.public("--type", "Trail", "--from-container", "iCloud.none")),
    ]
    for status, text, outcome in cases:
        expect(outcome.returncode == status and text in outcome.stderr,
               f"{status}: {outcome.stderr.strip()[:90]} ({outcome.returncode})")
    token = ("--from", values["BRUME_URL"], "--user", "importer", "--type", "Trail", "--dry-run", "--api-token")
    open_to_all = importer.run(*token, values["BRUME_API_TOKEN"], BRUME_FROM_KEY_ID="of another import")
    expect(open_to_all.stdout == "Trail  450\n", f"an API token reads what anybody may: {open_to_all.stderr}")
    source.tool("schema", "index", "remove", "Trail", "___recordID", "queryable")
    bare = importer.public("--type", "Trail")
    expect(bare.returncode == 1 and "its recordName needs a QUERYABLE index" in bare.stderr,
           f"a missing index is named: {bare.stderr}")
    alice, bob = source.client("alice", "phone"), target.client("bob", "laptop")
    save(bob, [{"recordName": "x", "recordType": "Odd", "fields": {"n": field("STRING", "text")}}], "public")
    save(alice, [{"recordName": f"odd-{n}", "recordType": "Odd", "fields": {"n": field("INT64", 1)}} for n in range(2)]
         + [{"recordName": "even", "recordType": "Odd", "fields": {}}], "public")
    odd = importer.public("--type", "Odd")
    expect(odd.returncode == 1 and "1 saved, 0 there already, 2 refused" in odd.stderr, "the others are saved")
    expect(re.search(r"record 'odd-0' of type 'Odd' in zone '_defaultZone': .*n", odd.stderr) is not None,
           f"record and rule are named: {odd.stderr}")


def test_public_address(importer, source, hidden):
    print("== a target whose public address leads nowhere from here")
    source.tool("schema", "index", "add", "Trail", "___recordID", "queryable")
    there = Importer(importer.binary, source, hidden)
    outcome = there.public("--type", "Trail", "--type", "Photo")
    expect(outcome.returncode == 0 and "3 files fetched" in outcome.stderr, f"its files come all the same: {outcome.stderr}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--brume", required=True)
    binary = os.path.abspath(arguments.parse_args().brume)
    with tempfile.TemporaryDirectory() as folder:
        servers = [Server(binary, os.path.join(folder, name), store="memory", extra=extra) for name, extra in
                   (("source", ()), ("target", ()), ("hidden", ("--base-url", "http://127.0.0.1:9")))]
        try:
            source, target, hidden = [server.start() for server in servers]
            importer = Importer(binary, source, target)
            test_public(importer, source, target)
            test_private(importer, source, target)
            test_many_words(importer, source)
            test_parents_last(importer, source)
            test_refusals(importer, source, target)
            test_public_address(importer, source, hidden)
        finally:
            for server in servers:
                if server.process and server.process.poll() is None:
                    server.stop()
    print("cloudkit_import: ok")


if __name__ == "__main__":
    main()
