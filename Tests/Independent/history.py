"""Several devices over a network that cuts, delays, repeats and loses (proxy.py), and a history of all that they did.

The devices append marks to texts of shared records: they read a record, and save it with one mark more and the change tag
that they saw. So the end of a text shows its whole life, and a history is easy to judge: whatever anybody ever saw has to
be a beginning of it; every mark whose save was answered is in it once, every mark that was refused is not; nobody who asks
later sees less; a batch is in both of its records or in neither, also in the middle; a feed brings nothing twice and has all
that was answered before it was asked. Meanwhile the server is killed with -9 and started again; with `--postgres` it keeps its
data there, and every second time it is PostgreSQL that is stopped at once and started again.

`--control` lets the proxy lie, in five ways, each of which has to be found.
"""
import argparse
import contextlib
import http.client
import random
import sys
import tempfile
import threading
import time

from brume_server import Client, Refused, Server
from postgres import Postgres
from proxy import Lies, Proxy

ZONE = {"zoneName": "Shared"}
SHARED, DEVICES, TIMEOUT = 6, 6, 60
# Saves, and of a hundred: the server remembers 1,024 outcomes of a user, and each request in between takes the place of
# this one with a chance of one in 1,024 (docs/promises.md).
MOST_FORGOTTEN = 2


class Behind:
    """The server, as one knows it who knows only the proxy."""

    def __init__(self, server, proxy):
        self.server, self.address = server, proxy.address

    @property
    def values(self):
        return self.server.values


class Save:
    """Marks that one request wanted to append. Its outcome is unknown until an answer says it."""

    def __init__(self, marks, began):
        self.marks, self.began, self.ended, self.outcome = marks, began, None, "unknown"


class History:
    """What all devices did and saw, by one clock."""

    def __init__(self):
        self.lock, self.saves, self.seen, self.problems = threading.Lock(), [], [], []
        self.made, self.forgotten = {}, []

    def begin(self, marks):
        save = Save(marks, time.monotonic())
        with self.lock:
            self.saves.append(save)
        return save

    def see(self, how, began, texts):
        """`texts`: name to text, as one answer or one finished sync had them."""
        with self.lock:
            self.seen.append((how, began, time.monotonic(), texts))

    def problem(self, text):
        with self.lock:
            self.problems.append(text)


