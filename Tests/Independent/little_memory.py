"""A server that may have little memory, and many times more work than fits: it refuses some of it, is not killed, and
serves everybody when the callers are gone; and the same, with more memory, while passwords are guessed at. The limit is a control group's, so a server that takes more is killed by the kernel.

Needs the right to make a control group; without it nothing is tested, which is said. `--control` gives the server so little
that it must be killed: that has to be noticed.
"""
import argparse
import collections
import contextlib
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time

import guesses
from brume_server import Refused, Server, expect, skip
from matrix.grammar import Grammar

LIMIT, TOO_LITTLE = 256 << 20, 24 << 20
# More than that where passwords are guessed at: one is looked at at a time, and takes 64 MB.
GUESSED = LIMIT + guesses.BYTES
CALLERS, ZONE = 48, {"zoneName": "Notes"}
VERSION_1, VERSION_2 = "/sys/fs/cgroup/memory", "/sys/fs/cgroup"


class Group:
    """A control group with a limit; `path` is None where none can be made."""

    def __init__(self, limit):
        is_old = os.path.exists(os.path.join(VERSION_1, "memory.limit_in_bytes"))
        self.path = os.path.join(VERSION_1 if is_old else VERSION_2, f"brume-test-{os.getpid()}")
        try:
            os.mkdir(self.path)
            self.write("memory.limit_in_bytes" if is_old else "memory.max", limit)
        except OSError:
            self.close()
            self.path = None

    def write(self, name, value):
        with open(os.path.join(self.path, name), "w") as file:
            file.write(str(value))

    def close(self):
        with contextlib.suppress(OSError):
            os.rmdir(self.path)


def launcher(brume, group, place):
    """A command that is `brume`, and whose server is in the group from its beginning."""
    path = os.path.join(place, "launcher")
    with open(path, "w") as file:
        file.write(f'#!/bin/sh\n[ "$1" != serve ] || echo $$ > "{group.path}/cgroup.procs"\nexec "{brume}" "$@"\n')
    os.chmod(path, 0o700)
    return path


def peak(process):
    with contextlib.suppress(OSError), open(f"/proc/{process.pid}/status") as lines:
        return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)
    return 0


def overload(server, until, outcomes, number):
    """Requests as large as the protocol allows, one after the other."""
    grammar, client = Grammar(random.Random(number)), server.client("bob", f"caller-{number}")
    while time.monotonic() < until:
        try:
            endpoint, database, body = grammar.save() if number % 2 else grammar.chance.choice(grammar.kinds)()
            if not isinstance(body, bytes):
                client.call(endpoint, body, database)
            outcomes["200"] += 1
        except Refused as refusal:
            outcomes[str(refusal).split(": ")[1][:3]] += 1
        except (OSError, http.client.HTTPException) as error:
            outcomes[type(error).__name__] += 1
            client.connection = None


def run(brume, folder, limit, seconds, guessers=0):
    """Whether it could be tried."""
    group = Group(limit)
    if group.path is None:
        skip("a control group cannot be made here")
        return False
    # As in production: with rates, which is what many callers meet first.
    server = Server(launcher(brume, group, os.path.dirname(folder)), folder, extra=["--rate-user", "100"])
    try:
        server.start()
        client = server.client("alice", "mac")
        client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        # With too little, it dies here.
        with contextlib.suppress(OSError, http.client.HTTPException):
            for endpoint, database, body in Grammar(random.Random(0)).beginning():
                server.client("bob", "mac").call(endpoint, body, database)
        answered, outcomes, until = set(), collections.Counter(), time.monotonic() + seconds
        # First, while there is still somebody to start them.
        threads = guesses.threads(server.values, server.address, [random.Random(number) for number in range(guessers)],
                                  until, lambda word: outcomes.update([f"{word} guess"])) if guessers else []
        threads += [threading.Thread(target=overload, args=(server, until, outcomes, number), daemon=True)
                    for number in range(CALLERS)]
        for thread in threads:
            thread.start()
        while time.monotonic() < until:
            name = f"note-{len(answered)}"
            with contextlib.suppress(Refused, OSError, http.client.HTTPException):
                if "serverErrorCode" not in save(client, name):
                    answered.add(name)
            time.sleep(0.05)
        for thread in threads:
            thread.join(30)
        if server.process.poll() is not None:
            raise SystemExit(f"FAILED: the server was ended with {server.process.poll()}")
        most = peak(server.process)
        # A body that is refused may still be on its way: its sender sees the connection's end.
        expect(not [word for word in outcomes if word.startswith("5") and word[:3] != "503"],
               f"each of {CALLERS} callers is served or refused: {json.dumps(outcomes)}; {most >> 20} MB at most")
        deadline, done = time.monotonic() + 10, False
        while not done and time.monotonic() < deadline:
            with contextlib.suppress(Refused, OSError, http.client.HTTPException):
                done = "serverErrorCode" not in save(server.client("alice", "phone"), "afterwards")
        expect(done, "within 10 s of its end everybody is served")
        page = client.call("changes/zone", {"zones": [{"zoneID": ZONE}], "resultsLimit": 200})["zones"][0]
        found = {record["recordName"] for record in page["records"]}
        if guessers:
            expect(outcomes["401 guess"] > 0, f"{outcomes['401 guess']} passwords were guessed at meanwhile")
        expect(page["moreComing"] or answered <= found, f"{len(answered)} saves were answered meanwhile, and are there")
        expect(server.stop() == 0, "the server ends in good order")
    finally:
        if server.process and server.process.poll() is None:
            server.kill()
        group.close()
    return True


def save(client, name):
    return client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": name, "fields": {"text": {"value": name}}}}]})["records"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "data")
        if not options.control:
            if run(os.path.realpath(options.brume), folder, LIMIT, options.seconds):
                run(os.path.realpath(options.brume), folder + "-guessed", GUESSED, options.seconds, guesses.GUESSERS)
            return None
        try:
            if not run(os.path.realpath(options.brume), folder, TOO_LITTLE, 3):
                return None
        except SystemExit as found:
            return expect("ended with" in str(found), f"control: a server without enough is killed, and it is noticed ({found})")
        raise SystemExit("FAILED: control: nothing was noticed")


if __name__ == "__main__":
    sys.exit(main())
