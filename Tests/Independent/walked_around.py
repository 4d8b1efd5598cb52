"""Limits cannot be walked around (A13): how often a user and an address may ask, how many operations a batch may have, how
large a body may be. By other spellings of a path, other methods and headers, other tokens of the same user, many
connections and streams of HTTP/2.

Answers are counted, not times: a bucket is emptied, and whatever is sent then may be served no more than what the bucket got
since, by the clock of whoever asks. An address that nothing was asked from is served meanwhile.

usage: walked_around.py --brume PATH
"""
import argparse
import collections
import json
import os
import socket
import sys
import tempfile
import time

import h2.events

from brume_server import Server, expect, skip
from certificates import Authority
from matrix.answers import Connection, Wire
from secure import Secure

# A second of one user, of all users of an address, and without a user; ten times as many at once.
USER, ADDRESS, NOBODY, BURST = 1, 2, 1, 10
RATES = ["--rate-user", str(USER), "--rate-address", str(ADDRESS), "--rate-anonymous", str(NOBODY)]
# How often each way around is tried, and how many users come from one address.
TRIES, PEOPLE = 8, 5
# Another address of this machine.
OTHER = "127.0.0.2"
BODY, OPERATIONS, HELD, LARGE = 16 << 20, 200, 64 << 20, 15 << 20


class Elsewhere(Connection):
    """A connection from another address of this machine."""

    def __init__(self, address):
        self.host = f"{address[0]}:{address[1]}"
        self.socket = socket.create_connection(address, 60, (OTHER, 0))
        self.file, self.is_open = self.socket.makefile("rb"), True


class Count:
    """Answers since the first request, and what the buckets allow by now."""

    def __init__(self):
        self.began, self.served, self.statuses = time.monotonic(), 0, collections.Counter()

    def note(self, status):
        self.statuses[status] += 1
        self.served += status != 429

    def allowed(self, rate, burst=BURST):
        """One more, for the part of a second."""
        return rate * burst + int(rate * (time.monotonic() - self.began)) + 1


def path(server, user, endpoint="zones/list", device="phone", environment="development", database="private"):
    return (f"/database/1/{server.values['BRUME_CONTAINER']}/{environment}/{database}/{endpoint}"
            f"?{server.client(user, device).credentials()}")


def emptied(wire, target, rate, what):
    """Asks until the bucket is empty: what was served is what the bucket had."""
    count = Count()
    for _ in range(3 * BURST * rate):
        count.note(wire.ask("POST", target, b"{}").status)
    expect(BURST * rate <= count.served <= count.allowed(rate),
           f"{what}: {count.served} of {3 * BURST * rate} are not refused {dict(count.statuses)}")


# MARK: How often

def spellings(server):
    """Names of ways around, each with a method, a target and headers."""
    target = path(server, "alice")
    plain, query = target.split("?", 1)
    again = server.admin("users/token", {"user": "alice"})["token"]
    other = query.replace(server.values["BRUME_USER_TOKEN_ALICE"], again)
    yield "another device", "POST", path(server, "alice", device="tablet"), {}
    yield "another endpoint", "POST", path(server, "alice", "records/lookup"), {}
    yield "another database", "POST", path(server, "alice", database="shared"), {}
    yield "the public database", "POST", path(server, "alice", "records/query", database="public"), {}
    yield "another token of the same user", "POST", f"{plain}?{other}", {}
    yield "a token that is none", "POST", f"{plain}?{query}x", {"X-Apple-CloudKit-Web-Auth-Token": "none"}
    yield "no token", "POST", f"{plain}?ckAPIToken={server.values['BRUME_API_TOKEN']}", {}
    yield "an environment in capitals", "POST", path(server, "alice", environment="DEVELOPMENT"), {}
    yield "a second slash at first", "POST", "/" + target, {}
    yield "second slashes", "POST", plain.replace("/", "//") + "?" + query, {}
    yield "a slash at the end", "POST", f"{plain}/?{query}", {}
    yield "a dot in the path", "POST", plain.replace("/private/", "/./private/") + "?" + query, {}
    yield "dots in the path", "POST", plain.replace("/private/", "/x/../private/") + "?" + query, {}
    yield "a dot as %2e", "POST", plain.replace("/private/", "/%2e/private/") + "?" + query, {}
    yield "a slash as %2F", "POST", plain.replace("zones/list", "zones%2Flist") + "?" + query, {}
    yield "a letter as %", "POST", plain.replace("zones", "%7aones") + "?" + query, {}
    yield "a database as %", "POST", plain.replace("private", "%70rivate") + "?" + query, {}
    yield "capitals", "POST", plain.replace("/database/", "/DATABASE/") + "?" + query, {}
    yield "one parameter more", "POST", f"{target}&n=1", {}
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE"):
        yield f"the method {method}", method, target, {}
    for name in ("X-HTTP-Method-Override", "X-Original-URL", "X-Rewrite-URL"):
        yield f"the header {name}", "POST", target, {name: "/_brume/health/live"}
    for name in ("X-Forwarded-For", "X-Real-IP", "Forwarded", "Client-IP", "True-Client-IP"):
        yield f"the header {name}", "POST", target, {name: "for=192.0.2.7" if name == "Forwarded" else "192.0.2.7"}


