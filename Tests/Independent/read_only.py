"""A data folder that can only be read: a server that is started on it ends at once and says why, and changes nothing; one
under which the disk becomes read-only saves nothing more, says so, and loses nothing that it had answered.

The folder is on a file system that is mounted read-only in a mount namespace, and once belongs to another user; under a
running server all calls that change files are refused with EROFS (faults/syscalls.c). What cannot be done here is said.
"""
import argparse
import contextlib
import errno
import http.client
import os
import subprocess
import sys
import tempfile
import time

from brume_server import Refused, Server, expect, skip
from syscalls import Plan, compile_library

ZONE = {"zoneName": "Notes"}
NOBODY = 65534


def save(client, name):
    return client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": name, "fields": {"text": {"value": name}}}}]})["records"][0]


def names(client):
    page = client.call("changes/zone", {"zones": [{"zoneID": ZONE}]})["zones"][0]
    return {record["recordName"] for record in page["records"]}


def contents(folder):
    """Every file with its bytes."""
    found = {}
    for place, _, files in os.walk(folder):
        for name in files:
            with open(os.path.join(place, name), "rb") as file:
                found[os.path.join(place, name)] = file.read()
    return found


def refused(command, folder, what):
    """The start fails soon, with a sentence about the folder."""
    began, before = time.monotonic(), contents(folder)
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    said = ended.stderr.strip()
    if ended.returncode <= 0:
        raise SystemExit(f"FAILED: {what}: the server ended with {ended.returncode}: {said[-300:]}")
    if folder not in said or not any(word in said for word in ("cannot be written", "Read-only", "read-only", "ermission denied")):
        raise SystemExit(f"FAILED: {what}: it does not say why: {said[-300:]}")
    if "Fatal error" in said or contents(folder) != before:
        raise SystemExit(f"FAILED: {what}: {said[-300:]}")
    expect(True, f"{what}: {said.splitlines()[-1][:150]} (after {time.monotonic() - began:.1f} s)")


def starts(brume, place):
    data = os.path.join(place, "data")
    server = Server(brume, data).start()
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    save(client, "first")
    expect(server.stop() == 0, "a folder to begin with")
    command = [brume, "serve", "--dev", "--port", "0", "--data", data, "--marks", "none"]
    mounts = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    script = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
    if subprocess.run([*mounts, "sh", "-c", script, data, "true"], capture_output=True).returncode == 0:
        refused([*mounts, "sh", "-c", script, data, *command], data, "started on a file system that is read-only")
    else:
        skip("a file system cannot be mounted here")
    if os.geteuid() == 0:
        # As another user. The way to the folder has to be open for him.
        os.chmod(place, 0o755)
        os.chmod(data, 0o755)
        refused(["setpriv", f"--reuid={NOBODY}", "--clear-groups", *command], data, "started by another user")
        os.chmod(data, 0o700)
    server.start()
    client = server.client("alice", "mac")
    expect("first" in names(client) and "serverErrorCode" not in save(client, "second"),
           "when it can be written, everything is there and goes on")
    expect(server.stop() == 0, "the server ends in good order")


def under_a_server(brume, place):
    library = compile_library(place)
    if library is None:
        return skip("there is no C compiler")
    plan, data, log = Plan(os.path.join(place, "plan")), os.path.join(place, "live"), os.path.join(place, "log")
    plan.set()
    server = Server(brume, data, log=log, environment={
        "LD_PRELOAD": library, "FAULT_PLAN": plan.path, "FAULT_FOLDER": data}).start()
    try:
        client, answered = server.client("alice", "mac"), {"before"}
        client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        save(client, "before")
        plan.set(1, errno.EROFS, True)
        outcomes = []
        for number in range(5):
            with contextlib.suppress(OSError, http.client.HTTPException):
                try:
                    record = save(client, f"during-{number}")
                    outcomes.append(record.get("serverErrorCode", "saved"))
                    answered |= {f"during-{number}"} if "serverErrorCode" not in record else set()
                except Refused as refusal:
                    outcomes.append("refused" if "503" in str(refusal) else str(refusal))
        expect("saved" not in outcomes and set(outcomes) <= {"refused"}, f"nothing is saved while all calls are refused: {outcomes}")
        # What became of the last write is unknown, so the server ends (docs/promises.md).
        deadline = time.monotonic() + 120
        while server.process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)
        status = server.process.poll()
        expect(status is not None and status > 0, f"the server ends, with status {status}")
        plan.set()
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read()
            expect("SQLite error" in said and os.strerror(errno.EROFS) in said, "the log says why")
        server.start()
        client = server.client("alice", "tv")
        expect(answered <= names(client), "everything that was answered is there when the disk can be written again")
        expect("serverErrorCode" not in save(client, "after"), "and it goes on")
    finally:
        if server.process.poll() is None:
            server.kill()
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--control", action="store_true", help="on a folder that can be written, a refusal has to be missed")
    options = parser.parse_args()
    brume = os.path.realpath(options.brume)
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        if options.control:
            os.mkdir(os.path.join(place, "data"))
            try:
                refused(["sh", "-c", "exit 0"], os.path.join(place, "data"), "a start that is not refused")
            except SystemExit as found:
                return expect("ended with 0" in str(found), f"control: {found}")
            raise SystemExit("FAILED: control: a start that is not refused was not noticed")
        starts(brume, place)
        return under_a_server(brume, place)


if __name__ == "__main__":
    sys.exit(main())
