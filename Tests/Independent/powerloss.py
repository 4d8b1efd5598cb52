"""A loss of power at any moment: every disk that it may leave behind is opened by the real server, which has to have
everything that it had answered, and nothing by halves.

A server runs under a recorder (faults/recorder.c) while devices save, save batches, delete, upload files, make and
remove zones, and follow changes; it ends once in good order, once by kill -9, and recovers. From the record of its calls
disks are built (disks.py), each for a moment of the run and a choice of what of the unconfirmed had reached the disk.
Checked of each: the server starts; every writer's records are those of all its answered saves, with or without the one
that was under way, as a whole; files have their bytes; whoever follows the zone goes on from his token and ends with what a
full fetch says; waiting pushes come; the database is sound, and saves are taken.

Controls: `--control normal` takes it that syncs of the write-ahead log confirm nothing until it is copied into the database,
as with synchronous=NORMAL, which must lose saves; `--control names` that syncs of folders do nothing, which must lose files.
"""
import argparse
import base64
import concurrent.futures
import contextlib
import hashlib
import http.client
import json
import os
import random
import select
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

from brume_server import Listener, Refused, Server, skip
from disks import NOTE, SYNC_ENDED, Chance, Place, Storage, events, note
from syscalls import compile_library

NOTES, BIG = {"zoneName": "Notes"}, {"zoneName": "Big"}
# Saves of one large record: together more than the 16 MB of write-ahead log that are copied into the database.
LARGE, LARGE_SAVES = 640_000, 28
STEPS = 24
# One disk in so many is also asked for its pushes, and read by `brume doctor --deep`.
PUSHES_EACH, DOCTOR_EACH = 5, 25


class Quick(Server):
    """Says by itself when it is ready; for many starts."""

    def start(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--dev", "--port", "0", "--data", self.folder, "--log-level", "warning",
                 "--marks", "none", *self.extra], stdout=subprocess.PIPE, stderr=log, env=self.environment, bufsize=0)
        deadline = time.monotonic() + 60
        while True:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))
            line = self.process.stdout.readline().decode().rstrip() if ready else ""
            if not line:
                self.process.kill()
                raise Refused(f"the server did not start ({self.process.wait()})")
            name, is_value, value = line.partition("=")
            if is_value and name.startswith("BRUME_"):
                self.values[name] = value
            if line.startswith("Stop with"):
                return self

    def kill(self):
        super().kill()
        self.process.stdout.close()


# MARK: The run that is recorded

