"""Bits that flip in a data folder: what is damaged is answered as an error of its own, what stands beside it as
always, and the log, the metrics and `brume doctor` say so. Nothing damaged is ever answered as if it were whole.

The flips are made behind the server's back: in rows by SQLite itself while it runs, in bytes of the files while it
does not.
"""
import argparse
import collections
import hashlib
import http.client
import json
import os
import random
import sqlite3
import subprocess
import tempfile
import urllib.request

from brume_server import Listener, Refused, Server, expect, expect_quietly

ZONE = {"zoneName": "Notes"}
COUNT = 40
DAMAGED = 12
FIRST_ONES = [{"fieldName": "number", "comparator": "LESS_THAN", "fieldValue": {"value": 20}}]


def name_of(number):
    return f"note-{number:02}"


def text_of(number):
    return hashlib.sha256(str(number).encode()).hexdigest()


def save(client, number, kind="create"):
    record = {"recordType": "Note", "recordName": name_of(number), "fields": {
        "text": {"value": text_of(number)}, "number": {"value": number}}}
    return client.call("records/modify", {
        "zoneID": ZONE, "atomic": False, "operations": [{"operationType": kind, "record": record}]})["records"][0]


def lookup(client):
    names = [{"recordName": name_of(number)} for number in range(COUNT)]
    return client.call("records/lookup", {"zoneID": ZONE, "records": names})["records"]


def changes(client):
    found, token = [], None
    while True:
        zone = {"zoneID": ZONE, "resultsLimit": 7, **({"syncToken": token} if token else {})}
        page = client.call("changes/zone", {"zones": [zone]})["zones"][0]
        if "serverErrorCode" in page:
            raise Refused(f"changes/zone: {page}")
        found += page["records"]
        token = page["syncToken"]
        if not page.get("moreComing"):
            return found


def query(client, filters=()):
    return client.call("records/query", {
        "zoneID": ZONE, "resultsLimit": 200, "query": {"recordType": "Note", "filterBy": list(filters)}})["records"]


def judge(records, damaged, what):
    """Each record is whole and right, or an error, which only a damaged one may be."""
    errors = set()
    for record in records:
        if "serverErrorCode" in record:
            expect_quietly(record["serverErrorCode"] == "INTERNAL_ERROR" and "damaged" in record["reason"],
                           f"{what}: an error says what is the matter: {record}")
            errors.add(record["recordName"])
            continue
        number = int(record["recordName"].removeprefix("note-"))
        expect_quietly(record["fields"]["text"]["value"] == text_of(number)
                       and record["fields"]["number"]["value"] == number, f"{what}: {record}")
    expect(errors == damaged, f"{what}: {len(errors)} of {len(records)} are errors, the others right")


def flip_rows(folder, numbers):
    """One bit in the stored text of each record."""
    database = sqlite3.connect(os.path.join(folder, "brume.sqlite"), timeout=10)
    with database:
        for number in numbers:
            row, content = database.execute(
                "SELECT id, content FROM records WHERE name = ?", (name_of(number),)).fetchone()
            place = content.index(text_of(number).encode()) + number
            flipped = bytearray(content)
            flipped[place] ^= 1
            database.execute("UPDATE records SET content = ? WHERE id = ?", (bytes(flipped), row))
    database.close()


def metric(server):
    host, port = server.address
    text = urllib.request.urlopen(f"http://{host}:{port}/_brume/metrics").read().decode()
    return int(next(line for line in text.splitlines() if line.startswith("brume_damaged_rows_total ")).split()[1])


def doctor(brume, folder, *flags):
    return subprocess.run([brume, "doctor", "--data", folder, *flags], capture_output=True, text=True)


