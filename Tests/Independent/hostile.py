"""A hostile user beside a normal one: requests as large as the protocol allows, connections that say nothing, bodies
that hardly flow, answers of many megabytes that nobody reads, and passwords that are guessed. The normal user must be
served about as fast as before, and the server stay small.

usage: hostile.py --brume PATH [--seconds 12] [--seed N] [--judge]

With `--judge`, for a release build on a machine that does nothing else: five times the time alone. Without it the
bound is what the largest requests take here: whoever comes waits for some that are at work, and not for a row of them.
"""
import argparse
import collections
import json
import multiprocessing
import os
import random
import socket
import tempfile
import threading
import time
import urllib.parse

import guesses
from brume_server import Server, target
from matrix.answers import Connection
from matrix.grammar import Grammar, LARGE

MEMORY = 512 << 20
# How many times slower the 99th of a hundred requests may be, and below which time slowness is nothing but chance. A
# test machine's two cores also run the hostile user and perhaps other tests. Of one caller four requests at most are at work
# (docs/internals/performance.md): four of the largest in the group of writes that is under way, and four in the next.
# What two busy cores make of a debug build is seen in the figures; below `LEAST` seconds they are not judged.
STRICT, GENEROUS, TURNS, LEAST = (5, 0.02), 25, 8, 10
REQUESTERS, IDLE, SLOW, DEAF = 12, 100, 40, 40
# Seconds after which the normal user's own times change no more.
ALONE = 120
# How many requests lie ready, and which share of what is taken from them is drawn anew.
SUPPLY, FRESH = 300, 0.1


class Caller:
    def __init__(self, values, address, user):
        self.values, self.address = values, address
        self.query = urllib.parse.urlencode({"ckAPIToken": values["BRUME_API_TOKEN"], "clientId": f"device-{user}",
                                             "ckWebAuthToken": values[f"BRUME_USER_TOKEN_{user.upper()}"]})
        self.connection = None

    def target(self, endpoint, database):
        return target(self.values, endpoint, database, self.query)

    def call(self, endpoint, database, body, path=None):
        if self.connection is None or not self.connection.is_open:
            self.connection = Connection(self.address, timeout=90)
        try:
            return self.connection.ask("POST", path or self.target(endpoint, database), body)
        except (OSError, ValueError, IndexError):
            self.connection.close()
            self.connection = None
            raise


# MARK: The hostile user, a process of his own

def hostile(values, address, seed, seconds, drawn, outcomes):
    """Requests from several connections at once; others that say nothing, or one byte now and then."""
    # It stands for somebody with machines of his own: what it computes itself is not what the server is asked to do.
    os.nice(19)
    supply = draw(seed)
    drawn.set()
    until, counts, lock = time.monotonic() + seconds, collections.Counter(), threading.Lock()

    def note(word):
        with lock:
            counts[f"{word} guess"] += 1

    def request(number):
        chance, caller = random.Random(f"{seed}-{number}"), Caller(values, address, "bob")
        grammar = Grammar(chance)
        while time.monotonic() < until:
            place = chance.randrange(len(supply))
            endpoint, database, body = supply[place]
            if chance.random() < FRESH:
                supply[place] = grammar.request()
            try:
                answer = caller.call(endpoint, database, body)
                word = str(answer.status)
                if answer.status == 200 and endpoint == "assets/upload":
                    url = urllib.parse.urlparse(answer.json["tokens"][0]["url"])
                    word = str(caller.call("", "", b"x" * (2 << 20), f"{url.path}?{url.query}").status)
                if '"INTERNAL_ERROR"' in answer.text and "its parent failed" not in answer.text:
                    word = f"internal error: {endpoint} {body[:300]!r} {answer.text[:300]}"
            except (OSError, ValueError, IndexError) as error:
                word = f"no answer ({type(error).__name__})"
            with lock:
                counts[word] += 1

    threads = [threading.Thread(target=request, args=(number,)) for number in range(REQUESTERS)]
    threads.append(threading.Thread(target=dawdle, args=(values, address, until)))
    threads.append(threading.Thread(target=read_nothing, args=(values, address, seed, until, counts, lock)))
    threads += guesses.threads(values, address, [random.Random(f"{seed}-guess-{number}") for number in range(guesses.GUESSERS)],
                               until, note)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    outcomes.put(dict(counts))


