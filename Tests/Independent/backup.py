"""Takes a backup of a busy server, throws the server away, and restores it elsewhere.

Checked: nothing that was acknowledged before the backup began is lost, bytes of assets included; backups that continue
earlier ones, taken meanwhile, come back as the last state; old change tokens and stream positions get the honest
answer and then everything; pushes that waited are delivered; wrong use of each command ends with its sentence and
status; a transfer that was cut goes on; a restore that was killed serves nothing and goes on; a backup goes back into the
server that runs (backup_in_place.py). `--postgres` restores into
PostgreSQL instead, and continues from there. `--control` damages the backup and must be refused: a checker that cannot
fail proves nothing.
"""
import argparse
import contextlib
import json
import os
import random
import re
import shutil
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

import backup_in_place
from brume_server import Listener, Server, expect
from postgres import Postgres

ZONE = {"zoneName": "Backup"}
WRITERS = 3


class Writer(threading.Thread):
    """Saves until it is stopped. Knows what was acknowledged, and when."""

    def __init__(self, server, index):
        super().__init__(daemon=True)
        self.client = server.client("alice", f"writer-{index}")
        self.prefix, self.acknowledged, self.lock = f"w{index}", [], threading.Lock()
        self.many, self.ended = threading.Event(), threading.Event()

    def run(self):
        count = 0
        while not self.ended.is_set():
            count += 1
            save(self.client, f"{self.prefix}-{count}", "x" * 4000)
            with self.lock:
                self.acknowledged.append(f"{self.prefix}-{count}")
            if count == 50:
                self.many.set()

    def known(self):
        with self.lock:
            return set(self.acknowledged)


def save(client, name, text, **fields):
    values = {"text": {"value": text}, **fields}
    return client.call("records/modify", {"zoneID": ZONE, "operations": [{
        "operationType": "create",
        "record": {"recordName": name, "recordType": "Note", "fields": values}}]})["records"][0]


def changes(client, token=None):
    """All changes of the zone from a token on, with the last token; or the error."""
    records = {}
    while True:
        zone = {"zoneID": ZONE}
        if token:
            zone["syncToken"] = token
        answer = client.call("changes/zone", {"zones": [zone]})["zones"][0]
        if "serverErrorCode" in answer:
            return answer, None
        for record in answer["records"]:
            records[record["recordName"]] = record
        token = answer["syncToken"]
        if not answer.get("moreComing"):
            return records, token


def delete(client, name):
    answer = client.call("records/modify", {"zoneID": ZONE, "operations": [
        {"operationType": "forceDelete", "record": {"recordName": name}}]})["records"][0]
    expect(answer.get("deleted"), "a record is deleted")


def upload(client, data, record="with-file"):
    """An asset's receipt, as Apple's protocol has it."""
    answer = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
        {"recordType": "Note", "fieldName": "file", "recordName": record}]})
    request = urllib.request.Request(answer["tokens"][0]["url"], data=data, method="POST")
    with urllib.request.urlopen(request, timeout=120) as response:
        return json.loads(response.read())["singleFile"]


def download(record):
    with urllib.request.urlopen(record["fields"]["file"]["value"]["downloadURL"], timeout=120) as answer:
        return answer.read()


def subscribe(client, identifier):
    answer = client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": identifier, "subscriptionType": "query", "zoneID": ZONE,
        "query": {"recordType": "Note", "filterBy": []}, "firesOn": ["create"],
        "notificationInfo": {"alertBody": "new"}}}]})
    expect("serverErrorCode" not in json.dumps(answer), "a subscription is saved")


class Tool:
    def __init__(self, binary):
        self.binary = binary

    def __call__(self, *arguments, env=None):
        # What surrounds the test must not configure the command.
        surroundings = {k: v for k, v in os.environ.items() if not k.startswith("BRUME_")}
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=120,
                              env=surroundings)

    def refused(self, status, words, *arguments):
        result = self(*arguments)
        talk = result.stderr + result.stdout
        expect(result.returncode == status and words in talk,
               f"brume {' '.join(os.path.basename(a) for a in arguments[:3])}: {status}, “{words}”"
               + ("" if result.returncode == status and words in talk else f" (was {result.returncode}: {talk})"))
        return result