def by_spelling(server):
    """Both buckets are empty, the user's and that of whoever is nobody: no other way in has a third."""
    wire = Wire(server.address)
    began = Count()
    emptied(wire, path(server, "alice"), USER, "requests of a user")
    emptied(wire, "/nowhere", NOBODY, "requests of nobody")
    found = collections.defaultdict(collections.Counter)
    for name, method, target, headers in spellings(server):
        for _ in range(TRIES):
            found[name][wire.ask(method, target, b"{}" if method in ("POST", "PUT") else None, headers).status] += 1
    around = {name: dict(statuses) for name, statuses in found.items() if statuses[429] <= TRIES // 2}
    expect(not around, f"{len(found)} spellings, methods and headers are counted as any other {around or ''}")
    served = sum(sum(statuses.values()) - statuses[429] for statuses in found.values())
    # What both buckets had at first was taken before.
    most = began.allowed(USER, 0) + began.allowed(NOBODY, 0)
    expect(served <= most, f"all together are served what the buckets got meanwhile: {served}, and {most} are allowed")
    control(server)


def control(server):
    """What was found is about alice and her address, and not about a server that refuses everybody."""
    statuses = collections.Counter()
    connection = Elsewhere(server.address)
    for _ in range(TRIES):
        statuses[connection.ask("POST", path(server, "bob"), b"{}").status] += 1
        if not connection.is_open:
            connection = Elsewhere(server.address)
    expect(statuses[200] == TRIES, f"somebody else at another address is served {dict(statuses)}")


def by_connections(server):
    """Each request on a connection of its own, when the bucket is empty."""
    while Connection(server.address).ask("POST", path(server, "alice"), b"{}").status != 429:
        pass
    count = Count()
    for _ in range(3 * BURST):
        connection = Connection(server.address)
        count.note(connection.ask("POST", path(server, "alice"), b"{}").status)
        connection.close()
    expect(count.served <= count.allowed(USER, 0), f"{3 * BURST} connections have no more than one: {count.served} served")


def by_users(server):
    """Many users at one address: together they have what the address has, and each has no more than his own."""
    users, wire, count = people(server), Wire(server.address), Count()
    for user in users:
        own = Count()
        for _ in range(2 * BURST):
            status = wire.ask("POST", path(server, user), b"{}").status
            own.note(status)
            count.note(status)
        expect(own.served <= own.allowed(USER), f"{user} is served {own.served} of {2 * BURST}")
    expect(BURST <= count.served <= count.allowed(ADDRESS), f"{len(users)} users of one address together are served {count.served}")


def by_preflights(server):
    """What browsers ask first has a bucket of its own, which no path and no origin has anew."""
    wire, count = Wire(server.address), Count()
    for number in range(6 * BURST):
        target = [path(server, "alice"), path(server, "alice", "records/query"), "/_brume/devices", "/nowhere"][number % 4]
        count.note(wire.ask("OPTIONS", target, None, {"Origin": f"https://{number}.example", "Access-Control-Request-Method": "POST"}).status)
    # Of a path that is none too: `OPTIONS` counts before it is looked up.
    expect(count.served <= count.allowed(ADDRESS), f"{6 * BURST} preflights of as many origins: {count.served} answered {dict(count.statuses)}")


def by_streams(server):
    """Many streams at once, and another connection."""
    both = Count()
    for number, wanted in ((1, BURST), (2, 0)):
        connection, count = server.connect(), Count()
        streams = {connection.send("POST", server.path("zones/list"), b"{}") for _ in range(5 * BURST)}
        while streams:
            event = connection.next()
            if isinstance(event, h2.events.ResponseReceived):
                status = int(dict(event.headers)[":status"])
                count.note(status)
                both.note(status)
            elif isinstance(event, (h2.events.StreamEnded, h2.events.StreamReset)):
                streams.discard(event.stream_id)
        connection.close()
        expect(wanted <= count.served <= count.allowed(USER), f"connection {number} of HTTP/2: {count.served} of {5 * BURST} streams are served")
    expect(both.served <= both.allowed(USER), f"and the second has no bucket of its own: {both.served} of both are served")


# MARK: How much

def batches(server):
    """One more than allowed is refused whole, in each shape that a batch has."""
    wire = Wire(server.address)
    def operations(count, first=0):
        return [{"operationType": "create", "record": {"recordType": "Note", "recordName": f"n{at}", "fields": {}}}
                for at in range(first, first + count)]
    def ask(endpoint, body):
        return wire.ask("POST", path(server, "alice", endpoint), body if isinstance(body, bytes) else json.dumps(body).encode())
    half = json.dumps(operations(OPERATIONS - 50)).encode()
    shapes = {
        "one more": ("records/modify", {"operations": operations(OPERATIONS + 1)}),
        "one more, each for itself": ("records/modify", {"atomic": False, "operations": operations(OPERATIONS + 1)}),
        "the list twice": ("records/modify", b'{"operations":' + half + b',"operations":' + half + b"}"),
        "the list twice, once escaped": ("records/modify", b'{"operations":' + half + b',"operation\\u0073":' + half + b"}"),
        "a list of bodies": ("records/modify", b"[" + b",".join([b'{"operations":' + half + b"}"] * 2) + b"]"),
        "one name more": ("records/lookup", {"records": [{"recordName": f"n{at}"} for at in range(OPERATIONS + 1)]}),
        "one zone more": ("zones/lookup", {"zones": [{"zoneName": f"n{at}"} for at in range(OPERATIONS + 1)]}),
    }
    for name, (endpoint, body) in shapes.items():
        answer = ask(endpoint, body)
        expect(400 <= answer.status < 500, f"a batch with {name} is refused {answer.status} {answer.text[:120]}")
    found = ask("records/lookup", {"records": [{"recordName": "n0"}, {"recordName": f"n{OPERATIONS}"}]}).items()
    expect(len(found) == 2 and all(item.get("serverErrorCode") == "NOT_FOUND" for item in found), "and nothing of any was saved")
    saved = ask("records/modify", {"operations": operations(OPERATIONS)})
    expect(saved.status == 200 and len(saved.items()) == OPERATIONS, "as many as allowed are saved")


def announced(server, target, length, headers=""):
    """The status of a body that was announced, and of which nothing came."""
    with socket.create_connection(server.address, 60) as connection:
        connection.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n{headers}\r\n".encode())
        return connection.recv(12).decode("latin-1")[9:]


def chunked(server, target, length):
    """The status of a body that says nothing of its length; what the server does not read any more is not sent."""
    piece = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with socket.create_connection(server.address, 60) as connection:
        try:
            connection.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
            for _ in range(length // 0x10000):
                connection.sendall(piece)
            connection.sendall(b"0\r\n\r\n")
        except OSError:
            pass
        try:
            return connection.recv(12).decode("latin-1")[9:]
        except OSError:
            return "closed"


def sizes(server):
    """A body of one byte more, however it is sent and to whatever path."""
    target, (plain, query) = path(server, "alice"), path(server, "alice").split("?", 1)
    whole = Wire(server.address).ask("POST", target, b"{}" + b" " * (BODY - 2))
    expect(whole.status == 200, f"a body as large as allowed is served {whole}"[:300])
    ways = {
        "announced": announced(server, target, BODY + 1),
        "announced with zeros before": announced(server, target, f"000{BODY + 1}"),
        "at a path with second slashes": announced(server, plain.replace("/", "//") + "?" + query, BODY + 1),
        "at a path with a slash at its end": announced(server, f"{plain}/?{query}", BODY + 1),
        "in an environment in capitals": announced(server, path(server, "alice", environment="DEVELOPMENT"), BODY + 1),
        "at another endpoint": announced(server, path(server, "alice", "records/modify"), BODY + 1),
        "that a header calls small": announced(server, target, BODY + 1, "X-Content-Length: 2\r\n"),
        "in pieces": chunked(server, target, BODY + 0x10000),
        "in pieces, at a path with second slashes": chunked(server, plain.replace("/", "//") + "?" + query, BODY + 0x10000),
    }
    for name, status in ways.items():
        expect(status in ("413", "closed") if "in pieces" in name else status == "413", f"one that is larger, {name}: {status}")


def together(server):
    """Many connections at once hold no more of bodies than one address may; another address has room."""
    target, held, refused = path(server, "alice"), [], 0
    for _ in range(HELD // LARGE + 4):
        connection = socket.create_connection(server.address, 60)
        if begun(connection, target):
            held.append(connection)
        else:
            refused += 1
            connection.close()
    expect(0 < len(held) <= HELD // LARGE and refused >= 4, f"of {len(held) + refused} bodies of {LARGE >> 20} MB at once {len(held)} are held, {refused} refused")
    expect(Elsewhere(server.address).ask("POST", path(server, "bob"), b"{}").status == 200, "while somebody at another address is served")
    statuses = collections.Counter()
    for connection in held:
        connection.sendall(b" ")
        statuses[connection.recv(12).decode("latin-1")[9:]] += 1
        connection.close()
    expect(statuses == {"200": len(held)}, f"those that were held are served when they are whole {dict(statuses)}")


def begun(connection, target):
    """Sends all of a body but its last byte. Whether the server took it: it says nothing then."""
    try:
        connection.sendall(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {LARGE}\r\n\r\n{{}}".encode())
        connection.sendall(b" " * (LARGE - 3))
        # Whoever is refused is answered as soon as the byte that is too many is read.
        connection.settimeout(3)
        connection.recv(1, socket.MSG_PEEK)
        return False
    except TimeoutError:
        connection.settimeout(60)
        return True
    except OSError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    brume = parser.parse_args().brume
    if not sys.platform.startswith("linux"):
        return skip("other systems have no second address of their own by themselves")
    with tempfile.TemporaryDirectory() as folder:
        def served(name, rates, *plays):
            server = Server(brume, os.path.join(folder, name), store="memory", extra=rates).start()
            try:
                for play in plays:
                    print(f"== {play.__name__}")
                    play(server)
            finally:
                server.stop()
        served("spellings", RATES, by_spelling, by_connections, by_preflights)
        served("users", RATES, by_users)
        served("sizes", [], batches, sizes, together)
        authority = Authority(folder)
        server = Secure(brume, os.path.join(folder, "streams"), authority, authority.issue("server"), extra=RATES).start()
        try:
            by_streams(server)
        finally:
            server.stop()


def people(server):
    """Users who have asked for nothing yet."""
    names = [f"guest{number}" for number in range(PEOPLE)]
    for name in names:
        server.tool("user", "create", name)
        server.values[f"BRUME_USER_TOKEN_{name.upper()}"] = server.admin("users/token", {"user": name})["token"]
    return names


if __name__ == "__main__":
    main()
