"""What the console's test looks at: many records, a zone that is shared, a record with files and a reference."""
import json
import struct
import urllib.request
import zlib

BATCH = 200
GENRES = ["Blues", "Folk", "Jazz", "Soul"]
COMMENTS = ["Walking bass", "Slow one in E, late at night", "Train station, platform echo", "Blue in the kitchen",
            "Twelve bars, no mistakes", "Scat over a kettle", "Harmonica lines, whistled", "Rain on the roof"]
# Sorted behind all others, so that no first page has it.
LINKED, WIDTH = "zz-whistle-with-files", 320


def fill(server, rows):
    client = server.client("alice", "filler")
    for start in range(0, rows, BATCH):
        client.call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": f"{(at * 2654435761) % 2**32:08X}-{at:04d}", "recordType": "Whistles", "fields": {
                "genre": {"value": GENRES[at % 4]}, "comments": {"value": COMMENTS[at * 7 % 8]},
                "rating": {"value": at % 5 + 1}}}} for at in range(start, start + BATCH)]}, "public")
    _shared_zone(client)
    _record_with_files(client)


def _shared_zone(client):
    zone = {"zoneName": "Contacts"}
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    client.call("records/modify", {"zoneID": zone, "operations": [
        {"operationType": "create", "record": {"recordName": "ada", "recordType": "Contact",
                                               "fields": {"name": {"value": "Ada Lovelace"}}}},
        {"operationType": "create", "record": {"recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                                               "publicPermission": "READ_ONLY", "fields": {}}}]})


def _record_with_files(client):
    files = {"cover": picture(WIDTH, 180), "notes": b"Walking bass, second take\nrecorded on platform 9\n"}
    fields = {name: {"value": _upload(client, name, data)} for name, data in files.items()}
    fields |= {"genre": {"value": "Jazz"}, "station": {"value": {"recordName": "platform-9", "action": "NONE"}}}
    client.call("records/modify", {"operations": [
        {"operationType": "create", "record": {"recordName": "platform-9", "recordType": "Station",
                                               "fields": {"title": {"value": "Platform 9"}}}},
        {"operationType": "create", "record": {"recordName": LINKED, "recordType": "Whistles", "fields": fields}}]}, "public")


def _upload(client, field, data):
    token = client.call("assets/upload", {"tokens": [{"recordName": LINKED, "recordType": "Whistles", "fieldName": field}]},
                        "public")["tokens"][0]
    with urllib.request.urlopen(urllib.request.Request(token["url"], data=data, method="POST")) as answer:
        return json.load(answer)["singleFile"]


def picture(width, height):
    """A PNG that goes from one colour to another."""
    rows = b"".join(b"\0" + bytes(value for x in range(width) for value in (x * 255 // width, y * 255 // height, 160))
                    for y in range(height))
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
