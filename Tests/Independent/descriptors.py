"""A server that may have few file descriptors, and somebody who takes them all with connections: whom it serves it goes on
serving, nothing that was answered is lost, it does not spin, and when the connections are gone everybody is served again,
without a restart.

usage: descriptors.py --brume PATH [--rounds 1] [--control]

`--control` judges a run in which the connections stay: that nobody else is served then has to be found.
"""
import argparse
import contextlib
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time

from brume_server import Refused, Server, expect

DESCRIPTORS, TAKEN = 160, 400
ZONE = {"zoneName": "Notes"}


class Narrow(Server):
    """May open so many files and sockets."""

    def start(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, before[1]))
        try:
            return super().start()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)


def save(client, name):
    answer = client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": name, "fields": {"text": {"value": name}}}}]})
    if "serverErrorCode" in answer["records"][0]:
        raise Refused(str(answer["records"][0]))


def names(client):
    found, token, more = set(), None, True
    while more:
        zone = {"zoneID": ZONE, **({"syncToken": token} if token else {})}
        page = client.call("changes/zone", {"zones": [zone]})["zones"][0]
        found |= {record["recordName"] for record in page["records"]}
        token, more = page["syncToken"], page["moreComing"]
    return found


def take(address):
    """Connections that ask for nothing. The kernel takes those that the server cannot."""
    held = []
    for _ in range(TAKEN):
        one = socket.socket()
        one.settimeout(2)
        with contextlib.suppress(OSError):
            one.connect(address)
            one.sendall(b"GET /")
        held.append(one)
    return held


def open_files(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def seconds_of_work(process):
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def served(server, name, seconds):
    """Whether somebody who comes now is served within the time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError, Refused):
            client = server.client("alice", "phone")
            client.timeout = 2
            save(client, name)
            return True
        time.sleep(0.1)
    return False


def run(brume, folder, stays):
    server = Narrow(brume, folder, log=folder + ".log",
                    extra=["--address-connections", "10000", *(["--timeout-header", "600"] if stays else [])])
    server.start()
    try:
        client = server.client("alice", "mac")
        client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        answered = set()
        for number in range(5):
            save(client, f"before-{number}")
            answered.add(f"before-{number}")
        held, taken = [], 0
        while taken < DESCRIPTORS - 8 and len(held) < 5 * TAKEN:
            # Where this process is stopped meanwhile, the first of them are over already.
            held += take(server.address)
            taken = open_files(server.process)
        work, before = seconds_of_work(server.process), time.monotonic()
        expect(taken >= DESCRIPTORS - 8, f"{taken} of {DESCRIPTORS} descriptors are taken")
        for number in range(20):
            save(client, f"during-{number}")
            answered.add(f"during-{number}")
        expect(answered <= names(client), "who was served before is served on: saves and feeds")
        time.sleep(max(0, before + 3 - time.monotonic()))
        share = (seconds_of_work(server.process) - work) / (time.monotonic() - before)
        expect(share < 0.7, f"the server does not spin: {share:.0%} of a processor, with 20 saves")
        expect(server.process.poll() is None, "the server runs on")
        if not stays:
            for one in held:
                one.close()
        # Whoever hangs up in the middle of a header keeps the descriptor until the header's time is over: 10 s.
        if not served(server, "afterwards", 20):
            raise SystemExit("FAILED: nobody else is served within 20 s of the end of the connections")
        expect(answered | {"afterwards"} <= names(server.client("alice", "tv")),
               "when the connections are gone everybody is served, and everything that was answered is there")
        expect(server.stop() == 0, "the server ends in good order")
    finally:
        if server.process.poll() is None:
            server.kill()
        with open(folder + ".log", encoding="utf-8", errors="replace") as log:
            said = log.read()
        if os.environ.get("SHOW_LOG"):
            print(said[-3000:])
    deep = subprocess.run([brume, "doctor", "--deep", "--data", folder], capture_output=True, text=True).stdout
    wrong = [line for line in deep.splitlines() if line.startswith("wrong") and "no server " not in line]
    expect(not wrong, f"the data are sound {wrong or ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--rounds", type=int, default=1, help="each with a server and data of its own")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    # Of our own there have to be enough.
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 4096) if most > 0 else 4096, most))
    with tempfile.TemporaryDirectory() as place:
        folder = os.path.join(place, "data")
        if not options.control:
            for number in range(options.rounds):
                run(options.brume, f"{folder}-{number}", stays=False)
            return 0
        try:
            run(options.brume, folder, stays=True)
        except SystemExit as found:
            return expect("nobody else" in str(found), f"control: connections that stay are noticed ({found})")
        raise SystemExit("FAILED: control: connections that stay were not noticed")


if __name__ == "__main__":
    sys.exit(main())
