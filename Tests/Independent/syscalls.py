"""The Nth system call that changes a file of the data folder fails, with EIO or ENOSPC, once or from then on: while
records are saved, and while a server starts on a folder that another one left by its death. Whatever fails, nothing
that was answered is lost, every request is answered or its connection ended, and a start without faults has all.

A library that is compiled here and preloaded does it (faults/syscalls.c); without a C compiler nothing is tested,
which is said.
"""
import argparse
import errno
import http.client
import mmap
import os
import random
import shutil
import struct
import subprocess
import tempfile
import threading

from brume_server import Refused, Server, expect, skip

ZONE = {"zoneName": "Notes"}
SAVES = 6
TEXT = 50
# Saves that fill the write-ahead log until it is copied into the database, 16 MB, and some more.
MANY, LONG = 16, 80_000
ERRORS = (errno.EIO, errno.ENOSPC)


def fail(what):
    raise SystemExit(f"FAILED: {what}")


class Plan:
    """The page that is shared with the library: calls, at, error, forever, failed."""

    def __init__(self, path):
        with open(path, "wb") as file:
            file.write(bytes(4096))
        self.path, self.file = path, open(path, "r+b")
        self.page = mmap.mmap(self.file.fileno(), 4096)

    def set(self, at=0, error=errno.EIO, forever=False):
        self.page[0:40] = struct.pack("5q", 0, at, error, int(forever), 0)

    @property
    def calls(self):
        return struct.unpack_from("q", self.page, 0)[0]

    @property
    def failed(self):
        return struct.unpack_from("q", self.page, 32)[0]


def compile_library(folder, name="syscalls"):
    """What is preloaded into a server; None without a C compiler."""
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "faults", name + ".c")
    library = os.path.join(folder, name + ".so")
    for compiler in ("cc", "clang", "gcc"):
        if shutil.which(compiler):
            subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
            return library
    return None


