"""The wall clock of a whole server is set back and forth by hours and days while it works (faults/clock.c).

What must not notice: saves, change tags, tokens, the feed's order, pushes on an open stream, files in use. What lives for a
time ends early or late by as much as the clock was wrong, and no longer: sign-ins, signed requests, the memory of
operations. Nobody waits for hours because the clock was once ahead: rates and pauses after wrong passwords.

With PostgreSQL nothing at all must notice, because servers go by its clock, and two of them work together whose clocks are an
hour apart or set back and forth.

`--control` leaves the clock alone and pretends to set it: that nothing moved has to be noticed.
"""
import argparse
import json
import os
import struct
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from brume_server import Listener, Refused, Server, expect, skip
from postgres import Postgres
from serverkeys import QUERY, Signer
from syscalls import Plan, compile_library

ZONE = {"zoneName": "Notes"}
HOUR, DAY = 1, 24
# Seconds that a lease lasts.
LEASE = 10
# Hours: how far the clock is off, one after the other.
JUMPS = [HOUR, -HOUR, HOUR, -HOUR, 10 * DAY, -2 * DAY, 40 * DAY, 0]


class Clock(Plan):
    """The page that is shared with the library: nanoseconds, and how often the clock was looked at."""

    def __init__(self, path, is_control=False, counts=True):
        super().__init__(path)
        self.hours, self.is_control, self.counts = 0, is_control, counts

    def set(self, hours):
        self.hours = hours
        struct.pack_into("q", self.page, 0, 0 if self.is_control else hours * 3600 * 10**9)

    @property
    def shown(self):
        """Milliseconds that the server should show."""
        return (time.time() + (self.hours * 3600 if self.counts else 0)) * 1000


