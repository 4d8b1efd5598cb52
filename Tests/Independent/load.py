"""Savers and devices that only know a balancer, and what each of them must have seen in the end.

Each user has some devices and a zone; every device is pushed each record of the zone, and each of one type of the
public database, which so goes to all devices of all users. Both kinds count the user's badge. A saver waits for each
answer, so what it saved in one database arrives in that order.
"""
import contextlib
import http.client
import random
import threading
import time
import urllib.parse

from brume_server import Listener, Refused
from ledger import Ledger

ZONE = {"zoneName": "Load"}
PLACES = [("Note", "private", {"zoneID": ZONE}), ("News", "public", {})]
# A device acknowledges its pushes so many at a time.
ACKNOWLEDGED = 8
# Seconds in which a save must get through, whatever dies.
TIMEOUT = 90


def created(kind, name):
    return {"operationType": "create", "record": {
        "recordType": kind, "recordName": name, "fields": {"text": {"value": name}}}}


def subscription(kind, zone):
    made = {"subscriptionID": kind, "subscriptionType": "query", "query": {"recordType": kind},
            "firesOn": ["create"], "notificationInfo": {"alertBody": kind, "shouldBadge": True}, **zone}
    return {"operations": [{"operationType": "create", "subscription": made}]}


def call(client, endpoint, body, database="private", tries=None):
    """Until it is answered. The same operation is never done twice. `tries` counts those that failed."""
    deadline = time.monotonic() + TIMEOUT
    while True:
        try:
            return client.call(endpoint, body, database)
        except (OSError, http.client.HTTPException, Refused) as error:
            if time.monotonic() > deadline:
                raise SystemExit(f"FAILED: {endpoint} was not answered in {TIMEOUT} s: {error}")
            if tries is not None:
                tries.append(str(error))
            time.sleep(0.1)


class Device(Listener):
    """Comes back whenever its stream ends, from what it acknowledged last: the rest comes again."""

    def __init__(self, client, number, ledger):
        super().__init__(client)
        self.number, self.ledger, self.names, self.pushed = number, ledger, {}, set()
        self.badges, self.repeated, self.noted, self.last = [], 0, None, {}
        self.is_connected, self.has_ended = threading.Event(), False

    def run(self):
        while not self.has_ended:
            try:
                self.cursor = self.noted
                answer = self._connect(timeout=6)
                self.is_connected.set()
                self._read(answer)
            except (OSError, http.client.HTTPException, ValueError, Refused):
                time.sleep(0.2)

    def _take(self, event, identifier):
        self.cursor, push = identifier, event["ck"]
        if "qry" not in push:
            return self.ledger.problem(f"{self.client.user}: a push without a record: {event}")
        known, new = self.names.get(push["nid"]), (push["qry"]["rid"], event["aps"].get("badge"))
        if known is None:
            if new[0] in self.pushed:
                self.ledger.problem(f"{self.client.user}: {new[0]} was pushed with two IDs")
            self.pushed.add(new[0])
            self._follow_order(new[0])
            self.names[push["nid"]] = new
            self.badges.append(new[1])
            if new[1] != len(self.badges):
                self.ledger.problem(f"{self.client.user}: badges {self.badges[-3:]} where {len(self.badges)} comes")
            self.ledger.pushed(self.client.user, new[0])
            if len(self.badges) % ACKNOWLEDGED == 0:
                self._acknowledge()
        else:
            self.repeated += 1
            if known != new:
                self.ledger.problem(f"{self.client.user}: one ID for {known} and {new}")

    def _follow_order(self, name):
        """Names of one saver end with a number that rises; a repeated push has been here before."""
        saver, _, number = name.rpartition("-")
        if int(number) <= self.last.get(saver, 0):
            self.ledger.problem(f"{self.client.user}: {name} was pushed after {saver}-{self.last[saver]}")
        self.last[saver] = int(number)

    def _acknowledge(self):
        place = {"container": self.client.server.values["BRUME_CONTAINER"],
                 "environment": self.client.server.values["BRUME_ENVIRONMENT"], "cursor": self.cursor}
        path = f"/_brume/stream/ack?{urllib.parse.urlencode(place)}&{self.client.credentials()}"
        while not self.has_ended:
            with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(
                    http.client.HTTPConnection(*self.client.server.address, timeout=6)) as connection:
                connection.request("POST", path)
                if connection.getresponse().status == 200:
                    self.noted = self.cursor
                    return self.ledger.took(self.client.user, self.number, len(self.badges))
            time.sleep(0.2)

    def check(self):
        strange = {name for name, _ in self.names.values()} - self.ledger.expected[self.client.user]
        return [f"{self.client.user}: pushed though never saved: {sorted(strange)[:3]}"] if strange else []


