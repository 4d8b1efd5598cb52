"""Kills the server with -9 in the middle of saves, again and again, on the same data folder.

Checked after each restart: no acknowledged save is lost, no deletion is undone, no batch is half
there, the change feed from the last token skips and repeats nothing, and every acknowledged save
was pushed to the other device. `--control` runs the same on the memory engine and must find losses:
a checker that cannot fail proves nothing.
"""
import argparse
import http.client
import random
import sys
import tempfile
import threading

from brume_server import Refused, Server

ZONE = {"zoneName": "Crash"}
WRITERS = 4
BATCH = 8
# A device that is slow gets one "fetch everything" for more than 100 pushes (`Limits.mailboxRows`). Here
# each push is counted, so a round stays below, with a batch of each writer under way.
MOST_PUSHES = 60


class Tally:
    """The pushes that a round gives, and when it is time to kill."""

    def __init__(self, target):
        self.count, self.target, self.lock = 0, target, threading.Lock()
        self.enough = threading.Event()

    def add(self, pushes):
        with self.lock:
            self.count += pushes
            if self.count >= self.target:
                self.enough.set()

    def is_full(self):
        with self.lock:
            return self.count >= MOST_PUSHES


class Writer(threading.Thread):
    """Saves, batches, updates and deletes until the server is gone."""

    def __init__(self, server, index, round_number, seed, tally):
        super().__init__(daemon=True)
        self.client = server.client("alice", f"writer-{index}")
        self.random = random.Random(seed)
        self.prefix = f"r{round_number}w{index}"
        self.tally = tally
        self.saved, self.deleted, self.batches, self.unknown = {}, set(), [], set()
        self.error = None

    def run(self):
        count = 0
        try:
            while not self.tally.is_full():
                count += 1
                self.tally.add(self.step(count))
        except (OSError, http.client.HTTPException):
            pass
        except Refused as error:
            self.error = error

    def step(self, count):
        """Answers how many pushes it gives."""
        choice = self.random.random()
        alive = [name for name in self.saved if name not in self.deleted]
        if choice < 0.15 and alive:
            return self.delete(self.random.choice(alive))
        if choice < 0.4:
            return self.save([f"{self.prefix}-{count}-{part}" for part in range(self.random.randint(2, BATCH))])
        return self.save([f"{self.prefix}-{count}"])

    def save(self, names):
        self.unknown.update(names)
        operations = [{"operationType": "create", "record": {
            "recordName": name, "recordType": "Note", "fields": {"text": {"value": name}}}} for name in names]
        answer = self.client.call("records/modify", {"zoneID": ZONE, "atomic": True, "operations": operations})
        for record in answer["records"]:
            if "serverErrorCode" in record:
                raise Refused(str(record))
            self.saved[record["recordName"]] = record["recordChangeTag"]
        self.unknown.difference_update(names)
        self.batches.append(names)
        return len(names)

    def delete(self, name):
        self.unknown.add(name)
        self.client.call("records/modify", {"zoneID": ZONE, "operations": [
            {"operationType": "forceDelete", "record": {"recordName": name}}]})
        self.deleted.add(name)
        self.unknown.discard(name)
        return 1


class Follower:
    """A client that only ever asks for what changed since its token."""

    def __init__(self):
        self.token, self.cache, self.repeated = None, {}, 0

    def follow(self, client):
        seen = set()
        while True:
            zone = {"zoneID": ZONE}
            if self.token:
                zone["syncToken"] = self.token
            answer = client.call("changes/zone", {"zones": [zone], "resultsLimit": 50})["zones"][0]
            if "serverErrorCode" in answer:
                raise Refused(str(answer))
            for record in answer["records"]:
                name = record["recordName"]
                if record.get("deleted"):
                    self.cache.pop(name, None)
                else:
                    key = (name, record["recordChangeTag"])
                    self.repeated += key in seen or self.cache.get(name) == record["recordChangeTag"]
                    seen.add(key)
                    self.cache[name] = record["recordChangeTag"]
            if answer["moreComing"] and answer["syncToken"] == self.token and not answer["records"]:
                raise Refused("moreComing with the same token and nothing new")
            self.token = answer["syncToken"]
            if not answer["moreComing"]:
                return


