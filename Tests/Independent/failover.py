"""The primary of a PostgreSQL pair dies while servers work, and its standby takes over.

A synchronous standby has all that was acknowledged: no save is lost, feeds have no gap, every push arrives, and the
servers find the new primary by themselves, in the list of hosts of their URL. The dead one's place is then taken by a
new standby, and so on.
A standby that was not synchronous, and lacks what was acknowledged, must be noticed: servers refuse to go on, and
after their restart clients have to fetch everything.
"""
import argparse
import http.client
import random
import sys
import tempfile
import time

from brume_server import Refused, expect
from cluster import Cluster
from load import ZONE, Load, call, created
from postgres import Postgres

# Seconds in which servers refuse a database that has lost what they confirmed: until they are connected again.
NOTICED = 30


class Pair:
    """A primary and its standby, on two ports that change roles."""

    def __init__(self):
        self.postgres = Postgres()
        port = self.postgres.url.rpartition(":")[2].partition("/")[0]
        other = self.postgres.answer("standby")
        self.url = f"postgres://brume@127.0.0.1:{port},127.0.0.1:{other}/postgres"
        self.postgres.order("synchronous")

    def add_standby(self):
        self.postgres.answer("standby")
        self.postgres.order("synchronous")


def fails_over(cluster, pair, load, chance, rounds):
    for number in range(rounds):
        time.sleep(chance.uniform(0.5, 3))
        way, start = chance.choice(["kill", "stop"]), time.monotonic()
        pair.postgres.order(way)
        before = len(load.ledger.acknowledged)
        pair.postgres.order("promote")
        while len(load.ledger.acknowledged) == before and not load.ledger.problems:
            time.sleep(0.01)
        if load.ledger.problems:
            return
        print(f"  {number + 1}: {way}; saves went on after {time.monotonic() - start:.1f} s", flush=True)
        pair.add_standby()


def loses(cluster, pair):
    """A standby that got nothing more for a while, in the place of the primary. Only the first server confirmed
    what is lost; the second one has read it."""
    first, second = [node.client("alice", "phone") for node in cluster.nodes]
    call(first, "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    call(first, "records/modify", new_record("kept"))
    pair.postgres.order("asynchronous")
    pair.postgres.order("detach")
    tags = {call(first, "records/modify", new_record(f"lost-{number}"))["records"][0]["recordChangeTag"]
            for number in range(20)}
    found, token = feed(second)
    expect("lost-19" in found, "a server reads what another has saved")
    pair.postgres.order("kill")
    pair.postgres.order("promote")
    expect(refuses(first), "a server refuses a database that lacks what it confirmed")
    expect(refuses(second), "and one refuses that lacks what it has seen")
    for index, node in enumerate(cluster.nodes):
        node.kill()
        cluster.start(index)
    for node in cluster.nodes:
        client = node.client("alice", "phone")
        _, error = feed(client, token)
        expect(error == "changeTokenExpired", "after a restart clients have to begin anew")
        name = f"new-{node.name}"
        new = call(client, "records/modify", new_record(name))["records"][0]["recordChangeTag"]
        expect(new not in tags, "no change tag is given twice")
        expect(feed(client)[0] >= {"kept", name}, "and find what is left and what is new")


def new_record(name):
    return {"zoneID": ZONE, "operations": [created("Note", name)], "brume": {"operationID": f"op-{name}"}}


def refuses(client):
    """Whether a server does not save any more, until it is restarted."""
    deadline, refused = time.monotonic() + NOTICED, 0
    while time.monotonic() < deadline and refused < 5:
        try:
            client.call("records/modify", new_record(f"refused-{deadline}"))
            refused = 0
        except Refused as refusal:
            refused += " 503 " in str(refusal)
        except ConnectionRefusedError:
            # It has ended.
            refused += 1
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.2)
    return refused == 5


def feed(client, token=None):
    """The names of the zone's records with the next token, or none with an error's code."""
    zone = {"zoneID": ZONE, **({"syncToken": token} if token else {})}
    page = client.call("changes/zone", {"zones": [zone], "resultsLimit": 200})["zones"][0]
    if "serverErrorCode" in page:
        return set(), page["brume"]["code"]
    return {record["recordName"] for record in page["records"]}, page["syncToken"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--rounds", type=int, default=1, help="how often the primary dies")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"failover: {arguments.rounds} rounds, seed {arguments.seed}", flush=True)
    chance, pair = random.Random(arguments.seed), Pair()
    try:
        with tempfile.TemporaryDirectory() as folder, \
                Cluster(arguments.brume, folder, pair.postgres, pair.url, count=2) as cluster:
            load = Load(cluster, arguments.seed, users=6, devices=2)
            load.start()
            fails_over(cluster, pair, load, chance, arguments.rounds)
            problems = load.finish(60)
            print(f"  {load.summary()}")
            if not problems:
                loses(cluster, pair)
    finally:
        pair.postgres.stop()
    for problem in problems[:20]:
        print("  " + problem)
    print("FAILED" if problems else "nothing lost")
    sys.exit(1 if problems else 0)


main()
