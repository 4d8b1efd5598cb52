"""One user's zone that is saved to a million times while his devices are away: what waits for them stays bounded, and each gets
what it needs when it comes back.

usage: away.py --brume PATH [--saves 1000000] [--devices 45]

Checked in the database's own rows: at most 100 wait for a device (`Limits.mailboxRows`). A device that comes back gets those, and its
fetch brings every record once.
"""
import argparse
import contextlib
import os
import sqlite3
import sys
import tempfile
import time
import urllib.request

from brume_server import Listener, Server, expect

ZONE = {"zoneName": "Notes"}
BATCH, MOST_ROWS, RETURNING = 200, 100, 3


def subscribe(client):
    client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneID": ZONE, "query": {"recordType": "Note"},
        "firesOn": ["create"], "notificationInfo": {"alertBody": "news"}}}]})


def save(client, first, count=BATCH):
    answer = client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": f"n{number}", "fields": {"text": {"value": f"text {number}"}}}}
        for number in range(first, first + count)]})
    if refused := [record for record in answer["records"] if "serverErrorCode" in record]:
        raise SystemExit(f"FAILED: {refused[0]}")


def rows(folder, query):
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "brume.sqlite"), timeout=30)) as database:
        return database.execute(query).fetchall()


def rate(client, first, count):
    began = time.monotonic()
    for number in range(first, first + count, BATCH):
        save(client, number)
    return count / (time.monotonic() - began)


def fetch(client):
    """How many records, how many of them more than once."""
    seen, twice, token, more = set(), 0, None, True
    while more:
        zone = {"zoneID": ZONE, "desiredKeys": [], **({"syncToken": token} if token else {})}
        page = client.call("changes/zone", {"zones": [zone], "resultsLimit": 200})["zones"][0]
        names = {record["recordName"] for record in page["records"]}
        twice += len(names & seen)
        seen |= names
        token, more = page["syncToken"], page["moreComing"]
    return len(seen), twice


def run(server, folder, options):
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    alone = rate(client, 0, max(BATCH, options.saves // 100 // BATCH * BATCH))
    done = max(BATCH, options.saves // 100 // BATCH * BATCH)
    for number in range(options.devices):
        subscribe(server.client("alice", f"away{number}"))
    most, rates, step = 0, [], max(BATCH, (options.saves - done) // 20 // BATCH * BATCH)
    while done < options.saves:
        rates.append(rate(client, done, step))
        done += step
        most = max([most, *(count for (count,) in rows(folder, "SELECT count(*) FROM mailbox GROUP BY device"))])
    size = os.path.getsize(os.path.join(folder, "brume.sqlite-wal"))
    print(f"  {done} saves with {options.devices} devices away: {alone:.0f} a second without them, {min(rates):.0f} to {max(rates):.0f} "
          f"beside; at most {most} rows wait for one; the write-ahead log has {size >> 20} MB")
    problems = judgement(most)
    if not judgement(MOST_ROWS + 1) or not judgement(0):
        problems.append("too much or nothing that waits was not found")
    return problems, done


def judgement(most):
    return [] if 0 < most <= MOST_ROWS else [f"{most} rows wait for one device; the bound is {MOST_ROWS}"]


def lag(server):
    """Changes for which the notifier has not made the pushes yet."""
    with urllib.request.urlopen(server.values["BRUME_URL"] + "/_brume/metrics") as answer:
        lines = [line.split() for line in answer.read().decode().splitlines() if line.startswith("brume_notifier_lag_entries")]
    return sum(int(float(line[-1])) for line in lines)


def come_back(server, done):
    for number in range(RETURNING):
        before, device = lag(server), Listener(server.client("alice", f"away{number}"))
        device.listen()
        if not device.wait_until(lambda events: events, 60):
            raise SystemExit("FAILED: a device that comes back is notified of nothing")
        time.sleep(0.5)
        # Beside what has waited it gets what the notifier makes while it is there.
        made = before - lag(server)
        expect(len(device.events) <= MOST_ROWS + made,
               f"a device that comes back gets {len(device.events)} pushes, of which {made} at most were made meanwhile")
    count, twice = fetch(server.client("alice", "away0"))
    expect((count, twice) == (done, 0), f"its fetch brings all {done} records, none twice")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--saves", type=int, default=1_000_000)
    parser.add_argument("--devices", type=int, default=45, help="of one user, who may have 50")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "data")
        server = Server(options.brume, folder).start()
        try:
            problems, done = run(server, folder, options)
            come_back(server, done)
            expect(server.stop() == 0, "the server ends in good order")
        finally:
            if server.process.poll() is None:
                server.kill()
    for problem in problems:
        print(f"  FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