class Device(threading.Thread):
    def __init__(self, number, place, history, seed, steps):
        super().__init__(daemon=True)
        self.client = Client(place, "alice", f"device{number}", timeout=3)
        self.number, self.history, self.random, self.steps = number, history, random.Random(seed), steps
        self.count, self.done, self.token, self.cache, self.tags = 0, 0, None, {}, {}

    def run(self):
        try:
            for self.done in range(1, self.steps + 1):
                self.random.choices([self.append, self.make, self.follow, self.query, self.subscribe], [9, 3, 4, 2, 1])[0]()
        except Exception as error:
            self.history.problem(f"device {self.number}: {type(error).__name__}: {error}")

    def call(self, endpoint, body, tries=None):
        """The answer, after as many tries as it takes; None after `tries`. What is asked stays the same."""
        deadline = time.monotonic() + TIMEOUT
        while tries is None or tries > 0:
            tries = tries and tries - 1
            try:
                return self.client.call(endpoint, body)
            except (OSError, http.client.HTTPException, Refused) as error:
                # A server whose database is gone says so, and carries nothing out as far as it knows.
                if time.monotonic() > deadline or isinstance(error, Refused) and " 503 " not in str(error):
                    raise
                time.sleep(0.02)
        return None

    def mark(self):
        self.count += 1
        return f"d{self.number}.{self.count}"

    def identified(self, body):
        """With an ID a request can be repeated until it is answered; without one it is sent once."""
        if self.random.random() < 0.75:
            return {**body, "brume": {"operationID": f"op-{self.number}-{self.count}"}}, None
        return body, 1

    def append(self):
        names = self.random.sample(range(SHARED), self.random.choice([1, 1, 2]))
        began, before = time.monotonic(), {}
        answer = self.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": f"s{name}"} for name in names]})
        for record in answer["records"]:
            before[record["recordName"]] = (text_of(record), record["recordChangeTag"])
        self.history.see("lookup", began, {name: text for name, (text, _) in before.items()})
        mark = self.mark()
        save = self.history.begin({name: mark for name in before})
        body, tries = self.identified({"zoneID": ZONE, "atomic": True, "operations": [
            {"operationType": "update", "record": {
                "recordType": "Text", "recordName": name, "recordChangeTag": tag,
                "fields": {"text": {"value": f"{text}{mark} "}}}} for name, (text, tag) in before.items()]})
        answer = self.call("records/modify", body, tries)
        if answer is not None:
            codes = {record.get("serverErrorCode") for record in answer["records"]}
            if not codes <= {None, "CONFLICT", "ATOMIC_ERROR"}:
                self.history.problem(f"a save was answered with {codes}")
            # Without an ID the request may have come twice, and its second coming met a conflict with the first.
            refused = "refused" if tries is None else "unknown"
            save.outcome, save.ended = ("done" if codes == {None} else refused), time.monotonic()

    def make(self):
        """A record of its own, which now and then goes again."""
        name = f"own-{self.mark()}"
        self.history.made[name] = "unknown"
        body, tries = self.identified({"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
            "recordType": "Own", "recordName": name, "fields": {"text": {"value": name}}}}]})
        # But for an outcome whose place is taken.
        comes_once = tries is None
        answer = self.call("records/modify", body, tries)
        if answer is None:
            return
        record = answer["records"][0]
        if "serverErrorCode" in record:
            if record["serverErrorCode"] != "CONFLICT":
                self.history.problem(f"a new record is refused: {record}")
            # It meets its own first coming: without an ID, or because that outcome's place was taken.
            elif comes_once:
                self.history.forgotten.append(name)
            return
        self.history.made[name] = "done"
        if self.random.random() < 0.3:
            self.history.made[name] = "unknown"
            self.mark()
            body, tries = self.identified({"zoneID": ZONE, "operations": [
                {"operationType": "forceDelete", "record": {"recordName": name}}]})
            # Without an ID the record's own request may come a second time, and make it again after this.
            if self.call("records/modify", body, tries) is not None and comes_once:
                self.history.made[name] = "gone"

    def subscribe(self):
        """The same again and again: there is one in the end."""
        self.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": f"own-{self.number}", "subscriptionType": "zone", "zoneID": ZONE,
            "notificationInfo": {"shouldSendContentAvailable": True}}}]})

    def query(self):
        began = time.monotonic()
        answer = self.call("records/query", {"zoneID": ZONE, "query": {"recordType": "Text"}, "resultsLimit": 200})
        self.history.see("query", began, {record["recordName"]: text_of(record) for record in answer["records"]})

    def follow(self):
        """From the token until there is no more; the token moves only with an answer that came.

        What changes while a fetch of several pages goes on belongs to the next one (case CHG-16). So only a fetch of one
        page is one state; after another one the device asks again.
        """
        for _ in range(20):
            began = time.monotonic()
            if self.fetch() == 1:
                shared = {name: text for name, text in self.cache.items() if name.startswith("s")}
                return self.history.see("feed", began, shared)

    def fetch(self):
        """Answers how many pages there were."""
        count, more = 0, True
        while more:
            zone = {"zoneID": ZONE, **({"syncToken": self.token} if self.token else {})}
            page = self.call("changes/zone", {"zones": [zone], "resultsLimit": 7})["zones"][0]
            if "serverErrorCode" in page:
                raise Refused(f"a token is refused: {page}")
            for record in page["records"]:
                self.take(record)
            self.token, more, count = page["syncToken"], page["moreComing"], count + 1
        return count

    def take(self, record):
        name = record["recordName"]
        if record.get("deleted"):
            self.cache.pop(name, None)
            return
        if self.tags.get(name) == record["recordChangeTag"]:
            self.history.problem(f"device {self.number}: the feed brings {name} again, unchanged")
        self.tags[name], self.cache[name] = record["recordChangeTag"], text_of(record)


