"""Three servers share one PostgreSQL database behind a balancer, and die or sleep at random in the middle of work.

Savers and devices only know the balancer. A server is killed with -9, or stopped for longer than its lease lasts and
then let go on. Checked: every device gets every push, a repeated one with the same ID; badges rise by one with
each; the feed of each client has every acknowledged save once; another server takes over, on a machine that does nothing
else within the seconds of `--takeover`; and pushes were under way when servers died.
Then each server is ended with SIGTERM and started again, in turn: no save fails for good and no push is lost.

`--control` runs the same with the fence switched off that refuses what a server writes whose lease has passed on:
a wire to the database makes another condition of its statement. It must find badges that are counted twice, within so
many rounds.
"""
import argparse
import random
import sys
import tempfile
import time

from cluster import Cluster
from load import Load
from postgres import Postgres
from unfenced import Unfenced

# Seconds: a lease is 10.
ASLEEP = 13
# Seconds between two deaths, at most: servers that are all there have equal shares after 5.
PAUSE = 6
# The chance that it meets the server that makes most of the pushes.
AIMED = 0.6


class Deaths:
    def __init__(self, cluster, load, seed, takeover):
        self.cluster, self.load, self.random = cluster, load, random.Random(seed)
        self.takeover = takeover
        self.probes, self.problems, self.times, self.amid = 0, [], [], 0

    def victim(self):
        """A server that has work of somebody, often that of the public database, and who owns what."""
        owners, names = self.cluster.owners(), [node.name for node in self.cluster.nodes]
        while not set(owners.values()) <= set(names):
            # What the last death left is being taken over.
            time.sleep(0.1)
            owners = self.cluster.owners()
        aimed = owners[""] if self.random.random() < AIMED else self.random.choice(sorted(set(owners.values())))
        return names.index(aimed), owners

    def harm(self, kind):
        # Anywhere in the work that goes on.
        time.sleep(self.random.uniform(0.2, 1.5))
        index, owners = self.victim()
        node = self.cluster.nodes[index]
        start = time.monotonic()
        node.kill() if kind == "kill" else node.pause()
        under_way = self.load.ledger.under_way()
        self.amid += under_way > 0
        probes = self.probe([user for user in self.load.users
                             if owners[self.load.record_names[user]] == node.name])
        if kind == "kill":
            self.taken_over(probes, start, f"{kind} with {under_way} changes under way")
            self.cluster.start(index)
        else:
            time.sleep(max(0, start + ASLEEP - time.monotonic()))
            node.go_on()
            self.taken_over(probes, start, f"{kind} with {under_way} changes under way")
        time.sleep(self.random.uniform(0, PAUSE))

    def probe(self, users):
        """A save in each of these users' own zones, whose pushes nobody makes now."""
        names = []
        for user in users:
            self.probes += 1
            names.append(f"{user}-probe-{self.probes}")
            self.load.save(names[-1], user, self.cluster.client(user, "probe"))
        return names

    def taken_over(self, probes, start, what):
        """The time from the death to the first push of each save that the dead server would have made."""
        if not self.load.ledger.wait_for(probes, 60):
            return self.problems.append(f"nobody took over what a server did ({what})")
        if probes:
            seconds = max(self.load.ledger.arrived[name] for name in probes) - start
            self.times.append(seconds)
            print(f"  {what}: {len(probes)} users' pushes were taken over after {seconds:.1f} s", flush=True)
            if self.takeover and seconds > self.takeover:
                self.problems.append(f"the work of a server that is gone was taken over after {seconds:.1f} s ({what})")

    def roll(self):
        """Each server in turn, as in an upgrade."""
        before = len(self.load.retries)
        for index, node in enumerate(self.cluster.nodes):
            if status := node.stop():
                self.problems.append(f"a server that was asked to end ended with {status}")
            self.cluster.start(index)
            time.sleep(self.random.uniform(0.5, 2))
        print(f"  restarted in turn: {len(self.load.retries) - before} tries were repeated by the clients", flush=True)


def run(arguments, postgres, folder):
    url = Unfenced(postgres.url).url if arguments.control else postgres.url
    with Cluster(arguments.brume, folder, postgres, url) as cluster:
        load = Load(cluster, arguments.seed)
        deaths = Deaths(cluster, load, arguments.seed + 1, arguments.takeover)
        load.start()
        for number in range(arguments.rounds):
            deaths.harm(arguments.kinds[number % len(arguments.kinds)])
            if load.ledger.problems:
                break
        for _ in range(arguments.restarts):
            deaths.roll()
        problems = load.finish() + deaths.problems
        if arguments.rounds and not deaths.amid:
            problems.append("no push was under way when a server died")
        print(f"  {load.summary()}")
        if deaths.times:
            print(f"  taken over after {min(deaths.times):.1f} to {max(deaths.times):.1f} s")
        return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--rounds", type=int, default=2, help="how often a server dies or sleeps")
    parser.add_argument("--restarts", type=int, default=1, help="how often all are restarted in turn")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--takeover", type=float, help="the most seconds until the work of a server that is gone goes on")
    parser.add_argument("--control", action="store_true")
    arguments = parser.parse_args()
    arguments.kinds = ["pause"] if arguments.control else ["kill", "pause"]
    print(f"deaths of servers: {arguments.rounds} rounds, seed {arguments.seed}", flush=True)
    postgres = Postgres()
    try:
        with tempfile.TemporaryDirectory() as folder:
            problems = run(arguments, postgres, folder)
    finally:
        postgres.stop()
    for problem in problems[:20]:
        print("  " + problem)
    if arguments.control:
        found = any("one ID for" in problem or "badges" in problem for problem in problems)
        print("control: without the fence badges were " + ("counted twice" if found else "NOT counted twice"))
        sys.exit(0 if found else 1)
    print("FAILED" if problems else "nothing lost, nothing counted twice")
    sys.exit(1 if problems else 0)


main()
