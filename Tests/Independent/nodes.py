"""Two servers share one PostgreSQL database. A device listens at one, others save at both.

Checked: each push arrives once whichever server took the save; nothing is lost when the other server is killed
with -9 again and again, and comes back, or when the database stops and starts; a server that is stopped hands its
work over at once; signing out at one server ends the stream at the other; what is revoked at one is refused at the other,
which had remembered it, and ends its streams there; requests and wrong passwords at both count together; pushes arrive
where no NOTIFY is sent; a server that would keep files elsewhere is refused. PostgreSQL and the servers are real processes
on loopback.
"""
import argparse
import http.client
import subprocess
import tempfile
import time
import urllib.parse
from types import SimpleNamespace

from brume_server import Client, Listener, Refused, Server, expect
from guesses import sign_in
from load import call, created
from postgres import Postgres

ZONE = {"zoneName": "Nodes"}
# A lease lasts 10 s and is looked for every 2.5 s.
TAKEOVER = 20
# How often something is revoked: each second that passes might make the other server ask again by itself.
REVOKED = 3
ROLES = "DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Edited (text STRING, GRANT READ, CREATE, WRITE TO editor);"
RATES = ["--rate-anonymous", "4"]


def save(client, name):
    body = {"zoneID": ZONE, "operations": [created("Note", name)], "brume": {"operationID": f"op-{name}"}}
    call(client, "records/modify", body)


def pushed(events):
    """Record names of the pushes, in their order; a device may get one twice, with the same ID."""
    names = {}
    for event in events:
        query = event.get("ck", {}).get("qry", {})
        names.setdefault(event.get("ck", {}).get("nid"), query.get("rid"))
    return list(names.values())


def prepare(client):
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    client.call("records/modify", {"zoneID": ZONE, "operations": [created("Note", "first")]})
    client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneID": ZONE,
        "query": {"recordType": "Note"}, "firesOn": ["create"],
        "notificationInfo": {"shouldSendContentAvailable": True}}}]})


def saves_at_both(first, second, listener):
    clients = [first.client("alice", "laptop"), second.client("alice", "tablet")]
    names = [f"both-{number}" for number in range(20)]
    for number, name in enumerate(names):
        save(clients[number % 2], name)
    arrived = listener.wait_until(lambda events: set(names) <= set(pushed(events)), 120)
    expect(arrived, "20 saves at both servers reach a device at one of them")
    expect(pushed(listener.events)[-20:] == names, "in the order in which they were saved")


def kills(first, second, listener, rounds):
    """The device stays at the first server; the second one, which has half of the work, dies."""
    expected = []
    for number in range(rounds):
        at_dying = second.client("alice", "tablet")
        name = f"before-{number}"
        save(at_dying, name)
        second.kill()
        expected.append(name)
        expected.append(f"while-{number}")
        save(first.client("alice", "laptop"), expected[-1])
        arrived = listener.wait_until(lambda events: set(expected) <= set(pushed(events)), TAKEOVER)
        expect(arrived, f"nothing is lost when a server is killed ({number + 1} of {rounds})")
        second.start()


def hands_over(postgres, first, second, listener):
    postgres.wait_until_shared(2)
    second.stop()
    start = time.monotonic()
    save(first.client("alice", "laptop"), "after-stop")
    arrived = listener.wait_until(lambda events: "after-stop" in pushed(events), TAKEOVER)
    expect(arrived and time.monotonic() - start < 8, "a server that is stopped hands over before its lease ends")
    second.start()


def database_restarts(postgres, first, second, listener):
    """Saves go on as soon as the database is back, before the servers have found their way."""
    names = []
    for round_number in range(2):
        postgres.order("stop")
        postgres.order("start fsync=on")
        for number in range(10):
            names.append(f"restart-{round_number}-{number}")
            save((first, second)[number % 2].client("alice", "laptop"), names[-1])
    arrived = listener.wait_until(lambda events: set(names) <= set(pushed(events)), TAKEOVER)
    missing = sorted(set(names) - set(pushed(listener.events)))
    expect(arrived, f"a database that stops and starts loses no push {missing or ''}".strip())


def signs_out(first, second, thread):
    second.tool("user", "signout", "alice")
    thread.join(timeout=120)
    expect(not thread.is_alive(), "signing out at one server ends the stream at the other")
    try:
        first.client("alice", "laptop").call("zones/list", {})
        raise SystemExit("FAILED: a token that was signed out is still good at the other server")
    except Refused as refusal:
        expect(" 421 " in str(refusal) or " 401 " in str(refusal), "and its token is good at none of them")


def counts_together(first, second):
    """A caller without an account, at a rate of 4 a second with a burst of 40: not that of each server."""
    target = f"/database/1/{first.values['BRUME_CONTAINER']}/development/public/users/caller?" + urllib.parse.urlencode(
        {"ckAPIToken": first.values["BRUME_API_TOKEN"]})
    connections, served, began = [http.client.HTTPConnection(*server.address) for server in (first, second)], 0, time.monotonic()
    for number in range(200):
        connection = connections[number % 2]
        connection.request("GET", target)
        answer = connection.getresponse()
        answer.read()
        served += answer.status != 429
    most = 40 + 4 * (time.monotonic() - began) + 2
    expect(20 <= served <= most, f"requests to both servers count together ({served} of 200 were served)")