def rows(brume, folder, log):
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    for number in range(COUNT):
        expect_quietly("serverErrorCode" not in save(client, number), f"save {number}")
    judge(lookup(client), set(), "a whole folder, looked up")
    first = query(client, FIRST_ONES)
    expect(len(first) == 20, "an index was made")
    expect(metric(server) == 0, "nothing is counted as damaged")
    whole = doctor(brume, folder, "--deep")
    expect(whole.returncode == 0, f"doctor --deep finds nothing: {whole.stdout}")

    numbers = list(range(0, 2 * DAMAGED, 2))
    flip_rows(folder, numbers)
    damaged = {name_of(number) for number in numbers}
    judge(lookup(client), damaged, "looked up")
    judge(changes(client), damaged, "change feed")
    judge(query(client), damaged, "query of the type")
    shown = query(client, FIRST_ONES)
    judge(shown, {name for name in damaged if int(name[-2:]) < 20}, "query by an index")
    answer = save(client, 0, "forceUpdate")
    expect(answer.get("serverErrorCode") == "INTERNAL_ERROR", "a damaged record cannot be saved over")
    expect("serverErrorCode" not in save(client, 1, "forceUpdate"), "the one beside it can")
    expect(metric(server) >= DAMAGED, f"the metric counts: {metric(server)}")
    said = open(log).read()
    expect(all(name in said for name in damaged), "the log names each")
    plain = doctor(brume, folder)
    expect(plain.returncode == 1 and f"{DAMAGED} damaged" in plain.stdout, "doctor says so")
    deep = doctor(brume, folder, "--deep")
    named = {name for name in (name_of(number) for number in range(COUNT)) if f"'{name}'" in deep.stdout}
    expect(deep.returncode == 1 and named == damaged, "doctor --deep names them and no others")
    expect(server.stop() == 0, "the server ends in good order")


def flip_values(folder, flips):
    """One bit in a column of one row each: of a number its last one, of a text the last of its last character."""
    database = sqlite3.connect(os.path.join(folder, "brume.sqlite"), timeout=10)
    with database:
        for table, column, where in flips:
            [(value,)] = database.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchall()
            flipped = value ^ 1 if isinstance(value, int) else value[:-1] + chr(ord(value[-1]) ^ 1)
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (flipped,))
    database.close()


def follow(client, phone):
    """Subscribes, and listens at another device."""
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    expect_quietly("serverErrorCode" not in save(client, 0), "save 0")
    [made] = client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneID": ZONE, "query": {"recordType": "Note"},
        "firesOn": ["create"], "notificationInfo": {"alertBody": "news", "shouldBadge": True}}}]})["subscriptions"]
    expect_quietly("serverErrorCode" not in made, f"subscribe: {made}")
    phone.listen()


def push_comes(client, phone, number, what):
    before = len(phone.events)
    expect_quietly("serverErrorCode" not in save(client, number), f"save {number}")
    expect(phone.wait_until(lambda events: len(events) > before, 30), what)


def beside_records(brume, folder, log):
    """What is no record: an account, a badge number, a device. The owner meets it, and nobody else."""
    server = start(brume, folder, log)
    server.tool("user", "create", "carol", "--email", "carol@example.com")
    server.values["BRUME_USER_TOKEN_CAROL"] = server.tool("user", "token", "carol").split()[-1]
    carol_token = server.values["BRUME_USER_TOKEN_CAROL"]
    with tempfile.NamedTemporaryFile("w", suffix=".ckdb") as schema:
        schema.write("DEFINE SCHEMA CREATE ROLE editor;")
        schema.flush()
        server.tool("schema", "import", schema.name)
    for user in ("bob", "carol"):
        server.tool("schema", "role", "assign", "editor", user)
    macs = {user: server.client(user, "mac") for user in ("alice", "bob", "carol")}
    phones = {user: Listener(server.client(user, "phone")) for user in macs}
    for user in macs:
        follow(macs[user], phones[user])
        push_comes(macs[user], phones[user], 1, f"a push comes to {user}")
    expect(server.stop() == 0, "the server ends in good order")
    flip_values(folder, [
        ("users", "email", "name = 'carol'"),
        ("inboxes", "badge", "user = (SELECT id FROM users WHERE name = 'bob')"),
        ("devices", "registered", "device = 'phone' AND user = (SELECT id FROM users WHERE name = 'alice')")])
    server = start(brume, folder, log)
    server.values["BRUME_USER_TOKEN_CAROL"] = carol_token
    try:
        server.client("carol", "mac").call("zones/list", {})
        expect(False, "a damaged account lets nobody in")
    except Refused as refusal:
        expect("damaged" in str(refusal), "a damaged account lets nobody in, and the error says why")
    members = server.tool("schema", "role", "list")
    expect("bob" in members and "carol" not in members and "_" in members,
           "an operator's list has the damaged account without its name, and the others as always")
    alice, bob = server.client("alice", "mac"), server.client("bob", "mac")
    expect_quietly("serverErrorCode" not in save(alice, 2), "who has a damaged device saves")
    phone = Listener(server.client("bob", "phone"))
    phone.listen()
    push_comes(bob, phone, 2, "whose badge number is damaged gets pushes")
    phone = Listener(server.client("alice", "phone"))
    phone.listen()
    push_comes(alice, phone, 3, "a device that came back gets pushes")
    expect(metric(server) >= 3, f"the metric counts: {metric(server)}")
    said = open(log).read()
    expect(all(name in said for name in ("users", "inboxes", "devices")), "the log names each table")
    deep = doctor(brume, folder, "--deep")
    expect(deep.returncode == 1 and "users: " in deep.stdout and "inboxes: " in deep.stdout,
           "doctor --deep names what is damaged")
    expect("carol@" not in deep.stdout + said, "and shows nothing of it")
    expect("devices: '" not in deep.stdout, "the device that registered again is whole")
    expect(server.stop() == 0, "the server ends in good order")