class Writer:
    """A device with records of its own. What it is about to do and what was answered stand in the record."""

    def __init__(self, client, name, record, chance):
        self.client, self.name, self.record, self.random, self.count = client, name, record, chance, 0
        self.alive = []

    def run(self, steps, hurry=None):
        """Slowly until it is to hurry, if it is said: each disk is read whole, and what was written long before the end costs
        each of them time."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            for _ in range(steps):
                self.step()
                if hurry:
                    hurry.wait(0.2)

    def say(self, kind, **what):
        note(self.record, json.dumps({"kind": kind, "writer": self.name, "number": self.count, **what}))

    def done(self, changes, act):
        """`changes`: (zone, name) to value, or None for what goes."""
        self.count += 1
        self.say("sent", changes=[[zone, name, value] for (zone, name), value in changes.items()])
        act()
        self.say("answered")

    def modify(self, operations, zone=NOTES):
        answer = self.client.call("records/modify", {"zoneID": zone, "atomic": True, "operations": operations})
        refused = [record for record in answer["records"] if "serverErrorCode" in record]
        if refused:
            raise SystemExit(f"FAILED: {self.name}: {refused[0]}")

    def fresh(self):
        return f"{self.name}-{self.count}-{self.random.randrange(1 << 30)}"

    def step(self):
        choice = self.random.random()
        if choice < 0.15 and self.alive:
            gone = self.alive.pop(self.random.randrange(len(self.alive)))
            self.done({("Notes", gone): None}, lambda: self.modify([
                {"operationType": "forceDelete", "record": {"recordName": gone}}]))
        elif choice < 0.35 and self.alive:
            self.save([self.random.choice(self.alive)])
        else:
            names = [f"{self.fresh()}-{part}" for part in range(1 if choice < 0.7 else self.random.randint(2, 12))]
            self.save(names)
            self.alive += names

    def save(self, names):
        values = {name: self.fresh() * self.random.choice([1, 1, 20]) for name in names}
        self.done({("Notes", name): value for name, value in values.items()}, lambda: self.modify([
            saved("Note", name, value) for name, value in values.items()]))


def saved(kind, name, value):
    return {"operationType": "forceUpdate", "record": {
        "recordType": kind, "recordName": name, "fields": {"text": {"value": value}}}}


class Files(Writer):
    def step(self):
        data = self.random.randbytes(self.random.choice([100, 30_000, 300_000]))
        name = self.fresh()

        def act():
            token = self.client.call("assets/upload", {"zoneID": NOTES, "tokens": [
                {"recordType": "File", "recordName": name, "fieldName": "file"}]})["tokens"][0]
            receipt = json.loads(urllib.request.urlopen(
                urllib.request.Request(token["url"], data=data, method="POST"), timeout=120).read())["singleFile"]
            self.modify([{"operationType": "create", "record": {
                "recordType": "File", "recordName": name, "fields": {"file": {"value": receipt}}}}])

        self.done({("Notes", name): checksum(data)}, act)


def checksum(data):
    return base64.b64encode(b"\x01" + hashlib.sha256(data).digest()[:20]).decode()


class Large(Writer):
    def step(self):
        value = self.fresh() + "x" * LARGE
        self.done({("Big", "big"): checksum(value.encode())}, lambda: self.modify([saved("Big", "big", value)], BIG))


class Zones(Writer):
    def step(self):
        zone = self.fresh()
        self.done({(zone, ""): "zone"}, lambda: self.client.call("zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]}))
        self.save_in(zone)
        if self.random.random() < 0.5:
            self.done({(zone, name): None for name in ("", "a", "b")}, lambda: self.client.call("zones/modify", {
                "operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": zone}}}]}))

    def save_in(self, zone):
        self.done({(zone, "a"): zone, (zone, "b"): zone}, lambda: self.modify(
            [saved("Note", "a", zone), saved("Note", "b", zone)], {"zoneName": zone}))


class News(Writer):
    """Each save is a push for a device that is away; few enough that each of them waits."""

    def step(self):
        name = self.fresh()
        self.done({("Notes", name): name}, lambda: self.modify([saved("News", name, name)]))


class Follower:
    """A device that asks for what changed. Its pages and tokens stand in the record."""

    def __init__(self, client, record):
        self.client, self.record, self.token = client, record, None

    def run(self, ended):
        with contextlib.suppress(OSError, http.client.HTTPException):
            while not ended.wait(0.02):
                for page, token in pages(self.client, self.token):
                    note(self.record, json.dumps({
                        "kind": "page", "changes": page, "token": token, "begins": self.token is None}))
                    self.token = token


def pages(client, token):
    """(name, tag or None) of each record that changed, with the next token, until there is no more."""
    more = True
    while more:
        zone = {"zoneID": NOTES, **({"syncToken": token} if token else {})}
        answer = client.call("changes/zone", {"zones": [zone], "resultsLimit": 200, "desiredKeys": []})["zones"][0]
        if "serverErrorCode" in answer:
            raise Refused(f"a token is refused: {answer}")
        token, more = answer["syncToken"], answer["moreComing"]
        yield [[record["recordName"], None if record.get("deleted") else record["recordChangeTag"]]
               for record in answer["records"]], token


def set_up(server):
    client = server.client("alice", "setup")
    client.call("zones/modify", {"operations": [
        {"operationType": "create", "zone": {"zoneID": zone}} for zone in (NOTES, BIG)]})
    client.call("records/modify", {"zoneID": NOTES, "operations": [saved("News", "first", "first")]})
    server.client("alice", "phone").call("subscriptions/modify", {"operations": [{
        "operationType": "create", "subscription": {
            "subscriptionID": "news", "subscriptionType": "query", "zoneID": NOTES, "query": {"recordType": "News"},
            "firesOn": ["create"], "notificationInfo": {"shouldSendContentAvailable": True}}}]})


class Recording:
    """Three lives of one server on one folder, with all its calls."""

    def __init__(self, brume, place, library, seed, is_control=False):
        self.random, self.path = random.Random(seed), os.path.join(place, "record")
        self.folder, self.is_control = os.path.join(place, "data"), is_control
        open(self.path, "w").close()
        self.record = os.open(self.path, os.O_WRONLY | os.O_APPEND)
        environment = {"LD_PRELOAD": library, "RECORD_FILE": self.path, "RECORD_FOLDER": self.folder}
        self.log = os.path.join(place, "log")
        self.server = Quick(brume, self.folder, environment=environment, log=self.log)

    def perform(self):
        for life in range(3):
            self.server.start()
            if life == 0:
                set_up(self.server)
            self.live(life, is_killed=life > 0)
            if life == 0 and self.server.stop() != 0:
                raise SystemExit("FAILED: a server under the recorder does not end in good order")
        storage = Storage(self.folder)
        for event in events(self.path):
            storage.follow(event)
        differences = storage.differences()
        if differences:
            raise SystemExit(f"FAILED: the recorder missed something: {differences[:5]}")

    def die(self, writers):
        """Like kill -9, between two calls: at the next that the server makes, so somebody has to write."""
        death, deadline = self.path + ".death", time.monotonic() + 120
        open(death, "w").close()
        while True:
            is_written = any(thread.is_alive() for thread in writers)
            try:
                # Whoever wrote may have ended because the server died.
                self.server.process.wait(timeout=0.2 if is_written else 5)
                return os.remove(death)
            except subprocess.TimeoutExpired:
                if not is_written or time.monotonic() > deadline:
                    raise SystemExit("FAILED: the server is alive, because " + (
                        "it makes no call that is recorded" if is_written else
                        "all writers came to their ends before it was to die: give them more steps")) from None

    def live(self, life, is_killed):
        def writer(kind, name, *steps):
            made = kind(self.server.client("alice", f"{name}{life}"), f"{name}{life}", self.record,
                        random.Random(self.random.random()))
            return threading.Thread(target=made.run, args=steps, daemon=True)

        # Where the server is to die, somebody has to write for as long as the last writer takes.
        hurry = threading.Event()
        steps = (STEPS * 12, hurry) if is_killed else (STEPS,)
        writers = [writer(Writer, f"writer{number}-", *steps) for number in range(3)]
        writers += [writer(Files, "files", STEPS // 3), writer(Zones, "zones", 3), writer(News, "news", 12)]
        if life == 1 and not self.is_control:
            writers.append(writer(Large, "large", LARGE_SAVES))
        ended = threading.Event()
        follower = threading.Thread(target=Follower(self.server.client("alice", "tv"), self.record).run, args=(ended,))
        follower.start()
        for thread in writers:
            thread.start()
        if is_killed:
            # The last one comes to its end, others are under way.
            writers[-1].join()
            hurry.set()
            self.die(writers)
        for thread in writers:
            thread.join()
        ended.set()
        follower.join()


# MARK: What must be there

class Promises:
    """What the devices had been answered, up to a moment of the record."""

    def __init__(self):
        self.writers, self.cache, self.token = {}, {}, None

    def take(self, text):
        what = json.loads(text)
        if what["kind"] == "page":
            if what["begins"]:
                self.cache = {}
            for name, tag in what["changes"]:
                self.cache[name] = tag
                if tag is None:
                    del self.cache[name]
            self.token = what["token"]
            return
        done, _ = self.writers.setdefault(what["writer"], ({}, None))
        if what["kind"] == "sent":
            self.writers[what["writer"]] = (done, {(zone, name): value for zone, name, value in what["changes"]})
        else:
            self.writers[what["writer"]] = ({**done, **self.writers[what["writer"]][1]}, None)

    def problems(self, found):
        """`found`: (zone, name) to value."""
        problems = []
        for writer, (done, under_way) in self.writers.items():
            keys = done.keys() | (under_way or {}).keys()
            there = {key: found.get(key) for key in keys}
            expected = [{key: done.get(key) for key in keys}]
            if under_way:
                # The removal of a zone and of what is in it are one.
                expected.append({**expected[0], **under_way})
            if there not in expected:
                wrong = [key for key in sorted(keys) if there[key] != expected[0][key]]
                problems.append(f"{writer}: {len(wrong)} of {len(keys)} are not as answered, such as {wrong[0]}: "
                                f"{str(there[wrong[0]])[:60]} instead of {str(expected[0][wrong[0]])[:60]}")
        return problems

    def news(self):
        return {name for writer, (done, _) in self.writers.items() if writer.startswith("news") for _, name in done}


class Trial:
    """One disk, opened by a server."""

    def __init__(self, server, promises):
        self.server, self.promises, self.client = server, promises, None

    def check(self, asks_pushes):
        try:
            self.server.start()
            self.client = self.server.client("alice", "reader")
            problems = self.promises.problems(self.contents())
            if self.promises.token:
                problems += self.feed()
            if asks_pushes:
                problems += self.pushes()
            answer = self.client.call("records/modify", {"operations": [saved("Note", "afterwards", "x")]})
            problems += [f"it does not save: {record}" for record in answer["records"] if "serverErrorCode" in record]
            return problems
        except (Refused, OSError, http.client.HTTPException) as error:
            return [f"{type(error).__name__}: {error}"]
        finally:
            if self.server.process.poll() is None:
                self.server.kill()

    def contents(self):
        found = {}
        zones = [zone["zoneID"]["zoneName"] for zone in self.client.call("zones/list", {})["zones"]]
        for zone in zones:
            if zone != "_defaultZone":
                found[zone, ""] = "zone"
                found.update({(zone, name): value for name, value in self.zone(zone)})
        return found

    def zone(self, zone):
        token, more = None, True
        while more:
            asked = {"zoneID": {"zoneName": zone}, **({"syncToken": token} if token else {})}
            answer = self.client.call("changes/zone", {"zones": [asked], "resultsLimit": 200})["zones"][0]
            if "serverErrorCode" in answer:
                raise Refused(f"zone {zone}: {answer}")
            token, more = answer["syncToken"], answer["moreComing"]
            for record in answer["records"]:
                if not record.get("deleted"):
                    yield record["recordName"], self.value(record)

    def value(self, record):
        if "serverErrorCode" in record:
            return f"{record['serverErrorCode']}: {record.get('reason')}"
        if record["recordType"] == "Big":
            return checksum(record["fields"]["text"]["value"].encode())
        if record["recordType"] != "File":
            return record["fields"]["text"]["value"]
        url = urllib.parse.urlparse(record["fields"]["file"]["value"]["downloadURL"])
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
        connection.request("GET", f"{url.path}?{url.query}")
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return checksum(data) if answer.status == 200 else f"a file is answered with {answer.status}"

    def feed(self):
        cache, token = dict(self.promises.cache), self.promises.token
        # A token may be of the middle of a fetch, which ends where the zone was when it began: then once more.
        for _ in range(2):
            for page, token in pages(self.client, token):
                cache.update(dict(page))
        whole = {name: tag for page, _ in pages(self.client, None) for name, tag in page}
        cache, whole = ({name: tag for name, tag in names.items() if tag} for names in (cache, whole))
        different = sorted(name for name in cache.keys() | whole.keys() if cache.get(name) != whole.get(name))
        return [f"the feed from a token differs from a full fetch in {len(different)}, such as {different[0]}"] \
            if different else []

    def pushes(self):
        listener, expected = Listener(self.server.client("alice", "phone")), self.promises.news()
        if not expected:
            return []
        listener.listen()

        def pushed(events):
            return {event["ck"]["qry"]["rid"] for event in events if "qry" in event["ck"]}

        if listener.wait_until(lambda events: expected <= pushed(events), 20):
            return []
        return [f"{len(expected - pushed(listener.events))} of {len(expected)} pushes do not come"]


def unsound(brume, folder, deep):
    """What SQLite and `brume doctor` find."""
    with contextlib.closing(sqlite3.connect(os.path.join(folder, "brume.sqlite"))) as database:
        found = [text for (text,) in database.execute("PRAGMA integrity_check") if text != "ok"]
    if deep and not found:
        said = subprocess.run([brume, "doctor", "--deep", "--data", folder], capture_output=True, text=True).stdout
        found = [line for line in said.splitlines() if line.startswith("wrong")
                 and "no server " not in line]
    return [f"unsound: {text}" for text in found[:3]]


# MARK: Many disks of one run

def moments(everything, count, chance):
    """When the power goes: at any call, and as often just after an answer or a sync, where most is at stake."""
    notable = [index + 1 for index, (kind, *_) in enumerate(everything) if kind in (NOTE, SYNC_ENDED)]
    return sorted(chance.choice(notable) if chance.random() < 0.5 else chance.randrange(1, len(everything) + 1)
                  for _ in range(count))


class Result:
    def __init__(self):
        self.disks, self.lacking, self.events, self.answered, self.problems = 0, 0, 0, 0, []


def one_run(brume, library, seed, count, control=None):
    """Records a run and opens `count` of its disks. Ends at the first that is wrong."""
    with tempfile.TemporaryDirectory() as place:
        place, chance, result = os.path.realpath(place), random.Random(seed), Result()
        recording = Recording(brume, place, library, chance.random(), control == "normal")
        try:
            recording.perform()
        finally:
            if recording.server.process and recording.server.process.poll() is None:
                recording.server.kill()
        everything = list(events(recording.path))
        result.events = len(everything)
        result.answered = sum(kind == NOTE and b'"answered"' in data for kind, _, _, data in everything)
        disks = Place(recording.folder, os.path.join(place, "kept"))
        disks.keep()
        storage, promises = Storage(recording.folder, control != "names", control != "normal"), Promises()
        server = Quick(brume, recording.folder, log=recording.log)
        for number, moment in enumerate(moments(everything, count, chance)):
            while storage.index < moment:
                event = everything[storage.index]
                storage.follow(event)
                if event[0] == NOTE:
                    promises.take(event[3])
            choice = Chance(chance, storage.first_pending(), storage.index)
            disks.build(storage, choice)
            result.disks += 1
            result.lacking += choice.missing > 0
            found = Trial(server, promises).check(number % PUSHES_EACH == 0)
            found = found or unsound(brume, recording.folder, number % DOCTOR_EACH == 0)
            if found:
                with open(recording.log, encoding="utf-8", errors="replace") as log:
                    said = log.read()[-600:]
                result.problems = [f"seed {seed}, disk {number} at call {moment} of {len(everything)} ({choice.kind}): {text}"
                                   for text in found] + [said]
                break
        return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--disks", type=int, default=300)
    parser.add_argument("--each", type=int, default=150, help="disks of one recorded run")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--control", choices=["normal", "names"])
    options = parser.parse_args()
    brume = os.path.realpath(options.brume)
    with tempfile.TemporaryDirectory() as place:
        library = compile_library(place, "recorder")
        if library is None:
            return skip("there is no C compiler")
        runs = max(1, -(-options.disks // options.each))
        print(f"loss of power: {options.disks} disks of {runs} runs, --seed {options.seed}", flush=True)
        with concurrent.futures.ProcessPoolExecutor(min(runs, os.cpu_count())) as pool:
            results = list(pool.map(one_run, *zip(*[
                (brume, library, options.seed + run, min(options.each, options.disks), options.control)
                for run in range(runs)])))
    problems = [text for result in results for text in result.problems]
    disks, lacking = sum(result.disks for result in results), sum(result.lacking for result in results)
    print(f"  {sum(result.events for result in results)} calls and {sum(result.answered for result in results)} answers recorded; "
          f"{disks} disks opened, {lacking} lacked something that had been written")
    for problem in problems[:12]:
        print("  " + problem)
    if options.control:
        print(f"control: what '{options.control}' loses was " + ("found" if problems else "NOT FOUND"))
        return 0 if problems else 1
    if lacking < disks // 4:
        problems.append("too few of the disks lacked anything")
    print("FAILED" if problems else "nothing answered was lost, nothing was there by halves")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