class Feed:
    """The changes of a user's zone, from token to token."""

    def __init__(self, client):
        self.client, self.token, self.names = client, None, []

    def follow(self):
        while True:
            zone = {"zoneID": ZONE, **({"syncToken": self.token} if self.token else {})}
            page = call(self.client, "changes/zone", {"zones": [zone], "resultsLimit": 20})["zones"][0]
            if "serverErrorCode" in page:
                raise SystemExit(f"FAILED: {self.client.user}'s feed: {page}")
            self.names += [record["recordName"] for record in page["records"]]
            self.token = page["syncToken"]
            if not page["moreComing"]:
                return

    def check(self, saved):
        problems = []
        if len(self.names) != len(set(self.names)):
            problems.append(f"{self.client.user}: the feed repeats a record")
        if missing := saved - set(self.names):
            problems.append(f"{self.client.user}: {len(missing)} acknowledged saves are not in the feed, such as "
                            f"{sorted(missing)[0]}")
        if strange := set(self.names) - saved:
            problems.append(f"{self.client.user}: never saved: {sorted(strange)[:3]}")
        return problems


class Load:
    """Runs from `start` to `finish`."""

    def __init__(self, cluster, seed, users=10, devices=4, savers=4):
        self.cluster, self.random, self.saver_count = cluster, random.Random(seed), savers
        self.users = [f"user{number}" for number in range(users)]
        self.record_names = {user: cluster.add_user(user) for user in self.users}
        self.ledger = Ledger(self.users, devices)
        self.count, self.retries, self.ended, self.savers = 0, [], threading.Event(), []
        self.feeds = [self._prepare(user) for user in self.users]
        self.listeners = [Device(cluster.client(user, f"device{number}"), number, self.ledger)
                          for user in self.users for number in range(devices)]

    def _prepare(self, user):
        client = self.cluster.client(user, "laptop")
        call(client, "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        for kind, database, zone in PLACES:
            # The first record of a type makes the type. The public database's is there before the second user.
            first = {"operations": [created(kind, f"first-{kind}")], **zone}
            if database == "private" or user == self.users[0]:
                call(client, "records/modify", first, database)
            call(client, "subscriptions/modify", subscription(kind, zone), database)
        feed = Feed(client)
        feed.follow()
        feed.names.clear()
        return feed

    def start(self):
        for device in self.listeners:
            device.thread = threading.Thread(target=device.run, daemon=True)
            device.thread.start()
        if not all(device.is_connected.wait(20) for device in self.listeners):
            raise SystemExit("FAILED: a device cannot connect")
        work = [(self._save_on, number, self.random.random()) for number in range(self.saver_count)]
        for body, *arguments in [*work, (self._follow_on, self.random.random())]:
            thread = threading.Thread(target=self._reporting, args=(body, *arguments), daemon=True)
            thread.start()
            self.savers.append(thread)

    def _reporting(self, body, *arguments):
        """A thread that ends early ends nothing else, so what ends it is a problem."""
        try:
            body(*arguments)
        except (Exception, SystemExit) as failure:
            self.ledger.problem(f"{body.__name__.strip('_')} ended: {type(failure).__name__}: {failure}")

    def save(self, name, user, client):
        """Of the public database if there is no user."""
        self.ledger.begin(name, [user] if user else self.users)
        where = {"zoneID": ZONE} if user else {}
        body = {"operations": [created("Note" if user else "News", name)], "brume": {"operationID": f"op-{name}"}, **where}
        answer = call(client, "records/modify", body, "private" if user else "public", self.retries)
        if "serverErrorCode" in answer["records"][0]:
            self.ledger.problem(f"'{name}' was refused: {answer['records'][0]}")
        self.ledger.saved(name)

    def _save_on(self, number, seed):
        chance, count = random.Random(seed), 0
        clients = {user: self.cluster.client(user, f"saver{number}") for user in self.users}
        while not self.ended.is_set():
            user = chance.choice(self.users)
            count += 1
            is_private = chance.random() < 0.6
            self.save(f"{user if is_private else 'news'}-{number}-{count}", user if is_private else None,
                      clients[user])

    def _follow_on(self, seed):
        chance = random.Random(seed)
        while not self.ended.wait(0.2):
            chance.choice(self.feeds).follow()

    def finish(self, seconds=30):
        """Ends the savers, waits for the last pushes and answers all that is wrong."""
        self.ended.set()
        for thread in self.savers:
            thread.join(timeout=TIMEOUT + 10)
            if thread.is_alive():
                return ["a saver or follower hangs"]
        self.ledger.wait_for_all(seconds)
        problems = self.ledger.lost() + self.ledger.problems
        for feed in self.feeds:
            feed.follow()
            own = f"{feed.client.user}-"
            problems += feed.check({name for name in self.ledger.acknowledged if name.startswith(own)})
        for device in self.listeners:
            device.has_ended = True
            problems += device.check()
        return problems

    def summary(self):
        pushes = sum(len(device.names) for device in self.listeners)
        again = sum(device.repeated for device in self.listeners)
        return (f"{len(self.ledger.acknowledged)} saves ({len(self.retries)} tries failed), {pushes} pushes to "
                f"{len(self.listeners)} devices, {again} repeated with the same ID")
