"""A disk that gets full under the server, three times: what was answered stays, writes are refused for
now, reads go on; and when there is room everything goes on without a restart, pushes too. An upload that has no room says so.

Needs a small file system of its own: it is mounted in a mount namespace, and without the right to do that
nothing is tested, which is said.
"""
import argparse
import http.client
import os
import subprocess
import sys
import tempfile
import time
import urllib.parse

from brume_server import Listener, Refused, Server, skip

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


def upload_without_room(folder, server, client):
    """A file that is larger than what is left of the disk. Nothing of it stays."""
    answer = client.call("assets/upload", {"zoneID": ZONE, "tokens": [
        {"recordType": "Note", "recordName": "large", "fieldName": "file"}]})
    place = urllib.parse.urlparse(answer["tokens"][0]["url"])
    connection = http.client.HTTPConnection(*server.address, timeout=120)
    connection.request("POST", f"{place.path}?{place.query}", os.urandom(24 << 20))
    answer = connection.getresponse()
    text = answer.read().decode()
    check(answer.status == 503 and "place for assets has no room" in text, f"it says why: {answer.status} {text[:300]}")
    check(os.listdir(os.path.join(folder, "data/assets/incoming")) == [], "nothing of the file stays")


def inside(brume, folder):
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], check=True)
    server = Server(brume, os.path.join(folder, "data")).start()
    mac, phone = server.client("alice", "mac"), Listener(server.client("alice", "phone"))
    mac.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    mac.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "zone", "zoneID": ZONE,
        "notificationInfo": {"shouldSendContentAvailable": True}}}]})
    phone.listen()
    save(mac, "first")
    check(phone.wait_until(lambda events: events, 120), "a push before")
    upload_without_room(folder, server, mac)
    acknowledged = {"first"}
    for number in range(3):
        round_of(number, folder, server, mac, phone, acknowledged)
    server.kill()
    server.start()
    check(acknowledged <= names(server.client("alice", "mac")), "what was answered is there after kill -9")
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
    with tempfile.TemporaryDirectory() as folder:
        may = subprocess.run([*own, "mount", "-t", "tmpfs", "tmpfs", folder], capture_output=True)
        if may.returncode != 0:
            return skip("a file system cannot be mounted here")
        return subprocess.run(
            [*own, sys.executable, __file__, "--brume", options.brume, "--inside", folder]).returncode


if __name__ == "__main__":
    sys.exit(main())