def references(brume, folder, log):
    """What goes with a deleted record is found by rows of its own: a damaged one takes no other record along."""
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    for number in range(4):
        expect_quietly("serverErrorCode" not in save(client, number), f"save {number}")
    client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Link", "recordName": "link-0", "fields": {"to": {"value": {
            "recordName": name_of(0), "zoneID": ZONE, "action": "DELETE_SELF"}}}}}]})
    client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Link", "recordName": "link-1", "fields": {}}}]})
    expect(server.stop() == 0, "the server ends in good order")
    flip_values(folder, [("record_references", "name", "name = 'link-0'")])
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    answer = client.call("records/modify", {"zoneID": ZONE, "operations": [
        {"operationType": "forceDelete", "record": {"recordName": name_of(0)}}]})["records"][0]
    expect(answer.get("serverErrorCode") == "INTERNAL_ERROR" and "damaged" in answer["reason"],
           "a record is not deleted if the wrong one would go with it")
    left = client.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": "link-1"}]})["records"][0]
    expect("serverErrorCode" not in left, "which is still there")
    deep = doctor(brume, folder, "--deep")
    expect(deep.returncode == 1 and "record_references: " in deep.stdout, "doctor --deep finds it")
    expect(server.stop() == 0, "the server ends in good order")


def upload(server, client, content):
    """A record with a file; answers its download address."""
    token = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
        {"recordType": "File", "recordName": "file", "fieldName": "file"}]})["tokens"][0]
    request = urllib.request.Request(token["url"], data=content, method="POST")
    receipt = json.loads(urllib.request.urlopen(request).read())["singleFile"]
    record = client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "File", "recordName": "file", "fields": {"file": {"value": receipt}}}}]})["records"][0]
    return record["fields"]["file"]["value"]["downloadURL"]


def download(url):
    """The bytes, or None if they did not arrive whole."""
    try:
        return urllib.request.urlopen(url).read()
    except (http.client.HTTPException, OSError):
        return None


def files(brume, folder, log):
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    content = random.Random(7).randbytes(300_000)
    url = upload(server, client, content)
    expect(download(url) == content, "a file comes back")
    [path] = [os.path.join(place, name) for place, _, names in os.walk(os.path.join(folder, "assets"))
              for name in names]
    for place in (0, 150_001, 299_999):
        flip_byte(path, place)
        expect(download(url) is None, f"a file with a flipped bit at {place} does not arrive as a whole one")
        deep = doctor(brume, folder, "--deep")
        expect(deep.returncode == 1 and "is not what was uploaded" in deep.stdout, "doctor --deep names the file")
        flip_byte(path, place)
    expect(download(url) == content, "and whole again it does")
    expect(server.stop() == 0, "the server ends in good order")
    server.start()
    expect(doctor(brume, folder, "--deep").returncode == 0, "and nothing is found")
    server.stop()