def text_of(record):
    return record["fields"]["text"]["value"] if "fields" in record else f"({record.get('serverErrorCode')})"


# MARK: The judgement

def judge(history, final, devices):
    """`final`: name to text of all records, as the server has them in the end."""
    problems, marks = list(history.problems), {name: text.split() for name, text in final.items()}
    forgotten = []
    for save in history.saves:
        counts = {marks.get(name, []).count(mark) for name, mark in save.marks.items()}
        if save.outcome == "refused" and counts == {1}:
            # The outcome of the first try lost its place to another request's, so the second met a conflict with it.
            forgotten.append(save)
            continue
        allowed = {"done": [{1}], "refused": [{0}], "unknown": [{0}, {1}]}[save.outcome]
        if counts not in allowed:
            problems.append(f"{save.marks}, whose save is {save.outcome}, is there {sorted(counts)} times")
    if len(forgotten) > MOST_FORGOTTEN + len(history.saves) * MOST_FORGOTTEN / 100:
        problems.append(f"{len(forgotten)} of {len(history.saves)} saves are refused and there, such as {forgotten[0].marks}")
    for how, _, _, texts in history.seen:
        for name, text in texts.items():
            if not final.get(name, "").startswith(text):
                problems.append(f"a {how} saw {name} as it never was: ...{text[-30:]!r}, not in ...{final.get(name, '')[-30:]!r}")
    problems += batches(history) + times(history, marks)
    for name, state in history.made.items():
        if state == "done" and final.get(name) != name:
            problems.append(f"{name} is done by its answers, and in the end {final.get(name)}")
        if state == "gone" and name in final:
            # Made again by a late second coming of its request, whose outcome was forgotten.
            history.forgotten.append(name)
    if len(history.forgotten) > MOST_FORGOTTEN + len(history.made) * MOST_FORGOTTEN / 100:
        problems.append(f"{len(history.forgotten)} of {len(history.made)} records are refused or gone and there: {history.forgotten[:3]}")
    for device in devices:
        if device.cache != final:
            different = sorted(name for name in final.keys() | device.cache.keys() if device.cache.get(name) != final.get(name))
            problems.append(f"device {device.number} ends with other records than the server: {different[:3]}")
    return problems


def batches(history):
    """No answer that shows both records of a batch shows half of it."""
    problems, pairs = [], [save.marks for save in history.saves if len(save.marks) > 1]
    for how, _, _, texts in history.seen:
        for marks in pairs:
            if len({f"{mark} " in texts[name] for name, mark in marks.items() if name in texts}) > 1:
                problems.append(f"a {how} saw half of the batch {marks}")
    return problems


def times(history, marks):
    """Who asks after an answer sees at least what that answer said."""
    events, problems = {}, []
    for how, began, ended, texts in history.seen:
        for name, text in texts.items():
            events.setdefault(name, []).append((began, ended, len(text.split()), how))
    for save in history.saves:
        for name, mark in save.marks.items():
            if save.outcome == "done" and mark in marks.get(name, []):
                events.setdefault(name, []).append((save.began, save.ended, marks[name].index(mark) + 1, "save"))
    for name, all_of_it in events.items():
        ends, most, position = sorted(all_of_it, key=lambda event: event[1]), 0, 0
        for began, _, length, how in sorted(all_of_it):
            while position < len(ends) and ends[position][1] < began:
                most, position = max(most, ends[position][2]), position + 1
            if length < most:
                problems.append(f"a {how} saw {length} marks of {name} when {most} had been answered")
    return problems


# MARK: A run

def prepare(server):
    client = server.client("alice", "setup")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Text", "recordName": f"s{number}", "fields": {"text": {"value": ""}}}} for number in range(SHARED)]})


def die(server, postgres, number):
    """The server, or every second time its database."""
    if postgres and number % 2:
        postgres.order("stop")
        postgres.order("start fsync=on")
    else:
        server.kill()
        server.start()


