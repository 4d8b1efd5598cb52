"""Users who save until a database is stopped, and what it must and must not have if it is brought back to a moment."""
import itertools
import random
import threading
import time

from backup import ZONE, changes, subscribe
from brume_server import Listener

# Seconds after which something must have happened that happens by itself.
PATIENCE = 60
# Records of a user of which there are pushes: with more than 100 that wait, a device gets one that says "fetch everything".
MOST_PUSHED = 60
numbers = itertools.count(1)


class Moment:
    """PostgreSQL's time and the file of its log, and our time just before and after it was asked."""

    def __init__(self, postgres):
        self.before = time.monotonic()
        [row] = postgres.rows("SELECT clock_timestamp()::text AS time, pg_walfile_name(pg_current_wal_lsn()) AS file")
        self.time, self.file, self.after = row["time"], row["file"], time.monotonic()


class Save:
    """What one request wanted: a record with a text, or none; and its change tag, when it was answered."""

    def __init__(self, name, text):
        self.name, self.text, self.tag, self.began, self.ended = name, text, None, time.monotonic(), None

    @property
    def state(self):
        return self.text and (self.text, self.tag)


def state_of(record):
    return record["fields"]["text"]["value"], record["recordChangeTag"]


def is_pushed(name):
    return name.startswith("note")


class Person:
    """A user whose devices save, follow the zone from token to token, and get pushes."""

    def __init__(self, server, name, seed):
        self.name, self.random = name, random.Random(seed)
        self.writer, self.reader, self.other = (server.client(name, device) for device in ("writer", "reader", "other"))
        self.phone = Listener(server.client(name, "phone"))
        self.saves, self.present, self.cache = [], {}, {}
        self.token, self.tokens, self.refusals = None, [], 0
        self.writer.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        # The first record of a type makes the type.
        self.save("first", "create")
        subscribe(self.writer, "notes")
        self.phone.thread = self.phone.listen()

    @property
    def clients(self):
        return self.writer, self.reader, self.other

    def send(self, name, kind, text=None, tag=None, fields=None, client=None):
        """The record as it is answered, or its error."""
        record = {"recordName": name} if kind == "forceDelete" else {
            "recordType": "Note" if is_pushed(name) or name == "first" else "Other", "recordName": name,
            "fields": {"text": {"value": text}, **(fields or {})}, **({"recordChangeTag": tag} if tag else {})}
        return (client or self.writer).call("records/modify", {"zoneID": ZONE, "operations": [
            {"operationType": kind, "record": record}]})["records"][0]

    def save(self, name, kind, fields=None, client=None):
        """Answers the record."""
        save = Save(name, None if kind == "forceDelete" else f"{self.name}'s {next(numbers)}")
        self.saves.append(save)
        tag = self.present.get(name) if kind == "update" else None
        answer = self.send(name, kind, save.text, tag, fields, client)
        if "serverErrorCode" in answer:
            raise SystemExit(f"FAILED: {kind} of {name} is answered with {answer}")
        save.ended, save.tag = time.monotonic(), answer.get("recordChangeTag")
        # Another device has its own records, which nobody else saves.
        if client is None:
            self.present.pop(name, None)
            if save.text:
                self.present[name] = save.tag
        return answer

    def work(self):
        choice = self.random.random()
        if choice < 0.5 or len(self.present) < 4:
            may_push = len({save.name for save in self.saves if is_pushed(save.name)}) < MOST_PUSHED
            self.save(f"{'note' if choice < 0.1 and may_push else 'other'}-{next(numbers)}", "create")
        else:
            self.save(self.random.choice(sorted(self.present)), "update" if choice < 0.9 else "forceDelete")

    def work_until(self, ended, problems):
        try:
            while not ended.is_set():
                self.work()
                if self.random.random() < 0.2:
                    self.follow()
                time.sleep(self.random.uniform(0, 0.02))
        except (Exception, SystemExit) as failure:
            problems.append(f"{self.name}: {type(failure).__name__}: {failure}")

    def follow(self):
        """As devices do: with a token that is refused, from the beginning."""
        records, token = changes(self.reader, self.token)
        if token is None:
            if not is_expired(records) or not self.token:
                raise SystemExit(f"FAILED: a fetch is answered with {records}")
            self.token, self.cache, self.refusals = None, {}, self.refusals + 1
            return self.follow()
        for name, record in records.items():
            self.cache.pop(name, None)
            if not record.get("deleted"):
                self.cache[name] = state_of(record)
        self.token = token
        self.tokens.append(token)
        return None

    def truth(self):
        records, _ = changes(self.reader)
        return {name: state_of(record) for name, record in records.items() if not record.get("deleted")}

    def states(self, moment):
        """By the name of a record: all that it may be in the database as it was then. What was under way may be done."""
        found = {}
        for save in self.saves:
            if save.ended < moment.before:
                found[save.name] = [save.state]
            elif save.began <= moment.after:
                found.setdefault(save.name, [None]).append(save.state)
        return found

    def pushed(self):
        return {event["ck"]["qry"]["rid"] for event in self.phone.events}


def is_expired(answer):
    return answer.get("brume", {}).get("code") == "changeTokenExpired"


def work_together(people):
    """Answers what ends it: a function that answers what went wrong."""
    ended, problems = threading.Event(), []
    threads = [threading.Thread(target=person.work_until, args=(ended, problems), daemon=True) for person in people]
    for thread in threads:
        thread.start()

    def end():
        ended.set()
        for thread in threads:
            thread.join(PATIENCE)
        return problems + ["a writer hangs" for thread in threads if thread.is_alive()]

    return end