def guesses_together(postgres, first, second):
    """Five wrong passwords are free, wherever they are tried; what holds up one server holds up the other."""
    def attempt(server, password):
        return sign_in(server.values, server.address, "carol", password)

    first.tool("user", "create", "carol", "--password-file", "-", input="carol's password\n")
    guesses = [attempt((first, second)[number % 2], "a guess") for number in range(5)]
    expect([status for status, _ in guesses] == [401] * 5,
           f"five wrong passwords at two servers are free ({sorted({text for status, text in guesses if status != 401})})")
    counted = [row["failures"] for row in postgres.rows("SELECT failures FROM failed_attempts")]
    expect(counted == [5, 5], f"they count together, for the name and for the address ({counted})")
    postgres.order(f"sql {postgres.url} UPDATE failed_attempts SET until = until + 600000")
    held = [attempt(server, "carol's password")[0] for server in (first, second)]
    expect(held == [429, 429], f"then both refuse even the right one for a while ({held})")
    postgres.order(f"sql {postgres.url} UPDATE failed_attempts SET until = 0")
    expect(attempt(second, "carol's password")[0] == 200, "after that while it signs in at the other server")
    counted = [row["failures"] for row in postgres.rows("SELECT failures FROM failed_attempts")]
    expect(counted == [5], f"and frees the name at both, not the address ({counted})")


def refused_within(seconds, attempt):
    """Seconds until `attempt` is refused, or None."""
    began = time.monotonic()
    while time.monotonic() < began + seconds:
        try:
            answer = attempt()
        except Refused:
            return time.monotonic() - began
        if "serverErrorCode" in answer.get("records", [{}])[0]:
            return time.monotonic() - began
        time.sleep(0.02)
    return None


def revokes(brume, postgres):
    """What the second server has used, and so remembers, ends at the first."""
    url = postgres.schema("revoked")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first, second = [Server(brume, folder, store=url).start() for folder in (one, two)]
        try:
            first.admin("schema", {"schema": ROLES})
            for attempt in range(REVOKED):
                revokes_token(first, second, f"token-{attempt}")
                removes_role(first, second, f"record-{attempt}")
        finally:
            first.kill()
            second.kill()
        expect(True, f"{REVOKED} tokens and {REVOKED} roles that end at one server are refused at the other within a second")


def revokes_token(first, second, name):
    values = {**second.values, "BRUME_API_TOKEN": first.admin("tokens", {"name": name})["token"]}
    tablet = Client(SimpleNamespace(values=values, address=second.address), "alice", "tablet")
    for _ in range(3):
        tablet.call("zones/list", {})
    stream = Listener(tablet).listen()
    first.admin("tokens/revoke", {"token": name})
    stream.join(timeout=TAKEOVER)
    if stream.is_alive():
        raise SystemExit("FAILED: a stream goes on at one server after its API token was revoked at the other")
    if refused_within(1, lambda: tablet.call("zones/list", {})) is None:
        raise SystemExit("FAILED: a second after it was revoked at one server, a token is good at the other")


def removes_role(first, second, name):
    tablet = second.client("bob", "tablet")
    record = {"operations": [{"operationType": "forceUpdate", "record": {
        "recordType": "Edited", "recordName": name, "fields": {"text": {"value": name}}}}]}

    def edit():
        return tablet.call("records/modify", record, "public")

    first.admin("roles", {"role": "editor", "user": "bob", "on": True})
    deadline = time.monotonic() + TAKEOVER
    while "serverErrorCode" in (answer := edit()["records"][0]):
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED: a role that was assigned at one server is no use at the other: {answer}")
        time.sleep(0.02)
    edit()
    first.admin("roles", {"role": "editor", "user": "bob", "on": False})
    if refused_within(1, edit) is None:
        raise SystemExit("FAILED: a second after it was removed at one server, a role is good at the other")


def receives_no_notification(brume, postgres):
    """What is found before the system's own function says nothing to anybody."""
    nothing = "CREATE FUNCTION silent.pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'"
    url = postgres.schema("silent", nothing) + "%2Cpg_catalog"
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first = Server(brume, one, store=url).start()
        second = Server(brume, two, store=url).start()
        phone = first.client("alice", "phone")
        prepare(phone)
        listener = Listener(phone)
        listener.listen()
        names = [f"silent-{number}" for number in range(5)]
        for name in names:
            save(second.client("alice", "laptop"), name)
        arrived = listener.wait_until(lambda events: pushed(events) == names, TAKEOVER)
        expect(arrived, "saves at one server reach a device at the other, though neither is notified by the other")
        first.kill()
        second.kill()


def keeps_files_in_one_place(brume, postgres):
    url = postgres.schema("files")
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
        first = Server(brume, one, store=url, dev=False).start()
        second = subprocess.run([brume, "serve", "--port", "0", "--data", two, "--store", url],
                                capture_output=True, text=True, timeout=60)
        expect(second.returncode != 0 and "keeps files in another place" in second.stderr,
               "a server with a folder of its own for files is refused beside another")
        first.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--rounds", type=int, default=2, help="how often a server is killed")
    options = parser.parse_args()
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as two:
            first = Server(options.brume, one, store=postgres.url, extra=RATES).start()
            second = Server(options.brume, two, store=postgres.url, extra=RATES).start()
            postgres.wait_until_shared(2)
            counts_together(first, second)
            listener_client = first.client("alice", "phone")
            prepare(listener_client)
            listener = Listener(listener_client)
            thread = listener.listen()
            saves_at_both(first, second, listener)
            kills(first, second, listener, options.rounds)
            hands_over(postgres, first, second, listener)
            database_restarts(postgres, first, second, listener)
            guesses_together(postgres, first, second)
            signs_out(first, second, thread)
            first.stop()
            second.stop()
        revokes(options.brume, postgres)
        receives_no_notification(options.brume, postgres)
        keeps_files_in_one_place(options.brume, postgres)
    finally:
        postgres.stop()


main()