def forgotten(brume, folder, log):
    """A damaged line of the audit log ends every backup, until the operator has it forgotten."""
    server = start(brume, folder, log)
    server.tool("user", "create", "carol")
    expect(server.stop() == 0, "the server ends in good order")
    flip_values(folder, [("audit", "action", "position = (SELECT min(position) FROM audit)")])
    server = start(brume, folder, log)
    file = folder + ".brume"
    backup = subprocess.run([brume, "backup", file, "--data", folder], capture_output=True, text=True)
    expect(backup.returncode != 0, "a damaged line of the audit log ends a backup")
    expect("brume doctor --forget audit" in backup.stderr + open(log).read(), "it is said how the line is forgotten")
    expect(doctor(brume, folder, "--forget", "audit").returncode == 73, "not in the folder of a server that runs")
    expect(doctor(brume, folder, "--forget", "records").returncode == 64, "no record is ever forgotten")
    expect(server.stop() == 0, "the server ends in good order")
    done = doctor(brume, folder, "--forget", "audit")
    expect(done.returncode == 0 and "forgotten: audit: position " in done.stdout, f"it names what it forgets {done.stdout}")
    expect(doctor(brume, folder, "--deep").returncode == 0, "nothing is damaged any more")
    server = start(brume, folder, log)
    server.tool("backup", file)
    expect("doctor/forget" in server.tool("audit", "list"), "a backup is whole, and the audit log says what was done")
    expect(server.stop() == 0, "the server ends in good order")


def flip_byte(path, place, bit=0):
    with open(path, "r+b") as file:
        file.seek(place)
        byte = file.read(1)[0]
        file.seek(place)
        file.write(bytes([byte ^ (1 << bit)]))