class World:
    def __init__(self, server, clock):
        self.server, self.clock = server, clock
        self.mac, self.tv = server.client("alice", "mac"), server.client("alice", "tv")
        self.phone, self.token, self.names, self.count = Listener(server.client("alice", "phone")), None, [], 0

    def begin(self):
        self.mac.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        self.save("first")
        self.mac.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "notes", "subscriptionType": "query", "zoneID": ZONE, "query": {"recordType": "Note"},
            "firesOn": ["create"], "notificationInfo": {"shouldSendContentAvailable": True}}}]})
        self.phone.listen()
        self.upload(b"x" * 50_000)

    def save(self, name, more=()):
        answer = self.mac.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": name, "fields": {"text": {"value": name}}}}], **dict(more)})
        return answer["records"][0]

    def upload(self, data):
        self.data = data
        token = self.mac.call("assets/upload", {"zoneID": ZONE, "tokens": [
            {"recordType": "File", "recordName": "file", "fieldName": "file"}]})["tokens"][0]
        receipt = json.loads(urllib.request.urlopen(
            urllib.request.Request(token["url"], data=data, method="POST")).read())["singleFile"]
        self.mac.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
            "recordType": "File", "recordName": "file", "fields": {"file": {"value": receipt}}}}]})

    def signs_in(self):
        """A sign-in that is kept ends after 14 days without a request: by this clock there was none for longer."""
        try:
            self.mac.call("zones/list", {})
        except Refused as refusal:
            if not self.clock.counts or self.clock.hours <= 14 * DAY or "the web auth token has expired" not in str(refusal):
                raise
            self.server.values["BRUME_USER_TOKEN_ALICE"] = self.server.tool("user", "token", "alice")

    def goes_on(self, what):
        """Everything that a clock must not touch."""
        self.signs_in()
        names = [f"note-{self.count}-{number}" for number in range(3)]
        self.count += 1
        for name in names:
            record = self.save(name)
            if "serverErrorCode" in record:
                raise SystemExit(f"FAILED: {what}: {record}")
            off = record["modified"]["timestamp"] - self.clock.shown
            if abs(off) > 60_000:
                raise SystemExit(f"FAILED: {what}: the server's clock is {off / 3_600_000:.1f} h from where it was set")
        fetched = [record["recordName"] for record in self.fetch() if record["recordType"] == "Note"]
        if [name for name in fetched if name != "first"] != names:
            raise SystemExit(f"FAILED: {what}: the feed brings {fetched} instead of {names}")
        if not self.phone.wait_until(lambda events: set(names) <= {
                event["ck"]["qry"]["rid"] for event in events if "qry" in event["ck"]}, 120):
            raise SystemExit(f"FAILED: {what}: pushes do not come")
        record = self.mac.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": "file"}]})["records"][0]
        if urllib.request.urlopen(record["fields"]["file"]["value"]["downloadURL"]).read() != self.data:
            raise SystemExit(f"FAILED: {what}: a file is not what it was")

    def fetch(self):
        zone = {"zoneID": ZONE, **({"syncToken": self.token} if self.token else {})}
        page = self.tv.call("changes/zone", {"zones": [zone]})["zones"][0]
        if "serverErrorCode" in page:
            raise SystemExit(f"FAILED: a token does not outlive the clock: {page}")
        self.token = page["syncToken"]
        return page["records"]

    def seconds_of_work(self):
        """Processor time of the server."""
        with open(f"/proc/{self.server.process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def untouched(world, clock):
    world.begin()
    clock.set(0)
    world.goes_on("the clock is right")
    for hours in JUMPS:
        clock.set(hours)
        world.goes_on(f"the clock is off by {hours} h")
        before = world.seconds_of_work()
        time.sleep(0.5)
        if world.seconds_of_work() - before > 0.4:
            raise SystemExit(f"FAILED: off by {hours} h the server works while nobody asks")
    expect(True, f"saves, tokens, the feed, pushes and files go on while the clock is set {len(JUMPS)} times, "
                 "by up to 40 days; nothing spins")
    everything = {record["recordName"] for record in Fresh(world).records()}
    expect(len(everything) == 3 * world.count + 2, "a full fetch has all of it")


class Fresh:
    def __init__(self, world):
        self.client = world.server.client("alice", "fresh")

    def records(self):
        return self.client.call("changes/zone", {"zones": [{"zoneID": ZONE}]})["zones"][0]["records"]


# MARK: What ends early or late

def signed(server, clock):
    signer = Signer(server)
    target = signer.base + "/public/records/lookup"

    def status():
        return signer.send(target, QUERY, signer.headers(target, QUERY))[0]

    clock.set(0)
    before = status()
    clock.set(HOUR)
    ahead = status()
    clock.set(-HOUR)
    behind = status()
    clock.set(0)
    expect((before, ahead, behind, status()) == (200, 401, 401, 200),
           "signed requests are refused while the clock is off by an hour, and taken again afterwards")


class SignIn:
    def __init__(self, server):
        self.values, self.url = server.values, server.values["BRUME_URL"]

    def ask(self, token=None):
        query = {"ckAPIToken": self.values["BRUME_API_TOKEN"], **({"ckWebAuthToken": token} if token else {})}
        path = f"/database/1/{self.values['BRUME_CONTAINER']}/{self.values['BRUME_ENVIRONMENT']}/public/users/caller"
        return self.send(f"{path}?{urllib.parse.urlencode(query)}")

    def send(self, path, body=None):
        request = urllib.request.Request(self.url + path, data=body and json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read())

    def sign_in(self, password="correct horse", name="carol"):
        """The token, or the refusal."""
        _, answer = self.ask()
        state = urllib.parse.parse_qs(urllib.parse.urlparse(answer["redirectURL"]).query)["state"][0]
        status, answer = self.send("/_brume/signin/password", {
            "state": state, "name": name, "password": password, "keep": False})
        return answer["token"] if status == 200 else (status, answer)


def sessions(server, clock):
    server.tool("user", "create", "carol", "--password-file", "-", input="correct horse\n")
    people, tokens = SignIn(server), []
    for hours in (0, 10 * DAY, -2 * DAY):
        clock.set(hours)
        tokens.append(people.sign_in())
        expect(people.ask(tokens[-1])[0] == 200, f"who signs in while the clock is off by {hours} h is signed in")
    clock.set(2 * DAY)
    expect(people.ask(tokens[0])[0] == 421, "two days ahead, a sign-in of one day is over: the user signs in again")
    clock.set(0)
    expect(people.ask(tokens[0])[0] == 200, "and holds again when the clock is right, if nobody signed out")


def pauses(server, clock):
    people = SignIn(server)
    clock.set(10)
    for _ in range(20):
        refusal = people.sign_in("wrong")
        if refusal[0] == 429:
            break
    expect(refusal[0] == 429, f"wrong passwords lead to a pause: {str(refusal[1])[:80]}")
    clock.set(0)
    token, deadline = None, time.monotonic() + 120
    while not isinstance(token, str) and time.monotonic() < deadline:
        time.sleep(0.5)
        token = people.sign_in()
    expect(isinstance(token, str), "set back by ten hours, the pause is as long as before, not ten hours")


def operations(world, clock):
    clock.set(0)
    more = {"brume": {"operationID": "once"}}
    first = world.save("once", more)
    for hours in (HOUR, -HOUR, 0):
        clock.set(hours)
        again = world.save("once", more)
        if again.get("recordChangeTag") != first["recordChangeTag"]:
            raise SystemExit(f"FAILED: off by {hours} h an operation is done twice: {again}")
    clock.set(2 * DAY)
    again = world.save("once", more)
    if clock.counts:
        expect(again.get("serverErrorCode") == "CONFLICT",
               "an operation that is repeated is done once, within a day by the server's clock")
    else:
        expect(again.get("recordChangeTag") == first["recordChangeTag"],
               "an operation that is repeated is done once, whatever the server's clock shows")
    clock.set(0)


def rates(server, clock):
    """A user at the end of his rate."""
    client = server.client("bob", "mac")

    def spent():
        """How many calls passed until one was refused."""
        for count in range(500):
            try:
                client.call("zones/list", {})
            except Refused as refusal:
                if "THROTTLED" not in str(refusal):
                    raise
                return count
        raise SystemExit("FAILED: there is no rate, so this shows nothing")

    clock.set(10)
    spent()
    clock.set(0)
    deadline, passed = time.monotonic() + 30, 0
    # More than the bucket's rest: it has to be filled again by a clock that is ten hours behind.
    while passed < 5 and time.monotonic() < deadline:
        try:
            client.call("zones/list", {})
            passed += 1
        except Refused:
            time.sleep(0.3)
    expect(passed == 5, "set back by ten hours, a user at the end of his rate is served as before")
    spent()
    clock.set(10)
    expect(spent() <= 40, "set forward by ten hours, it is one burst more")
    clock.set(0)


def leases(clock, postgres):
    """For longer than one lasts: nobody works for the parts of a server that does not renew them."""
    def end():
        return postgres.rows("SELECT extract(epoch FROM min(until)) AS time FROM notifiers")[0]["time"]

    clock.set(HOUR)
    first, deadline = end(), time.monotonic() + 120
    while end() < first + 2 * LEASE:
        if time.monotonic() > deadline:
            raise SystemExit("FAILED: set forward by an hour, a server does not renew its leases")
        time.sleep(0.5)
    expect(True, "leases are renewed while the clock is off by an hour")
    clock.set(0)


# MARK: Two servers

def signed_once(first, second):
    """What one server was sent does nothing at the other."""
    signers = [Signer(server) for server in (first, second)]
    target, body = signers[0].base + "/public/records/modify", json.dumps({"operations": [
        {"operationType": "create", "record": {"recordType": "Note", "fields": {"text": {"value": "signed"}}}}]}).encode()
    headers = signers[0].headers(target, body)
    statuses = [signer.send(target, body, headers)[0] for signer in signers]
    if statuses != [200, 401]:
        raise SystemExit(f"FAILED: a signed request and its copy at the other server: {statuses}")


def signed_in_at_both(first, second, number):
    people, others, name = SignIn(first), SignIn(second), f"carol-{number}"
    first.tool("user", "create", name, "--password-file", "-", input="correct horse\n")
    token = people.sign_in(name=name)
    status, answer = others.ask(token)
    if status != 200:
        raise SystemExit(f"FAILED: a sign-in at one server is refused by the other: {status} {answer}")


def uploads_at_both(first, second, number):
    """The ticket of one server, the receipt of the other, the save at the first."""
    mac, tv = first.client("alice", "mac"), second.client("alice", "tv")
    item = {"recordType": "File", "recordName": f"shared-{number}", "fieldName": "file"}
    token = mac.call("assets/upload", {"zoneID": ZONE, "tokens": [item]})["tokens"][0]
    # The address names the first server; which of them gets the file a balancer would choose.
    there = urllib.parse.urlparse(token["url"])._replace(netloc="%s:%s" % second.address).geturl()
    receipt = json.loads(urllib.request.urlopen(
        urllib.request.Request(there, data=f"file {number}".encode(), method="POST")).read())["singleFile"]
    answer = mac.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "File", "recordName": item["recordName"], "fields": {"file": {"value": receipt}}}}]})["records"][0]
    if "serverErrorCode" in answer:
        raise SystemExit(f"FAILED: a file that came to one server cannot be saved at the other: {answer}")
    seen = tv.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": item["recordName"]}]})["records"][0]
    off = seen["modified"]["timestamp"] - time.time() * 1000
    if abs(off) > 60_000:
        raise SystemExit(f"FAILED: a record is from {off / 3_600_000:.1f} h away")