class Trial:
    """One folder, one fault."""

    def __init__(self, brume, template, key, folder, library, plan):
        self.brume, self.key, self.folder, self.plan, self.log = brume, key, folder, plan, folder + ".log"
        shutil.copytree(template, folder)
        self.environment = {
            "LD_PRELOAD": library, "FAULT_PLAN": plan.path, "FAULT_FOLDER": folder}

    def server(self, faulty):
        return Server(self.brume, self.folder, environment=self.environment if faulty else None, log=self.log)

    @staticmethod
    def text(name):
        return name * (LONG if name.startswith("long") else TEXT)

    def save(self, client, name):
        """Whether it was answered as saved."""
        record = {"recordType": "Note", "recordName": name, "fields": {"text": {"value": self.text(name)}}}
        try:
            answer = client.call("records/modify", {
                "zoneID": ZONE, "operations": [{"operationType": "create", "record": record}]})
        except TimeoutError:
            fail(f"{name}: no answer within {client.timeout} s")
        except (Refused, http.client.HTTPException, OSError):
            return False
        return "serverErrorCode" not in answer["records"][0]

    def saves(self, client, prefix, count=SAVES):
        """Saves from two devices at once, so that commits are shared."""
        answered, errors = set(), []

        def run(device):
            own = client.server.client("alice", device)
            own.timeout = 15
            try:
                for number in range(count):
                    name = f"{prefix}-{device}-{number}"
                    if self.save(own, name):
                        answered.add(name)
            except SystemExit as error:
                errors.append(error)

        threads = [threading.Thread(target=run, args=(device,)) for device in ("mac", "phone")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if errors:
            raise errors[0]
        return answered

    def check(self, answered, what):
        """Without faults: all is there, and goes on."""
        server = self.server(False).start()
        try:
            client = server.client("alice", "tv")
            found = self.found(client)
            if not answered <= found.keys():
                fail(f"{what}: answered and lost: {sorted(answered - found.keys())}")
            if server.values["BRUME_KEY_ID"] != self.key:
                fail(f"{what}: the ready-made key is another one")
            for name, record in found.items():
                if record["fields"]["text"]["value"] != self.text(name):
                    fail(f"{what}: {name} is not what was saved")
            if not self.save(client, "afterwards"):
                fail(f"{what}: the next server does not save")
            if server.stop() != 0:
                fail(f"{what}: the next server does not end in good order")
        finally:
            if server.process.poll() is None:
                server.kill()
        deep = subprocess.run([self.brume, "doctor", "--deep", "--data", self.folder], capture_output=True, text=True)
        wrong = [line for line in deep.stdout.splitlines() if line.startswith("wrong") and "server:" not in line
                 and "assets:" not in line]
        if wrong:
            fail(f"{what}: {wrong}")

    @staticmethod
    def found(client):
        """All records, by their names."""
        found, zone = {}, {"zoneID": ZONE}
        while True:
            page = client.call("changes/zone", {"zones": [zone]})["zones"][0]
            found |= {record["recordName"]: record for record in page["records"]}
            if not page.get("moreComing"):
                return found
            zone["syncToken"] = page["syncToken"]

    def while_copying(self, error, forever, syncs):
        """The fault comes in the first call that copies the log into the database, or that waits for that; then the disk is
        well again. The system may have lost what it failed to write, so that the server has to end."""
        what = f"{'a sync' if syncs else 'a write'} of a copy, {errno.errorcode[error]}, {'for good' if forever else 'once'}"
        self.environment["FAULT_NAME"] = "brume.sqlite"
        if syncs:
            self.environment["FAULT_SYNCS"] = "1"
        self.plan.set()
        server = self.server(True).start()
        self.plan.set(1, error, forever)
        answered = self.saves(server.client("alice", "mac"), "long", MANY) | {"base-0", "base-1"}
        if self.plan.failed == 0:
            fail(f"{what}: the log was not copied")
        self.plan.set()
        answered |= self.saves(server.client("alice", "mac"), "then")
        if error == errno.EIO:
            try:
                server.process.wait(60)
            except subprocess.TimeoutExpired:
                fail(f"{what}: the server goes on as if nothing had happened")
        elif server.process.poll() is not None:
            fail(f"{what}: the server ended, though the log has everything")
        else:
            server.kill()
        self.check(answered, what)

    def while_saving(self, at, error, forever):
        """The fault comes after the start. Answers how many calls there were."""
        self.plan.set()
        server = self.server(True).start()
        self.plan.set(at, error, forever)
        answered = self.saves(server.client("alice", "mac"), "new") | {"base-0", "base-1"}
        calls = self.plan.calls
        if server.process.poll() is None:
            server.kill()
        self.check(answered, f"call {at} while saving, {errno.errorcode.get(error, 'a lie')}, {'for good' if forever else 'once'}")
        return calls

    def while_starting(self, at, error, forever):
        """A server died with a full log; the fault comes in the start after it."""
        self.plan.set()
        server = self.server(False).start()
        answered = self.saves(server.client("alice", "mac"), "new") | {"base-0", "base-1"}
        server.kill()
        if len(answered) != 2 * SAVES + 2:
            fail("saves without faults are answered")
        self.plan.set(at, error, forever)
        second = self.server(True)
        try:
            second.start()
        except SystemExit as end:
            if "ended with" not in str(end) or second.process.returncode < 0:
                fail(f"call {at} of the start: {end}")
        calls = self.plan.calls
        if second.process.poll() is None:
            second.kill()
        self.check(answered, f"call {at} of a start, {errno.errorcode.get(error, 'a lie')}, {'for good' if forever else 'once'}")
        return calls


def make_template(brume, folder):
    """The ID of the key that it has for development."""
    server = Server(brume, folder).start()
    client = server.client("alice", "mac")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    for name in ("base-0", "base-1"):
        record = {"recordType": "Note", "recordName": name, "fields": {"text": {"value": name * 50}}}
        client.call("records/modify", {
            "zoneID": ZONE, "operations": [{"operationType": "create", "record": record}]})
    expect(server.stop() == 0, "a folder to begin with")
    return server.values["BRUME_KEY_ID"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--trials", type=int, default=8, help="faults that are tried, chosen by the seed; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--control", action="store_true",
                        help="calls that say they did what they did not do: the loss must be found")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        library = compile_library(place)
        if library is None:
            return skip("there is no C compiler")
        plan, template = Plan(os.path.join(place, "plan")), os.path.join(place, "template")
        key = make_template(options.brume, template)

        def trial(kind, at, error, forever):
            folder = os.path.join(place, "trial")
            own = Trial(options.brume, template, key, folder, library, plan)
            calls = getattr(own, kind)(at, error, forever)
            failed = plan.failed
            shutil.rmtree(folder)
            return calls, failed

        if options.control:
            try:
                trial("while_saving", 1, 0, True)
            except SystemExit as found:
                return expect("lost" in str(found), f"control: a disk that lies is found out ({found})")
            fail("control: a disk that lies was not noticed")
        faults = []
        for kind in ("while_saving", "while_starting"):
            calls, _ = trial(kind, 0, errno.EIO, False)
            expect(calls > 5, f"{kind}: {calls} calls that change files are seen")
            faults += [(kind, at, error, forever) for at in range(1, calls + 1) for error in ERRORS
                       for forever in (False, True)]
        if options.trials:
            faults = random.Random(options.seed).sample(faults, min(options.trials, len(faults)))
        # The first call of who asks whether a server is ready: it answers, whatever is wrong with its folder.
        faults += [("while_starting", calls, errno.EIO, forever) for forever in (False, True)]
        hit = 0
        for fault in faults:
            hit += trial(*fault)[1] > 0
        for fault in ((errno.EIO, False, True), (errno.EIO, True, False), (errno.ENOSPC, False, False)):
            folder = os.path.join(place, "trial")
            Trial(options.brume, template, key, folder, library, plan).while_copying(*fault)
            shutil.rmtree(folder)
        expect(True, "a failed copy of the log ends the server, a full disk does not; nothing answered was lost")
        expect(hit > 0, f"{len(faults)} faults tried, {hit} met a call; nothing answered was lost, nothing hung")
    return None


if __name__ == "__main__":
    main()
