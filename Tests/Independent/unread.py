"""Clients that ask for all they can get, and read nothing of it.

Each connection asks for a page of many megabytes. The server holds such answers for one address up to a bound, refuses the
rest with 503, serves everybody else meanwhile, and has its memory back when the connections are gone.
"""
import argparse
import json
import socket
import sys
import tempfile

from brume_server import Server, expect, skip

ZONE = {"zoneName": "Large"}
RECORDS, BYTES, CLIENTS = 40, 700_000, 24
# What the server may have at most, in MB, beside what it had before they came.
MOST = 400


def fill(client):
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    for number in range(RECORDS):
        client.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": f"r{number}", "fields": {"text": {"value": "x" * BYTES}}}}]})


def resident(process, word="VmRSS"):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) >> 10 for line in file if line.startswith(word))


def ask(server, client):
    """A request whose answer nobody reads, but for its first line."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(120)
    connection.connect(server.address)
    values = server.values
    body = json.dumps({"zones": [{"zoneID": ZONE}], "resultsLimit": 200}).encode()
    path = (f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/private/changes/zone"
            f"?{client.credentials()}")
    connection.sendall(f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
    return connection, connection.recv(12).decode()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    if not sys.platform.startswith("linux"):
        return skip("it reads /proc")
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder, extra=["--timeout-write", "600"]).start()
        try:
            client = server.client("alice", "phone")
            fill(client)
            before = resident(server.process)
            asked = [ask(server, client) for _ in range(CLIENTS)]
            begun = [line for _, line in asked if " 200" in line]
            refused = [line for _, line in asked if " 503" in line]
            grown = resident(server.process, "VmHWM") - before
            expect(len(begun) > 1 and refused and len(begun) + len(refused) == CLIENTS,
                   f"of {CLIENTS} answers of {RECORDS * BYTES >> 20} MB that nobody reads {len(begun)} are held, the rest is 503")
            expect(grown < MOST, f"they take {grown} MB of memory at most")
            expect("syncToken" in client.call("changes/database", {}), "others of the same address are served meanwhile")
            for connection, _ in asked:
                connection.close()
            page = client.call("changes/zone", {"zones": [{"zoneID": ZONE}], "resultsLimit": 200})["zones"][0]
            expect(len(page["records"]) > 1, "and when they are gone, large answers again")
            expect(server.stop() == 0, "the server ends in good order")
        finally:
            if server.process.poll() is None:
                server.kill()
    return None


if __name__ == "__main__":
    main()