def pushed_to_both(first, second, listeners, number):
    names = [f"at-{number}-{place}" for place in range(2)]
    for server, name in zip((first, second), names):
        server.client("alice", "mac").call("records/modify", {"zoneID": ZONE, "operations": [{
            "operationType": "create", "record": {"recordType": "Note", "recordName": name, "fields": {}}}]})
    for listener in listeners:
        if not listener.wait_until(lambda events: set(names) <= {
                event["ck"]["qry"]["rid"] for event in events if "qry" in event["ck"]}, 120):
            raise SystemExit(f"FAILED: pushes of {names} do not come")


def metric(server):
    text = urllib.request.urlopen(server.values["BRUME_URL"] + "/_brume/metrics").read().decode()
    return next(float(line.split()[1]) for line in text.splitlines() if line.startswith("brume_clock_difference_seconds "))


def apart(brume, library, place, postgres):
    """Everything that one server says and the other one judges."""
    clock, url = Clock(os.path.join(place, "apart"), counts=False), postgres.schema("apart")
    clock.set(HOUR)
    wrong = Server(brume, os.path.join(place, "wrong"), url, environment={"LD_PRELOAD": library, "CLOCK_PAGE": clock.path})
    right = Server(brume, os.path.join(place, "right"), url)
    for server in (wrong, right):
        server.start()
    world = World(right, clock)
    world.begin()
    listeners = [Listener(server.client("alice", f"watch-{number}")) for number, server in enumerate((wrong, right))]
    for listener in listeners:
        listener.listen()
    for number, hours in enumerate([HOUR, -HOUR, 3 * HOUR, -10 * DAY, 0]):
        clock.set(hours)
        for order, (first, second) in enumerate([(wrong, right), (right, wrong)]):
            signed_once(first, second)
            signed_in_at_both(first, second, f"{number}-{order}")
            uploads_at_both(first, second, f"{number}-{order}")
        pushed_to_both(wrong, right, listeners, number)
        if abs(metric(wrong) - hours * 3600) > 60 or abs(metric(right)) > 60:
            raise SystemExit(f"FAILED: off by {hours} h the metrics say {metric(wrong)} and {metric(right)} s")
    expect(True, "two servers, one of them off by up to ten days: a signed request acts once, sign-ins, tickets and files of "
                 "one are good at the other, records have the database's time, pushes come, the metrics say it")
    for server in (wrong, right):
        expect(server.stop() == 0, "the server ends in good order")