class CuttingProxy(threading.Thread):
    """Passes connections on, cuts each after so many bytes of its answers, and goes away after so many cuts."""

    def __init__(self, address, limit, cuts):
        super().__init__(daemon=True)
        self.target, self.limit, self.left = address, limit, cuts
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self):
        # Whoever cuts for the last time ends it.
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.target)
                for ends in ((client, server, None), (server, client, self.limit)):
                    threading.Thread(target=self.copy, args=ends, daemon=True).start()
        self.listener.close()

    def copy(self, source, sink, limit):
        passed = 0
        try:
            while data := source.recv(65536):
                passed += len(data)
                if limit and passed > limit:
                    self.left -= 1
                    if self.left == 0:
                        self.listener.shutdown(socket.SHUT_RDWR)
                    break
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def check_wrong_use(tool, folder, server, backup):
    token = json.load(open(f"{folder}/first/server.json"))["adminToken"]
    url = f"http://{server.address[0]}:{server.address[1]}"
    tool.refused(77, "needs an admin token", "backup", f"{folder}/x", "--url", url)
    tool.refused(64, "by --data, or by --url", "backup", f"{folder}/x", "--url", url, "--data", f"{folder}/first")
    tool.refused(64, "asks no server", "backup", "--verify", backup, "--data", f"{folder}/first")
    tool.refused(64, "must be in the folder of", "backup", f"{folder}/first/x", "--since", backup)
    tool.refused(66, "there is no file", "backup", f"{folder}/x", "--since", f"{folder}/nothing", "--data",
                 f"{folder}/first")
    tool.refused(64, "Unknown option", "backup", f"{folder}/x", "--fast")
    tool.refused(64, "Missing expected argument", "restore")
    tool.refused(66, "there is no file", "backup", "--verify", f"{folder}/nothing")
    tool.refused(66, "is a folder; name a file of 'brume backup'", "backup", "--verify", folder)
    tool.refused(66, "is a folder; name a file of 'brume backup'", "restore", folder, "--data", f"{folder}/second")
    tool.refused(66, "there is no file", "restore", f"{folder}/nothing", "--data", f"{folder}/second")
    tool.refused(69, "no server is running", "backup", f"{folder}/x", "--data", f"{folder}/nobody")
    tool.refused(69, "no server answers", "backup", f"{folder}/y", "--url", "http://127.0.0.1:1",
                 "--admin-token", token)
    tool.refused(73, "exists already", "backup", backup, "--data", f"{folder}/first")
    tool.refused(73, "cannot open", "backup", f"{folder}/no/such/folder", "--data", f"{folder}/first")
    tool.refused(77, "refuses the admin token", "backup", f"{folder}/z", "--url", url, "--admin-token", "wrong")
    made = tool("operator", "token", "create", "looker", "--read-only", "--data", f"{folder}/first")
    looker = made.stdout.split()[-1]
    tool.refused(77, "may only read", "backup", f"{folder}/z", "--url", url, "--admin-token", looker)
    for method, path, status in [("GET", "?id=none", 404), ("GET", "/rows?id=none&offset=0", 404),
                                 ("GET", "/asset?id=none&object=x&size=1", 404), ("GET", "/rows?offset=0", 400)]:
        answer, _ = ask(url, method, path, token)
        expect(answer == status, f"{method} backups{path} is answered with {status} (was {answer})")
    kept = [ask(url, "POST", "", token)[1]["id"] for _ in range(2)]
    tool.refused(75, "keeps 2 snapshots", "backup", f"{folder}/z", "--data", f"{folder}/first")
    for snapshot in kept:
        answer, _ = ask(url, "POST", "/remove", token, {"id": snapshot})
        expect(answer == 200, "a snapshot is removed")
    lines = tool("audit", "list", "--data", f"{folder}/first").stdout
    expect("backups/remove" in lines and "looker" in lines, "the audit log has who began a backup, and who was refused")
    tool.refused(73, "uses the data folder", "restore", backup, "--data", f"{folder}/first")
    os.makedirs(f"{folder}/full")
    open(f"{folder}/full/letter.txt", "w").close()
    tool.refused(73, "is not empty", "restore", backup, "--data", f"{folder}/full")
    tool.refused(64, "keeps nothing", "restore", backup, "--data", f"{folder}/second", "--store", "memory")
    if os.path.exists("/dev/full"):
        os.symlink("/dev/full", f"{folder}/disk.part")
        result = tool("backup", f"{folder}/disk", "--data", f"{folder}/first")
        expect(result.returncode in (73, 74), "a link in the place of FILE.part is not followed")


