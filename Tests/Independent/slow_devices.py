"""Devices that are connected and never read, for minutes, while pushes come for them: each costs a bounded amount of memory, is cut
at last, and nobody else notices.

usage: slow_devices.py --brume PATH [--seconds 300] [--devices 100] [--judge]

With `--judge`, for a release build on a machine that does nothing else, the times of others are judged too.
"""
import argparse
import json
import socket
import sys
import tempfile
import threading
import time
import urllib.parse

from brume_server import Listener, Server, expect
from memory import resident

ZONE = {"zoneName": "Notes"}
# Megabytes that all of them together may cost, and how much slower a save may be beside them.
MEMORY, SLOWER, LEAST = 50, 1.2, 0.02
A_SECOND = 100


def created(number):
    return {"operationType": "forceUpdate", "record": {"recordType": "Note", "recordName": f"n{number % 1000}", "fields": {
        "text": {"value": "x" * 500}}}}


def connect(server, user, number):
    """A stream whose answer nobody reads, into as small a buffer as there may be."""
    client = server.client(user, f"slow{number}")
    query = {"container": server.values["BRUME_CONTAINER"], "environment": server.values["BRUME_ENVIRONMENT"]}
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    connection.connect(server.address)
    connection.sendall((f"GET /_brume/stream?{urllib.parse.urlencode(query)}&{client.credentials()} HTTP/1.1\r\n"
                        "Host: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n").encode())
    return connection


def subscribe(client):
    client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneID": ZONE, "query": {"recordType": "Note"},
        "firesOn": ["create", "update"], "notificationInfo": {"alertBody": "y" * 200, "desiredKeys": ["text"]}}}]})


def saves(server, seconds, times, rate):
    """Saves of one device, so many a second, each with the time that it took."""
    client, began, count = server.client("alice", "mac"), time.monotonic(), 0
    while time.monotonic() < began + seconds:
        start = time.monotonic()
        answer = client.call("records/modify", {"zoneID": ZONE, "operations": [created(count)]})
        if "serverErrorCode" in answer["records"][0]:
            raise SystemExit(f"FAILED: {json.dumps(answer)[:300]}")
        times.append(time.monotonic() - start)
        count += 1
        time.sleep(max(0, began + count / rate - time.monotonic()))


def p99(times):
    return sorted(times)[int(len(times) * 0.99)]


def run(server, options):
    client = server.client("alice", "setup")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    client.call("records/modify", {"zoneID": ZONE, "operations": [created(0)]})
    subscribe(client)
    reader = Listener(server.client("alice", "phone"))
    reader.listen()
    alone, beside = [], []
    saves(server, min(20, options.seconds / 3), alone, A_SECOND)
    before = resident(server.process)
    # A user has at most 50 devices: the others are of a user with the same subscription and no saves.
    slow = [connect(server, "alice", number) for number in range(min(options.devices, 45))]
    worker = threading.Thread(target=saves, args=(server, options.seconds, beside, A_SECOND))
    worker.start()
    most = 0
    while worker.is_alive():
        most = max(most, resident(server.process))
        worker.join(1)
    grown, seen = (most - before) / 1024, len(reader.events)
    print(f"  {len(slow)} devices that never read, {len(beside)} saves beside them: the server grew by {grown:.0f} MB; a save took "
          f"{p99(alone) * 1000:.1f} ms alone and {p99(beside) * 1000:.1f} ms beside (p99); a device that reads got {seen} pushes")
    measured = (grown, p99(alone), p99(beside), seen)
    problems = judgement(*measured, options.judge)
    # What is too large, too slow or silent has to be found.
    for name, spoilt in {"large": (MEMORY + 1, *measured[1:]), "silent": (*measured[:3], 0)}.items():
        if not judgement(*spoilt, options.judge):
            problems.append(f"control '{name}' was not found")
    for one in slow:
        one.close()
    return problems


def judgement(grown, alone, beside, seen, is_judged):
    problems = []
    if grown > MEMORY:
        problems.append(f"devices that never read cost {grown:.0f} MB")
    if is_judged and beside > max(LEAST, SLOWER * alone):
        problems.append(f"a save takes {beside * 1000:.1f} ms beside them, {alone * 1000:.1f} alone")
    return problems + (["a device that reads got nothing"] if seen == 0 else [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--devices", type=int, default=45)
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.brume, folder).start()
        try:
            problems = run(server, options)
            expect(server.process.poll() is None and server.stop() == 0, "the server ends in good order")
        finally:
            if server.process.poll() is None:
                server.kill()
    for problem in problems:
        print(f"  FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