def whole(brume, library, place, options, store, postgres=None):
    clock = Clock(os.path.join(place, "clock"), options.control, counts=postgres is None)
    environment = {"LD_PRELOAD": library, "CLOCK_PAGE": clock.path}
    server = Server(brume, os.path.join(place, f"data-{len(store)}"), store, environment=environment)
    server.start()
    try:
        world = World(server, clock)
        untouched(world, clock)
        operations(world, clock)
        if postgres:
            leases(clock, postgres)
        if store == "sqlite":
            signed(server, clock)
            sessions(server, clock)
            pauses(server, clock)
        expect(server.stop() == 0, "the server ends in good order")
        if store == "sqlite":
            server.extra = ["--rate-user", "2"]
            rates(server.start(), clock)
    finally:
        if server.process.poll() is None:
            server.kill()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--postgres", action="store_true", help="with PostgreSQL, whose own clock is right")
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    postgres = Postgres() if options.postgres else None
    try:
        with tempfile.TemporaryDirectory() as place:
            library = compile_library(place, "clock")
            if library is None:
                return skip("there is no C compiler")
            if not options.control:
                whole(options.brume, library, place, options, postgres.url if postgres else "sqlite", postgres)
                return apart(options.brume, library, place, postgres) if postgres else None
            try:
                whole(options.brume, library, place, options, "sqlite")
            except SystemExit as found:
                return expect("from where it was set" in str(found), f"control: a clock that stays is noticed ({found})")
            raise SystemExit("FAILED: control: a clock that stays was not noticed")
    finally:
        if postgres:
            postgres.stop()


if __name__ == "__main__":
    sys.exit(main())