def ask(url, method, path, token, body=None):
    """Status and answer of one of the operator's calls about backups."""
    request = urllib.request.Request(f"{url}/_brume/admin/backups{path}", method=method,
                                     data=json.dumps(body).encode() if body else None,
                                     headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, None


def check_chain(tool, folder, chain):
    """What a backup continues is looked for beside it, and must be the right one, and whole."""
    alone, wrong, damaged = f"{folder}/alone", f"{folder}/wrong", f"{folder}/damaged"
    for place in (alone, wrong, damaged):
        os.makedirs(place)
        shutil.copy(chain[-1], place)
    names = [os.path.basename(path) for path in chain]
    tool.refused(65, "which is not in its folder", "backup", "--verify", f"{alone}/{names[-1]}")
    tool.refused(65, "which is not in its folder", "restore", f"{alone}/{names[-1]}", "--data", f"{folder}/fourth")
    shutil.copy(chain[0], f"{wrong}/{names[1]}")
    tool.refused(65, "is not the backup that", "backup", "--verify", f"{wrong}/{names[-1]}")
    for path in chain[:-1]:
        shutil.copy(path, damaged)
    data = bytearray(open(chain[0], "rb").read())
    data[len(data) - 2_000_000] ^= 1
    open(f"{damaged}/{names[0]}", "wb").write(data)
    tool.refused(65, "damaged at byte", "backup", "--verify", f"{damaged}/{names[-1]}")
    tool.refused(65, "damaged at byte", "restore", f"{damaged}/{names[-1]}", "--data", f"{folder}/fourth")
    tool.refused(65, "damaged at byte", "backup", f"{damaged}/next", "--since", f"{damaged}/{names[-1]}",
                 "--data", f"{folder}/first")
    expect(not os.path.exists(f"{folder}/fourth/brume.sqlite"), "a chain that is not whole leaves no database")


def check_damage(tool, folder, backup):
    data = bytearray(open(backup, "rb").read())
    data[len(data) // 2] ^= 4
    open(f"{folder}/flipped", "wb").write(data)
    tool.refused(65, "damaged at byte", "backup", "--verify", f"{folder}/flipped")
    tool.refused(65, "damaged at byte", "restore", f"{folder}/flipped", "--data", f"{folder}/third")
    expect(not os.path.exists(f"{folder}/third/brume.sqlite"), "a damaged backup leaves no database")
    open(f"{folder}/cut", "wb").write(data[: len(data) // 3])
    tool.refused(65, "ends at byte", "backup", "--verify", f"{folder}/cut")
    open(f"{folder}/letter", "w").write("Dear Sir")
    tool.refused(65, "this is no backup", "restore", f"{folder}/letter", "--data", f"{folder}/third")


def check_resuming(tool, folder, server):
    """Connections are cut, then nobody answers any more, then the server itself is killed and starts again."""
    proxy = CuttingProxy(server.address, 500_000, 2)
    proxy.start()
    token = json.load(open(f"{folder}/first/server.json"))["adminToken"]
    slow = f"{folder}/slow"
    tool.refused(75, "the same command goes on", "backup", slow, "--url", proxy.url, "--admin-token", token)
    arrived = os.path.getsize(slow + ".part")
    expect(arrived > 500_000, f"after the first cut it went on ({arrived} bytes arrived)")
    expect(not os.path.exists(slow), "what is not whole has not its name")
    tool.refused(65, "ends at byte", "backup", "--verify", slow + ".part")
    # A byte of what arrived changes, as by a bad disk: all before it is good.
    data = bytearray(open(slow + ".part", "rb").read())
    data[arrived - 40_000] ^= 1
    open(slow + ".part", "wb").write(data)
    head = data[:2000]
    server.kill()
    server.start()
    result = tool("backup", slow, "--data", f"{folder}/first")
    expect(result.returncode == 0, f"the same command goes on after the server was killed ({result.stderr})")
    expect("beginning anew" not in result.stderr and open(slow, "rb").read(2000) == head, "and not from the start")
    check = tool("backup", "--verify", slow)
    expect(check.returncode == 0 and "every hash is right" in check.stdout, "what arrived in pieces is whole")


def check_killed_restore(tool, binary, folder, backup):
    """Killed as soon as there is a database, and a server that is started on what is there."""
    target = f"{folder}/second"
    for _ in range(2):
        process = subprocess.Popen([binary, "restore", backup, "--data", target], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        while process.poll() is None and not has_rows(target):
            time.sleep(0.005)
        process.kill()
        expect(process.wait() != 0, "a restore was killed")
        serve = subprocess.Popen([binary, "serve", "--port", "0", "--data", target, "--marks", "none"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            _, talk = serve.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            serve.kill()
            raise SystemExit("FAILED: a server serves what a restore had not finished")
        expect("unfinished migration or restore" in talk, f"no server on a part ({talk.strip()[-200:]})")
    result = tool("restore", backup, "--data", target)
    expect(result.returncode == 0, f"the same restore goes on after it was killed ({result.stderr})")
    tool.refused(73, "not empty", "restore", backup, "--data", target)


def has_rows(folder):
    """Whether the database of a restore has more than its tables."""
    try:
        database = sqlite3.connect(f"file:{folder}/brume.sqlite?mode=ro", uri=True)
        with contextlib.closing(database):
            return database.execute("SELECT count(*) FROM records").fetchone()[0] > 0
    except sqlite3.Error:
        return False


def fill(server, big):
    """A zone, an asset, a subscription, a device that is away."""
    alice = server.client("alice", "mac")
    alice.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    record = save(alice, "with-file", "a file", file={"value": upload(alice, big)})
    expect("fields" in record, "a record with an asset is saved")
    save(alice, "old", "goes")
    # Its type is there now.
    subscribe(alice, "notes")
    Listener(server.client("alice", "phone"))._connect().close()
    return alice


def run(binary, folder, options):
    server = Server(binary, f"{folder}/first").start()
    try:
        check(binary, folder, options, server)
    finally:
        if server.process.poll() is None:
            server.kill()


def check(binary, folder, options, server):
    tool, big = Tool(binary), random.Random(3).randbytes(2_500_000)
    alice = fill(server, big)
    _, token = changes(alice)
    near = Listener(server.client("alice", "pad"))
    near.listen()
    writers = [Writer(server, index) for index in range(WRITERS)]
    for writer in writers:
        writer.start()
    expect(near.wait_until(lambda events: len(events) > 10, 60), "pushes arrive at a stream while writers save")
    expect(all(writer.many.wait(60) for writer in writers), "each writer has saved 50 records")
    before = set().union(*(writer.known() for writer in writers))
    position = near.cursor
    backup = f"{folder}/backup"
    result = tool("backup", backup, "--data", f"{folder}/first")
    expect(result.returncode == 0, f"a backup while {WRITERS} writers save ({result.stdout.strip()} {result.stderr})")
    after = set().union(*(writer.known() for writer in writers))
    expect(len(after) > len(before), "writers went on meanwhile")
    expect(os.stat(backup).st_mode & 0o777 == 0o600, "the file is for its owner only")
    second = continue_backup(tool, folder, backup, "second.brume", "while they still save")
    for writer in writers:
        writer.ended.set()
    for writer in writers:
        writer.join(20)
    small = random.Random(4).randbytes(300_000)
    save(alice, "with-another", "a file", file={"value": upload(alice, small, "with-another")})
    delete(alice, "old")
    _, late = changes(alice)
    third = continue_backup(tool, folder, second, "third.brume", "with a new asset and a deletion")
    whole = f"{folder}/whole.brume"
    result = tool("backup", whole, "--data", f"{folder}/first")
    sizes = [os.path.getsize(path) for path in (third, whole)]
    expect(result.returncode == 0 and sizes[0] + len(big) < sizes[1], f"and leaves out what is in the others {sizes}")
    saved = set().union(*(writer.known() for writer in writers)) | {"with-another"}
    if options.control:
        data = bytearray(open(backup, "rb").read())
        data[-3_000] ^= 1
        open(backup, "wb").write(data)
    found = tool("backup", "--verify", backup)
    expect(found.returncode == 0 and "every hash is right" in found.stdout, f"the backup is whole ({found.stderr})")
    found = tool("backup", "--verify", third)
    expect(found.returncode == 0 and "continues" in found.stdout and "assets in earlier ones" in found.stdout,
           f"a chain of three is whole ({found.stderr})")
    if options.postgres:
        server.kill()
        return check_postgres(tool, binary, folder, third, server.values, saved)
    check_wrong_use(tool, folder, server, backup)
    check_damage(tool, folder, backup)
    check_chain(tool, folder, [backup, second, third])
    check_resuming(tool, folder, server)
    values = server.values
    server.kill()
    shutil.rmtree(f"{folder}/first")
    check_plain(tool, binary, folder, backup, values, before)
    check_killed_restore(tool, binary, folder, third)
    restored = Server(binary, f"{folder}/second").start()
    try:
        check_restored(restored, values, {"with-file": big, "with-another": small}, saved, (token, late), position)
    finally:
        restored.stop()
    backup_in_place.run(tool, binary, folder, backup, third, (fill, save, changes, download, big))


def continue_backup(tool, folder, earlier, name, what):
    """Answers its path."""
    path = f"{folder}/{name}"
    result = tool("backup", path, "--since", earlier, "--data", f"{folder}/first")
    expect(result.returncode == 0, f"a backup continues another, {what} ({result.stdout.strip()} {result.stderr})")
    expect(os.stat(path).st_mode & 0o777 == 0o600, "the file is for its owner only")
    left = [end for end in (".part", ".new") if os.path.exists(path + end)]
    expect(left == [] and os.listdir(f"{folder}/first/snapshots") == [], f"nothing else is left {left}")
    return path


def check_plain(tool, binary, folder, backup, values, before):
    """The whole backup alone: the state at which it was taken."""
    target = f"{folder}/plain"
    # As a new volume of ext4 is.
    os.makedirs(f"{target}/lost+found")
    result = tool("restore", backup, "--data", target)
    expect(result.returncode == 0, f"the first backup comes back alone ({result.stderr})")
    server = Server(binary, target).start()
    try:
        server.values = {**values, "BRUME_URL": server.values["BRUME_URL"]}
        records, _ = changes(server.client("alice", "mac"))
        expect(before <= set(records) and "old" in records, "with all that was answered before it began")
        doctor = tool("doctor", "--data", target)
        expect(doctor.returncode == 0, f"the doctor finds nothing wrong ({doctor.stdout} {doctor.stderr})")
    finally:
        server.stop()


def check_postgres(tool, binary, folder, backup, values, saved):
    """A backup of SQLite comes back into PostgreSQL, and one of that continues it."""
    postgres = Postgres()
    target = f"{folder}/beside-postgres"
    try:
        os.makedirs(f"{folder}/used/assets")
        with open(f"{folder}/used/usage.json", "w", encoding="utf-8") as file:
            file.write("{}")
        tool.refused(73, "is not empty ('usage.json' is in it)", "restore", backup, "--data", f"{folder}/used", "--store", postgres.url)
        result = tool("restore", backup, "--data", target, "--store", postgres.url)
        expect(result.returncode == 0, f"a chain comes back into PostgreSQL ({result.stderr})")
        tool.refused(73, "not empty", "restore", backup, "--data", f"{folder}/other", "--store", postgres.url)
        server = Server(binary, target, store=postgres.url).start()
        try:
            server.values = {**values, "BRUME_URL": server.values["BRUME_URL"]}
            alice = server.client("alice", "mac")
            records, _ = changes(alice)
            expect(saved <= set(records), f"all {len(saved)} saves are there")
            expect(len(download(records["with-another"])) > 0, "and the assets")
            save(alice, "in-postgres", "new")
            fourth = f"{folder}/fourth.brume"
            result = tool("backup", fourth, "--since", backup, "--data", target)
            expect(result.returncode == 0, f"a backup of PostgreSQL continues one of SQLite ({result.stderr})")
            check = tool("backup", "--verify", fourth)
            expect(check.returncode == 0 and "PostgreSQL" in check.stdout, f"and is whole ({check.stderr})")
            _, token = changes(alice)
            place, store = beside(tool, postgres, folder, target, fourth)
        finally:
            server.stop()
        server = Server(binary, place, store=store).start()
        try:
            server.values = {**values, "BRUME_URL": server.values["BRUME_URL"]}
            alice = server.client("alice", "mac")
            answer, _ = changes(alice, token)
            expect("reason" in answer, f"a token of before is refused there: {answer.get('reason', answer)}")
            records, _ = changes(alice)
            expect(saved | {"in-postgres"} <= set(records), "and all is there that was in the backup")
            expect(len(download(records["with-another"])) > 0, "with the assets")
        finally:
            server.stop()
    finally:
        postgres.stop()


def beside(tool, postgres, folder, target, backup):
    """A server on PostgreSQL is not restored in place: it says what to type instead, and that is typed. Answers the data
    folder and the store of the server that runs on it."""
    refused = tool.refused(73, "other servers may use it", "restore", backup, "--in-place", "--yes", "--data", target)
    said = refused.stderr
    database = re.search(r"'createdb (\S+)'", said).group(1)
    words = re.search(r"'brume (restore FILE [^']*)'", said).group(1)
    expect("then stop all servers, and start them with this --store and --data" in said, f"it says each step: {said.strip()}")
    place, server = f"{folder}/restored-beside", postgres.url.rpartition("/")[0]
    done = postgres.answer(f"sql {postgres.url} CREATE DATABASE {database}")
    expect(done == "done", f"the empty database is made {done}")
    words = words.replace("FILE", backup).replace("./restored", place).replace("postgres://…", server)
    result = tool(*words.split())
    expect(result.returncode == 0, f"and what it says brings the backup back: {words} {result.stderr}")
    return place, f"{server}/{database}"


def check_restored(server, values, files, before, tokens, position):
    # Clients go on with the credentials that they have.
    address = server.values["BRUME_URL"]
    server.values = {**values, "BRUME_URL": address}
    alice = server.client("alice", "mac")
    for token in tokens:
        answer, _ = changes(alice, token)
        expect(answer.get("serverErrorCode") == "BAD_REQUEST" or "reason" in answer,
               f"a token of before is refused: {answer.get('reason', answer)}")
    records, token = changes(alice)
    lost = before - set(records)
    expect(not lost, f"nothing of {len(before)} saves that were answered before the last backup is lost {sorted(lost)[:5]}")
    expect("fields" not in records.get("old", {}), "what was deleted is deleted")
    for name, data in files.items():
        expect(download(records[name]) == data, f"the bytes of the asset of {name} are there")
    save(alice, "afterwards", "new")
    fresh, _ = changes(alice, token)
    expect(set(fresh) == {"afterwards"}, "a new token brings what came after it, and nothing else")
    phone = Listener(server.client("alice", "phone"))
    phone.listen()
    expect(phone.wait_until(lambda events: len(events) > 0, 120), "pushes that waited are delivered")
    pad = Listener(server.client("alice", "pad"))
    pad.cursor = position
    pad.listen()
    expect(pad.wait_until(lambda events: len(events) > 0, 120),
           "a stream that goes on from a position of before gets what it may have missed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="brume-backup-") as folder:
        try:
            run(options.brume, folder, options)
        except SystemExit as failure:
            if options.control and "the backup is whole" in str(failure):
                return print("  ok: the control finds the damage")
            raise
        if options.control:
            raise SystemExit("FAILED: the control found no damage")


if __name__ == "__main__":
    main()