def write_ahead_log(brume, folder, log):
    """A bit of SQLite's log, between a death and the next start: SQLite drops what comes after it. Whoever knew that
    must be made to fetch anew."""
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    for number in range(COUNT):
        expect_quietly("serverErrorCode" not in save(client, number), f"save {number}")
    token = client.call("changes/zone", {"zones": [{"zoneID": ZONE}]})["zones"][0]["syncToken"]
    server.kill()
    path = os.path.join(folder, "brume.sqlite-wal")
    flip_byte(path, os.path.getsize(path) * 3 // 4)
    server = start(brume, folder, log)
    client = server.client("alice", "mac")
    left = changes(client)
    judge(left, set(), "after a damaged log")
    expect(0 < len(left) < COUNT, f"{COUNT - len(left)} saves are gone with the log's end")
    answer = client.call("changes/zone", {"zones": [{"zoneID": ZONE, "syncToken": token}]})["zones"][0]
    expect(answer.get("brume", {}).get("code") == "changeTokenExpired", "a token of before is expired, not up to date")
    expect(server.stop() == 0, "the server ends in good order")


def everything(client):
    """What the server has, by the question: each record's name with all that is known of it, or with its error."""
    questions = {"looked up": lambda: lookup(client), "change feed": lambda: changes(client),
                 "query of the type": lambda: query(client), "query by an index": lambda: query(client, FIRST_ONES)}
    found = {}
    for question, ask in questions.items():
        records = ask()
        expect_quietly(all(isinstance(record, dict) and "recordName" in record for record in records),
                       f"{question}: an answer of another form: {records}")
        found[question] = [(record["recordName"], seen(record)) for record in records]
    return found


def seen(record):
    if "serverErrorCode" in record:
        return record["serverErrorCode"], record.get("reason", "")
    return (record["recordType"], {name: field["value"] for name, field in record["fields"].items()}, record["recordChangeTag"],
            record["created"]["timestamp"], record["modified"]["timestamp"])


def lacking(expected, found, flip):
    """What came otherwise than from the whole file, without being wrong: errors in place, omissions, and records that came
    twice or where they do not belong, to which an index leads."""
    errors, omissions, more = [], [], []
    for question, records in expected.items():
        whole = dict(expected["looked up"])
        answered = found[question]
        names = [name for name, _ in answered]
        more += [name for name, count in collections.Counter(names).items() if count > 1]
        for name, record in answered:
            if record[0] == "INTERNAL_ERROR" and "damaged" in record[1]:
                # Its name may be what is damaged.
                errors.append(name)
            elif record[0] == "NOT_FOUND" and question == "looked up":
                omissions.append(name)
            else:
                expect_quietly(record == whole.get(name), f"{flip}: {question}: {name}: {record} instead of {whole.get(name)}")
                more += [] if name in dict(records) else [name]
        omissions += set(dict(records)) - set(names)
    return errors, omissions, more


def findings(brume, folder):
    """What `doctor --deep` finds wrong, or that it cannot read the database at all."""
    said = doctor(brume, folder, "--deep")
    found = [line for line in said.stdout.splitlines() if line.startswith("wrong") and "no server " not in line]
    return found or ([said.stderr] if said.returncode and not said.stdout else [])


def anywhere(brume, folder, log, flips, seed):
    """One bit of the database file at a time; the server is asked for everything. What does not come whole, `doctor --deep`
    has to find."""
    path = os.path.join(folder, "brume.sqlite")
    server = start(brume, folder, log)
    expected = everything(server.client("alice", "mac"))
    expect_quietly([len(records) for records in expected.values()] == [COUNT] * 3 + [20], f"all is there: {expected}")
    expect_quietly(server.stop() == 0, "the server ends in good order")
    expect_quietly(not findings(brume, folder), f"doctor --deep finds nothing wrong: {findings(brume, folder)}")
    planted(expected)
    whole = open(path, "rb").read()
    used = [place for place, byte in enumerate(whole) if byte]
    dice, counts = random.Random(seed), collections.Counter()
    for _ in range(flips):
        place, bit = dice.choice(used), dice.randrange(8)
        flip = f"byte {place}, bit {bit}"
        flip_byte(path, place, bit)
        counts[one_flip(brume, folder, log, expected, flip)] += 1
        for name in os.listdir(folder):
            if name.startswith("brume.sqlite-"):
                os.remove(os.path.join(folder, name))
        open(path, "wb").write(whole)
    print(f"  ok: {flips} flipped bits anywhere, each without a wrong value, and found by doctor --deep where something lacked: "
          f"{json.dumps(counts)}", flush=True)


def one_flip(brume, folder, log, expected, flip):
    """Starts a server on the damaged file. Answers what came of it."""
    server, refusal, lacks = Server(brume, folder, log=log), None, ([], [], [])
    try:
        server.start()
        lacks = lacking(expected, everything(server.client("alice", "mac")), flip)
    except (SystemExit, Refused, http.client.HTTPException, OSError) as error:
        if str(error).startswith("FAILED"):
            raise
        refusal = str(error)
    finally:
        if server.process.poll() is None:
            server.kill()
        elif server.process.returncode < 0:
            raise SystemExit(f"FAILED: {flip}: the server ended with {server.process.returncode}")
    if refusal is None and not any(lacks):
        return "no difference"
    found = findings(brume, folder)
    expect_quietly(found, f"{flip}: doctor --deep finds nothing, but it was refused with {refusal}; {lacks[0]} were errors, "
                   f"{lacks[1]} did not come, {lacks[2]} came where they do not belong")
    return "refused" if refusal is not None else "omissions" if lacks[1] or lacks[2] else "errors in place"


def planted(expected):
    """What would be wrong has to be found."""
    [(name, record), *others] = expected["change feed"]
    for what, answered in [("another value", [(name, (record[0], {**record[1], "number": 99}, *record[2:])), *others]),
                           ("another tag", [(name, (*record[:2], "zz", *record[3:])), *others]),
                           ("another name", [("note-99", record), *others]),
                           ("another error", [(name, ("SERVER_ERROR", "")), *others])]:
        try:
            lacking(expected, {**expected, "change feed": answered}, what)
        except SystemExit:
            continue
        raise SystemExit(f"FAILED: planted and not found: {what}")
    found = lacking(expected, {**expected, "change feed": [others[0], *others]}, "")
    expect_quietly(found == ([], [name], [others[0][0]]), f"planted and not found: an omission, and a record twice: {found}")


def start(brume, folder, log):
    """A server whose log goes to a file."""
    return Server(brume, folder, log=log).start()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--flips", type=int, default=8, help="bits of the database file, one run each")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "log")
        rows(options.brume, os.path.join(folder, "rows"), log)
        beside_records(options.brume, os.path.join(folder, "beside"), log)
        references(options.brume, os.path.join(folder, "references"), log)
        files(options.brume, os.path.join(folder, "files"), log)
        forgotten(options.brume, os.path.join(folder, "forgotten"), log)
        write_ahead_log(options.brume, os.path.join(folder, "wal"), log)
        third = os.path.join(folder, "third")
        server = start(options.brume, third, log)
        client = server.client("alice", "mac")
        client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        for number in range(COUNT):
            save(client, number)
        expect_quietly(server.stop() == 0, "the server ends in good order")
        anywhere(options.brume, third, log, options.flips, options.seed)


if __name__ == "__main__":
    main()