def prepare(server):
    client = server.client("alice", "setup")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    client.call("records/modify", {"zoneID": ZONE, "operations": [
        {"operationType": "create", "record": {"recordType": "Note", "fields": {"text": {"value": "first"}}}}]})
    listener = server.client("alice", "listener")
    listener.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "new-notes", "subscriptionType": "query", "zoneID": ZONE,
        "query": {"recordType": "Note"}, "firesOn": ["create", "delete"],
        "notificationInfo": {"shouldSendContentAvailable": True}}}]})


def crash(server, round_number, seed):
    """Lets the writers run until some answers came, then kills the server."""
    chance = random.Random(seed)
    tally = Tally(chance.randint(5, 40))
    writers = [Writer(server, index, round_number, chance.random(), tally) for index in range(WRITERS)]
    for writer in writers:
        writer.start()
    tally.enough.wait(timeout=30)
    server.kill()
    for writer in writers:
        writer.join(timeout=30)
    return writers


def pushed(events):
    return {event["ck"]["qry"]["rid"]: event["ck"]["qry"]["fo"] for event in events if "qry" in event["ck"]}


def check(writers, follower, listener, problems, round_number):
    for writer in writers:
        if writer.error:
            problems.append(f"round {round_number}: refused: {writer.error}")
        kept = {name for name in writer.saved if name not in writer.deleted and name not in writer.unknown}
        lost = [name for name in kept if name not in follower.cache]
        undone = [name for name in writer.deleted if name in follower.cache]
        if lost:
            problems.append(f"round {round_number}: {len(lost)} acknowledged saves lost, such as {lost[0]}")
        if undone:
            problems.append(f"round {round_number}: deletion of {undone[0]} undone")
        in_flight = [name for name in writer.unknown if name not in writer.saved]
        present = [name for name in in_flight if name in follower.cache]
        if present and len(present) != len(in_flight):
            problems.append(f"round {round_number}: batch half there: {len(present)} of {len(in_flight)}")
    expected = {name for writer in writers for name in writer.saved}
    if not listener.wait_until(lambda events: expected <= set(pushed(events)), 60):
        missing = expected - set(pushed(listener.events))
        problems.append(f"round {round_number}: {len(missing)} pushes lost, such as {sorted(missing)[:1]}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--control", action="store_true")
    arguments = parser.parse_args()
    problems, total = [], 0
    print(f"kill -9: {arguments.rounds} rounds, seed {arguments.seed}")
    with tempfile.TemporaryDirectory() as folder:
        store = "memory" if arguments.control else "sqlite"
        server = Server(arguments.brume, folder, store).start()
        prepare(server)
        follower = Follower()
        listener = None
        for round_number in range(arguments.rounds):
            from brume_server import Listener
            previous, listener = listener, Listener(server.client("alice", "listener"))
            if previous:
                listener.cursor = previous.cursor
            listener.listen()
            writers = crash(server, round_number, arguments.seed + round_number)
            total += sum(len(writer.saved) for writer in writers)
            server.start()
            try:
                listener.listen()
                follower.follow(server.client("alice", "follower"))
                check(writers, follower, listener, problems, round_number)
            except Refused as refused:
                problems.append(f"round {round_number}: {refused}")
            if problems:
                break
        if not problems:
            fresh = Follower()
            fresh.follow(server.client("alice", "fresh"))
            if fresh.cache != follower.cache:
                problems.append("the feed followed from tokens differs from a full fetch")
            if follower.repeated:
                problems.append(f"{follower.repeated} unchanged records came twice in one token chain")
        server.stop()
    for problem in problems:
        print("  " + problem)
    if arguments.control:
        print("control: the losses of the memory engine were " + ("found" if problems else "NOT FOUND"))
        sys.exit(0 if problems else 1)
    print(f"{total} acknowledged saves over {arguments.rounds} kills; "
          + ("nothing lost, nothing skipped, every push arrived" if not problems else "FAILED"))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
