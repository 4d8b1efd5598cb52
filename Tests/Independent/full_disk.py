"""A disk that gets full under the server, three times: what was answered stays, writes are refused for
now, reads go on; and when there is room everything goes on without a restart, pushes too. An upload that has no room says so.
A backup is made on another disk meanwhile, and the server starts again on the full one, killed or stopped.

A quota that is used up (faults/syscalls.c) and a limit for sizes of files (RLIMIT_FSIZE) are met in the same way.

Needs a small file system of its own: it is mounted in a mount namespace, and without the right to do that
only the two limits are tested, which is said.
"""
import argparse
import errno
import http.client
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.parse

from brume_server import Listener, Refused, Server, skip
from syscalls import Plan, compile_library

ZONE = {"zoneName": "Notes"}


def check(condition, what):
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def save(client, name):
    record = {"recordType": "Note", "recordName": name, "fields": {"text": {"value": "x" * 3000}}}
    # A save that is refused for now may have been done: its repetition is answered as done.
    answer = client.call("records/modify", {
        "zoneID": ZONE, "operations": [{"operationType": "create", "record": record}],
        "brume": {"operationID": f"op-{name}"}})
    check("serverErrorCode" not in answer["records"][0], f"{name}: {answer}")


def names(client):
    found, token = set(), None
    while True:
        zone = {"zoneID": ZONE, **({"syncToken": token} if token else {})}
        page = client.call("changes/zone", {"zones": [zone]})["zones"][0]
        found |= {record["recordName"] for record in page["records"]}
        token = page["syncToken"]
        if not page.get("moreComing"):
            return found


def fill(path):
    with open(path, "wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass


def round_of(number, folder, server, mac, phone, acknowledged):
    filler = os.path.join(folder, "filler")
    fill(filler)
    refused = []
    for attempt in range(2000):
        name = f"full-{number}-{attempt}"
        try:
            save(mac, name)
            acknowledged.add(name)
        except Refused as refusal:
            refused.append(str(refusal))
            if len(refused) == 5:
                break
    check(len(refused) == 5, "a full disk refuses writes")
    check(all("503" in text and "TRY_AGAIN_LATER" in text for text in refused), f"as it should: {refused}")
    check(server.process.poll() is None, f"the server runs on; it ended with {server.process.poll()}")
    check(acknowledged <= names(mac), "reads go on, and hold all that was answered")
    before = len(phone.events)
    os.remove(filler)
    deadline = time.monotonic() + 60
    while True:
        try:
            save(mac, f"room-{number}")
            break
        except Refused:
            check(time.monotonic() < deadline, "writes are taken again within 60 s")
    acknowledged.add(f"room-{number}")
    check(phone.wait_until(lambda events: len(events) > before, 120), "pushes go on")


def upload_without_room(data, server, client, what="place for assets"):
    """A file that is larger than what is left of the disk. Nothing of it stays."""
    answer = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
        {"recordType": "Note", "recordName": "large", "fieldName": "file"}]})
    place = urllib.parse.urlparse(answer["tokens"][0]["url"])
    connection = http.client.HTTPConnection(*server.address, timeout=120)
    connection.request("POST", f"{place.path}?{place.query}", os.urandom(24 << 20))
    answer = connection.getresponse()
    text = answer.read().decode()
    check(answer.status == 503 and f"{what} has no room" in text, f"it says why: {answer.status} {text[:300]}")
    check(os.listdir(os.path.join(data, "assets/incoming")) == [], "nothing of the file stays")


def refused_saves(client, prefix, count=3):
    """What the server says when it saves nothing; a few of the first may still have room."""
    refused, saved = [], set()
    for attempt in range(2000):
        try:
            save(client, f"{prefix}-{attempt}")
            saved.add(f"{prefix}-{attempt}")
        except Refused as refusal:
            refused.append(str(refusal))
            if len(refused) == count:
                break
    check(len(refused) == count and all("503" in text and "TRY_AGAIN_LATER" in text for text in refused),
          f"{prefix}: saves are refused for now: {refused}")
    check(client.server.process.poll() is None, f"{prefix}: the server runs on")
    return saved


def saves_again(client, name):
    deadline = time.monotonic() + 60
    while True:
        try:
            return save(client, name)
        except Refused:
            check(time.monotonic() < deadline, f"{name}: writes are taken again within 60 s")


def backup(brume, server, target):
    """On another disk, from a server whose own takes neither a snapshot nor a line of the audit log."""
    made = subprocess.run([brume, "backup", target, "--data", server.folder], capture_output=True, text=True)
    check(made.returncode == 0, f"a backup on another disk: {made.returncode} {made.stderr}")
    verified = subprocess.run([brume, "backup", "--verify", target], capture_output=True, text=True)
    check(verified.returncode == 0, f"it is whole: {verified.stderr}")
    os.remove(target)


