"""A PostgreSQL whose disk gets full under a server, again and again: what was answered stays, saves are refused for now
with an error that names what to do, reads go on; and when there is room everything goes on without a restart of the
server, pushes too.

Tables are on a small file system of their own, which is mounted in a mount namespace; without the right to do that
nothing is tested, which is said. With --whole all of PostgreSQL is there, its write-ahead log too: then PostgreSQL
itself ends when the disk is full, and is started again by whoever supervises it, as soon as there is room.
"""
import argparse
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import time

from brume_server import Listener, Refused, Server, expect, skip
from full_disk import ZONE, fill, names, save
from postgres import Postgres


class Phone(Listener):
    """Comes back when its stream has ended, as devices do: the server ends it if its mailbox cannot be read."""

    thread = None

    def gets_more_than(self, count, seconds):
        deadline = time.monotonic() + seconds
        while not self.wait_until(lambda events: len(events) > count, 0.5):
            if time.monotonic() > deadline:
                return False
            self.come_back()
        return True

    def come_back(self):
        if self.thread is None or not self.thread.is_alive():
            try:
                self.thread = self.listen()
            except (OSError, http.client.HTTPException, Refused):
                pass


def saves_until_refused(mac, number, acknowledged, refusals):
    refused = []
    for attempt in range(3000):
        name = f"full-{number}-{attempt}"
        try:
            save(mac, name)
            acknowledged.add(name)
        except Refused as refusal:
            refused.append(str(refusal))
            if len(refused) == refusals:
                break
    expect(len(refused) == refusals and all("503" in text and "TRY_AGAIN_LATER" in text for text in refused),
           f"a full database refuses saves for now ({refused[:1]})")


def saves_again(mac, name, acknowledged):
    deadline = time.monotonic() + 120
    while True:
        try:
            save(mac, name)
            break
        except Refused:
            if time.monotonic() > deadline:
                raise SystemExit("FAILED: saves are not taken again 30 s after there was room")
            time.sleep(0.1)
    acknowledged.add(name)


def round_of(number, disk, postgres, server, mac, phone, acknowledged, whole):
    filler = os.path.join(disk, "filler")
    fill(filler)
    # While PostgreSQL is away each answer takes its time.
    saves_until_refused(mac, number, acknowledged, 1 if whole else 5)
    expect(server.process.poll() is None, "the server runs on")
    if not whole:
        expect(acknowledged <= names(mac), "reads go on, and hold all that was answered")
    before = len(phone.events)
    os.remove(filler)
    postgres.order("revive")
    saves_again(mac, f"room-{number}", acknowledged)
    expect(phone.gets_more_than(before, 120), "with room saves and pushes go on")
    expect(acknowledged <= names(mac), f"none of {len(acknowledged)} saves that were answered is lost")


def database_on(disk, postgres):
    """The URL of a database whose tables are there, while the log of PostgreSQL is elsewhere."""
    place = os.path.join(disk, "tables")
    os.mkdir(place)
    shutil.chown(place, "postgres", "postgres")
    postgres.order(f"sql {postgres.url} CREATE TABLESPACE small LOCATION '{place}'")
    postgres.order(f"sql {postgres.url} CREATE DATABASE small TEMPLATE template0 TABLESPACE small")
    return postgres.url.replace("/postgres", "/small")


def inside(brume, disk, whole):
    size = "160m" if whole else "32m"
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=777", "tmpfs", disk], check=True)
    if whole:
        os.environ["TMPDIR"] = disk
    postgres = Postgres("min_wal_size=32MB", "max_wal_size=32MB")
    try:
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            judge(brume, disk, postgres, folder, whole)
    finally:
        postgres.stop()


def judge(brume, disk, postgres, folder, whole):
    log = os.path.join(folder, "log")
    url = postgres.url if whole else database_on(disk, postgres)
    server = Server(brume, os.path.join(folder, "data"), store=url, log=log).start()
    mac, phone = server.client("alice", "mac"), Phone(server.client("alice", "phone"))
    mac.timeout = 60
    mac.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    mac.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "zone", "zoneID": ZONE,
        "notificationInfo": {"shouldSendContentAvailable": True}}}]})
    phone.thread = phone.listen()
    save(mac, "first")
    acknowledged = {"first"}
    for number in range(3 if whole else 2):
        round_of(number, disk, postgres, server, mac, phone, acknowledged, whole)
    with open(log) as file:
        said = file.read()
    expect("disk is full; make room on it" in said or whole, "the log names what to do")
    expect(server.stop() == 0, "it ends in good order")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--whole", action="store_true", help="with PostgreSQL's own log on the disk that gets full")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        return inside(options.brume, options.inside, options.whole)
    # PostgreSQL is another user, whom a namespace of one's own does not know.
    if os.geteuid() != 0:
        return skip("only root can mount a file system that PostgreSQL may write to")
    with tempfile.TemporaryDirectory() as disk:
        os.chmod(disk, 0o755)
        may = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True)
        if may.returncode != 0:
            return skip("a file system cannot be mounted here")
        more = ["--whole"] if options.whole else []
        return subprocess.run(["unshare", "--mount", sys.executable, __file__, "--brume", options.brume,
                               "--inside", disk, *more]).returncode


if __name__ == "__main__":
    sys.exit(main())
