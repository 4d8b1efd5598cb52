"""What a server does again and again leaves nothing behind in its memory: a subscription that is saved thousands of
times, each of which the notifier looks at. Read from /proc, so only on Linux.
"""
import argparse
import tempfile

from brume_server import Server

# Kilobytes that a server may grow by while it does so ROUNDS times, as its caches fill. A task that stays for each
# round is 11 KB in a release build.
ROUNDS = 2000
GROWTH = 8 * 1024


def resident(process):
    with open(f"/proc/{process.pid}/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def save_subscription(client, number):
    client.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "firesOn": ["create"],
        "zoneID": {"zoneName": "_defaultZone"}, "query": {"recordType": "Note", "filterBy": [{
            "fieldName": "number", "comparator": "EQUALS", "fieldValue": {"value": number}}]},
        "notificationInfo": {"alertBody": "news"}}}]})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder).start()
        client = server.client("alice", "phone")
        client.call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": "first", "fields": {"number": {"value": 1}}}}]})
        for number in range(ROUNDS // 4):
            save_subscription(client, number)
        before = resident(server.process)
        for number in range(ROUNDS):
            save_subscription(client, number)
        growth = resident(server.process) - before
        server.stop()
    print(f"  {ROUNDS} saves of a subscription: the server grew by {growth} KB")
    if growth > GROWTH:
        raise SystemExit("FAILED: what the server does again and again stays in its memory")


if __name__ == "__main__":
    main()