def start_at_once(server):
    """Without `server.json`, which may have no room: at the address of before."""
    host, port = server.address
    with open(server.log, "ab") as log:
        server.process = subprocess.Popen(
            [server.binary, "serve", "--dev", "--port", str(port), "--data", server.folder, "--marks", "none",
             "--log-level", "error"], stdout=subprocess.DEVNULL, stderr=log)
    deadline = time.monotonic() + 120
    while True:
        check(server.process.poll() is None, f"it starts on a full disk; it ended with {server.process.poll()}")
        check(time.monotonic() < deadline, "it is ready within 120 s")
        try:
            connection = http.client.HTTPConnection(host, port, timeout=10)
            connection.request("GET", "/_brume/health/ready")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.05)


def starts_on_a_full_disk(brume, folder, server, acknowledged):
    fillers = [os.path.join(folder, "filler")]
    fill(fillers[0])
    acknowledged |= refused_saves(server.client("alice", "mac"), "before")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as elsewhere:
        backup(brume, server, os.path.join(elsewhere, "full.brume"))
    for number, end in enumerate((server.kill, server.stop, server.kill, server.kill, server.stop)):
        end()
        # Whatever the end gave back.
        fillers.append(os.path.join(folder, f"filler-{number}"))
        fill(fillers[-1])
        start_at_once(server)
        client = server.client("alice", "mac")
        check(acknowledged <= names(client), f"start {number} on a full disk: all that was answered is read")
        acknowledged |= refused_saves(client, f"start-{number}")
    for filler in fillers:
        os.remove(filler)
    client = server.client("alice", "mac")
    saves_again(client, "room-after-starts")
    acknowledged.add("room-after-starts")
    deadline = time.monotonic() + 60
    while subprocess.run([brume, "status", "--data", server.folder], capture_output=True).returncode != 0:
        check(time.monotonic() < deadline, "commands find the server within 60 s")
        time.sleep(0.1)


def limits(brume, place):
    """A quota, and then a limit for sizes of files, under a server that runs."""
    library = compile_library(place)
    if library is None:
        return skip("there is no C compiler")
    plan, data = Plan(os.path.join(place, "plan")), os.path.join(place, "limited")
    plan.set()
    server = Server(brume, data, log=os.path.join(place, "log"), environment={
        "LD_PRELOAD": library, "FAULT_PLAN": plan.path, "FAULT_FOLDER": data, "FAULT_WRITES": "1"}).start()
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    save(client, "first")
    answered = {"first"}
    plan.set(1, errno.EDQUOT, True)
    check(refused_saves(client, "quota") == set(), "nothing is saved without a quota")
    # Before the file there is a row.
    upload_without_room(data, server, client, "storage")
    check(answered <= names(client), "reads go on without a quota")
    plan.set()
    saves_again(client, "after-quota")
    log = os.path.getsize(os.path.join(data, "brume.sqlite-wal"))
    kept = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (log, kept[1]))
    answered |= refused_saves(client, "limit") | {"after-quota"}
    check(answered <= names(client), "reads go on at the limit for sizes of files")
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, kept)
    saves_again(client, "after-limit")
    check(answered | {"after-limit"} <= names(client), "nothing is lost to a limit")
    check(server.stop() == 0, "it ends in good order")
    with open(server.log, encoding="utf-8", errors="replace") as file:
        said = file.read()
    check("quota" in said and "ulimit -f" in said, f"the log says which limit it is: {said[-500:]}")
    print("full disk: a quota and a limit for sizes of files refuse saves for now, and lose none")
    return None


def inside(brume, folder):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], check=True)
    server = Server(brume, os.path.join(folder, "data"), log=folder + ".log").start()
    mac, phone = server.client("alice", "mac"), Listener(server.client("alice", "phone"))
    mac.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    mac.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "zone", "zoneID": ZONE,
        "notificationInfo": {"shouldSendContentAvailable": True}}}]})
    phone.listen()
    save(mac, "first")
    check(phone.wait_until(lambda events: events, 120), "a push before")
    upload_without_room(server.folder, server, mac)
    acknowledged = {"first"}
    for number in range(3):
        round_of(number, folder, server, mac, phone, acknowledged)
    server.kill()
    server.start()
    check(acknowledged <= names(server.client("alice", "mac")), "what was answered is there after kill -9")
    starts_on_a_full_disk(brume, folder, server, acknowledged)
    check(server.stop() == 0, "it ends in good order")
    print(f"full disk: 3 rounds, {len(acknowledged)} saves answered, none lost")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.brume, options.inside)
    own = ["unshare", "--mount"] + ([] if os.geteuid() == 0 else ["--map-root-user"])
    with tempfile.TemporaryDirectory() as place:
        limits(options.brume, place)
        folder = os.path.join(place, "mounted")
        os.mkdir(folder)
        may = subprocess.run([*own, "mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True)
        if may.returncode != 0:
            return skip("a file system cannot be mounted here")
        return subprocess.run(
            [*own, sys.executable, __file__, "--brume", options.brume, "--inside", folder]).returncode


if __name__ == "__main__":
    sys.exit(main())