def draw(seed):
    """Requests that lie ready. Who drew each when it is sent would keep the server waiting for Python."""
    grammar = Grammar(random.Random(f"{seed}-supply"))
    return [grammar.request() for _ in range(SUPPLY)]


def dawdle(values, address, until):
    """Opens connections again as the server closes them."""
    path = Caller(values, address, "bob").target("records/modify", "private")
    begins = [b"POST /", f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{{".encode()]
    open_ones = []
    while time.monotonic() < until:
        while len(open_ones) < IDLE + SLOW:
            try:
                connection = socket.create_connection(address, 5)
                connection.sendall(begins[len(open_ones) % (IDLE + SLOW) >= IDLE])
                connection.settimeout(1)
                open_ones.append(connection)
            except OSError:
                break
        for connection in list(open_ones):
            try:
                connection.sendall(b" ")
            except OSError:
                connection.close()
                open_ones.remove(connection)
        time.sleep(0.5)
    for connection in open_ones:
        connection.close()


def read_nothing(values, address, seed, until, counts, lock):
    """Asks on many connections for the largest answers, reads none, and asks again."""
    grammar, caller = Grammar(random.Random(f"{seed}-unread")), Caller(values, address, "bob")
    open_ones = []
    while time.monotonic() < until:
        for connection in open_ones + [None] * (DEAF - len(open_ones)):
            endpoint, database, body = grammar.unread()
            head = f"POST {caller.target(endpoint, database)} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n"
            try:
                if connection is None:
                    connection = socket.socket()
                    open_ones.append(connection)
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    connection.settimeout(5)
                    connection.connect(address)
                connection.sendall(head.encode() + body)
            except OSError:
                open_ones.remove(connection)
                forget(connection, counts, lock)
        time.sleep(0.5)
    for connection in open_ones:
        forget(connection, counts, lock)


def forget(connection, counts, lock):
    """Notes how the first answer on the connection begins, which is there without having been read."""
    try:
        line = connection.recv(12, socket.MSG_PEEK | socket.MSG_DONTWAIT).decode("latin-1")
    except OSError:
        line = ""
    connection.close()
    with lock:
        counts[f"unread {line[9:] or '-'}"] += 1


# MARK: The normal one

def normal(values, address, seconds):
    """Seconds that each request took: a save, a look-up, a query, at a pace."""
    caller, times, until, number = Caller(values, address, "alice"), [], time.monotonic() + seconds, 0
    while time.monotonic() < until:
        number += 1
        record = {"recordName": f"n{number % 50}", "recordType": "Note", "fields": {"text": {"value": f"text {number % 7}"}}}
        for endpoint, body in [
                ("records/modify", {"operations": [{"operationType": "forceUpdate", "record": record}]}),
                ("records/lookup", {"records": [{"recordName": record["recordName"]}]}),
                ("records/query", {"query": {"recordType": "Note", "filterBy": [
                    {"comparator": "EQUALS", "fieldName": "text", "fieldValue": {"value": "text 3"}}]}, "resultsLimit": 10})]:
            began = time.monotonic()
            answer = caller.call(endpoint, "private", json.dumps(body).encode())
            times.append(time.monotonic() - began)
            if answer.status != 200 or "serverErrorCode" in answer.text:
                raise SystemExit(f"FAILED: the normal user was refused: {endpoint}: {answer}")
            time.sleep(0.01)
    return times


def quantile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def peak(process):
    """The most that the server ever had in memory; 0 where the system does not say."""
    try:
        with open(f"/proc/{process.pid}/status") as lines:
            return next(int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM"))
    except OSError:
        return 0


def judgement(alone, beside, memory, outcomes, bounds):
    factor, floor = bounds
    problems = []
    before, now = quantile(alone, 0.99), quantile(beside, 0.99)
    if now > max(floor, factor * before):
        problems.append(f"the normal user's p99 rose from {before * 1000:.0f} to {now * 1000:.0f} ms: the bound is {max(floor, factor * before) * 1000:.0f}")
    if memory > MEMORY:
        problems.append(f"the server had {memory >> 20} MB in memory; the bound is {MEMORY >> 20}")
    return problems + [word for word in outcomes if word.startswith("internal error") or word.startswith("500")]


def controls(alone, beside, memory, outcomes, bounds):
    """What is too slow, too large or broken has to be found."""
    spoilt = {"slow": (alone, beside + [10 * (bounds[1] + bounds[0])] * (len(beside) // 50 + 2), memory, outcomes),
              "large": (alone, beside, MEMORY + 1, outcomes), "broken": (alone, beside, memory, {**outcomes, "500": 1})}
    found = judgement(alone, beside, memory, outcomes, bounds)
    return [f"control '{name}' was not found" for name, what in spoilt.items() if len(judgement(*what, bounds)) <= len(found)
            and not found]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--store", default="sqlite")
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--judge", action="store_true")
    arguments = parser.parse_args()
    print(f"  replay: hostile.py --seed {arguments.seed} --seconds {arguments.seconds:g} --store {arguments.store}")
    with tempfile.TemporaryDirectory() as folder:
        # The rates of a server that is not for development.
        server = Server(arguments.brume, folder, arguments.store, ["--rate-user", "100", "--rate-anonymous", "20"]).start()
        try:
            problems = run(server, arguments)
        finally:
            server.stop()
    for problem in problems:
        print(f"  FAILED: {problem}")
    if problems:
        raise SystemExit(f"FAILED: a hostile user reached the others (seed {arguments.seed})")


def fill(server):
    """The hostile one's large records, and zones."""
    grammar, caller = Grammar(random.Random(0)), Caller(server.values, server.address, "bob")
    for first in range(0, LARGE, 10):
        saved(caller, *grammar.large_save(first, 10))
    for request in grammar.beginning():
        saved(caller, *request)


def saved(caller, endpoint, database, body):
    answer = caller.call(endpoint, database, json.dumps(body).encode())
    if answer.status != 200 or "serverErrorCode" in answer.text:
        raise SystemExit(f"FAILED: what the hostile one begins with was not saved: {answer}")


def longest(server):
    """Seconds that the largest of the hostile requests takes when it comes alone."""
    grammar, caller, times = Grammar(random.Random(0)), Caller(server.values, server.address, "bob"), []
    kinds = [grammar.save] * 4 + [grammar.references] * 3 + [grammar.query, grammar.subscriptions, grammar.large_lookup,
                                                             grammar.wanted_fields, grammar.share]
    for kind in kinds:
        endpoint, _, body = kind()
        began = time.monotonic()
        caller.call(endpoint, "public" if kind == grammar.subscriptions else "private", json.dumps(body).encode())
        times.append(time.monotonic() - began)
    return max(times)


def run(server, arguments):
    normal(server.values, server.address, 1)
    fill(server)
    turn = longest(server)
    alone = normal(server.values, server.address, min(ALONE, max(3, arguments.seconds / 4)))
    drawn, outcomes = multiprocessing.Event(), multiprocessing.Queue()
    attack = multiprocessing.Process(
        target=hostile, args=(server.values, server.address, arguments.seed, arguments.seconds, drawn, outcomes))
    attack.start()
    if not drawn.wait(120):
        raise SystemExit("FAILED: the hostile user had no requests to send")
    beside = normal(server.values, server.address, arguments.seconds)
    counts = outcomes.get()
    attack.join()
    memory, bounds = peak(server.process), STRICT if arguments.judge else (GENEROUS, max(LEAST, TURNS * turn))
    for name, times in (("alone", alone), ("beside the hostile one", beside)):
        print(f"  the normal user {name}: {len(times)} requests, p50 {quantile(times, 0.5) * 1000:.1f} ms, "
              f"p99 {quantile(times, 0.99) * 1000:.1f} ms, longest {max(times) * 1000:.0f} ms")
    print(f"  the largest request takes {turn * 1000:.0f} ms when nobody else asks")
    print(f"  the hostile one was answered: {counts}; the server had {memory >> 20} MB at most")
    if counts.get("200", 0) < 10:
        return [f"the hostile user was hardly served at all, so this shows nothing: {counts}"]
    if counts.get("401 guess", 0) < 2:
        return [f"no password was guessed at, so this shows nothing: {counts}"]
    if counts.get("unread 200", 0) < 2:
        return [f"no large answers were left unread, so this shows nothing: {counts}"]
    measured = (alone, beside, memory, counts)
    return judgement(*measured, bounds) + controls(*measured, bounds)


if __name__ == "__main__":
    main()