def run(brume, seed, steps, kills, lie=None, postgres=None):
    chance, history = random.Random(seed), History()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(brume, folder, postgres.schema(f"history{seed}") if postgres else "sqlite").start()
        try:
            prepare(server)
            proxy = Proxy(server, chance.random(), lie and Lies(lie, chance.random()))
            place = Behind(server, proxy)
            devices = [Device(number, place, history, chance.random(), steps) for number in range(DEVICES)]
            for device in devices:
                device.start()
            for kill in range(kills):
                while sum(device.done for device in devices) < steps * DEVICES * (kill + 1) / (kills + 1) and any(
                        device.is_alive() for device in devices):
                    time.sleep(0.01)
                die(server, postgres, kill)
            for device in devices:
                device.join()
            # What was on its way arrives; then nothing is cut any more.
            time.sleep(0.7)
            proxy.is_calm = True
            for device in devices:
                device.follow()
            final = everything(server.client("alice", "reader"))
            subscriptions = server.client("alice", "reader").call("subscriptions/list", {})["subscriptions"]
            names = [subscription["subscriptionID"] for subscription in subscriptions]
            if len(names) != len(set(names)) or len(names) > DEVICES:
                history.problem(f"subscriptions came twice: {names}")
            proxy.close()
        finally:
            with contextlib.suppress(OSError):
                server.kill()
    return judge(history, final, devices), history, proxy


def everything(client):
    final, token, more = {}, None, True
    while more:
        zone = {"zoneID": ZONE, **({"syncToken": token} if token else {})}
        page = client.call("changes/zone", {"zones": [zone]})["zones"][0]
        final.update({record["recordName"]: text_of(record) for record in page["records"] if not record.get("deleted")})
        token, more = page["syncToken"], page["moreComing"]
    return final


def controls(brume, seed):
    missed = []
    for lie in Lies.KINDS:
        # In a run of few steps a lie may happen to be no lie, such as an old answer that is still right.
        for again in range(5):
            problems, _, _ = run(brume, seed + again, 15, 0, lie)
            if problems:
                break
        print(f"  control '{lie}': " + (f"found: {problems[0][:140]}" if problems else "NOT FOUND"), flush=True)
        missed += [] if problems else [lie]
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--steps", type=int, default=40, help="of each device in a run")
    parser.add_argument("--runs", type=int, default=1, help="how many runs, each with the next seed")
    parser.add_argument("--kills", type=int, default=2, help="how often the server dies in a run")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--control", action="store_true")
    parser.add_argument("--postgres", action="store_true", help="on PostgreSQL, which dies every second time")
    options = parser.parse_args()
    if options.control:
        return controls(options.brume, options.seed)
    postgres = Postgres() if options.postgres else None
    try:
        return histories(options, postgres)
    finally:
        if postgres:
            postgres.stop()


def histories(options, postgres):
    print(f"history: {options.runs} runs, --seed {options.seed}", flush=True)
    for number in range(options.runs):
        problems, history, proxy = run(options.brume, options.seed + number, options.steps, options.kills, postgres=postgres)
        done = sum(save.outcome == "done" for save in history.saves)
        refused = sum(save.outcome == "refused" for save in history.saves)
        disturbed = sum(count for fate, count in proxy.fates.items() if fate != "pass")
        print(f"  {done} saves done, {refused} refused, {len(history.saves) - done - refused} without an answer, {len(history.made)} "
              f"records made; {len(history.seen)} answers compared; {disturbed} of {sum(proxy.fates.values())} requests disturbed",
              flush=True)
        for problem in problems[:10]:
            print(f"  seed {options.seed + number}: {problem}")
        if problems:
            print("FAILED")
            return 1
        if min(done, refused, disturbed) < 5:
            print("FAILED: too little happened to show anything")
            return 1
    print("every answer was kept, nothing twice, nothing skipped")
    return 0


if __name__ == "__main__":
    sys.exit(main())
