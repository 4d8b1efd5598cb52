#!/usr/bin/env python3
"""An independent client of CloudKit Web Services, strict about every reply: it signs with a server
key, saves and queries page by page, uploads a file, follows changes, and polls the web courier.

usage: web_services.py --brume PATH

Needs Python's standard library and `cryptography`. What is strict here is what real clients are
strict about: base64 they decode, plural keys they look for, codes they know, keys they demand.
"""
import argparse
import base64
import datetime
import hashlib
import http.client
import json
import re
import tempfile
import threading
import urllib.parse
import uuid

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from brume_server import Server

CODES = {"ACCESS_DENIED", "ATOMIC_ERROR", "AUTHENTICATION_FAILED", "AUTHENTICATION_REQUIRED", "BAD_REQUEST",
         "CONFLICT", "EXISTS", "INTERNAL_ERROR", "NOT_FOUND", "QUOTA_EXCEEDED", "THROTTLED",
         "TRY_AGAIN_LATER", "VALIDATING_REFERENCE_ERROR", "ZONE_NOT_FOUND"}
TYPES = {"STRING", "INT64", "DOUBLE", "BYTES", "TIMESTAMP", "LOCATION", "REFERENCE", "ASSETID"}


class Violation(Exception):
    """A reply that a strict client would stumble over."""


def expect(condition, what):
    if not condition:
        raise Violation(what)


def is_base64(text):
    try:
        return base64.b64encode(base64.b64decode(text, validate=True)).decode() == text
    except ValueError:
        return False


# MARK: Models of replies

def check_error(error, request_id=None):
    expect(error.get("serverErrorCode") in CODES, f"a code that clients do not know: {error}")
    expect(isinstance(error.get("reason"), str) and error["reason"], f"an error without a reason: {error}")
    if request_id is not None:
        expect(error.get("uuid") == request_id, f"uuid and header differ: {error} {request_id}")


def check_zone_id(zone):
    expect({"zoneName", "ownerRecordName", "zoneType"} >= set(zone), f"strange zone ID: {zone}")
    expect(isinstance(zone["zoneName"], str) and isinstance(zone["ownerRecordName"], str), f"{zone}")


def check_record(record):
    """As OpenCloudKit decodes it: an error has a name and a reason; a record has all its metadata."""
    expect(isinstance(record.get("recordName"), str), f"no record name: {record}")
    if "serverErrorCode" in record:
        return check_error(record)
    expect("extensionErrorCode" not in record, "a success that JS takes for an error")
    check_zone_id(record["zoneID"])
    if record["deleted"]:
        return expect("fields" not in record, f"a tombstone with fields: {record}")
    expect(isinstance(record["recordType"], str) and record["recordChangeTag"], f"{record}")
    expect(record["pluginFields"] == {}, f"{record}")
    for stamp in (record["created"], record["modified"]):
        expect(isinstance(stamp["timestamp"], int), f"{stamp}")
        expect(re.fullmatch(r"_[0-9a-f]{32}", stamp["userRecordName"]), f"{stamp}")
        expect(isinstance(stamp["deviceID"], str), f"{stamp}")
    for name, field in record["fields"].items():
        expect({"value", "type", "isEncrypted"} >= set(field) and "value" in field, f"{name}: {field}")
        expect(field["type"] in TYPES | {f"{kind}_LIST" for kind in TYPES}, f"{name}: {field}")
        expect(isinstance(field["value"], list) == field["type"].endswith("_LIST"), f"{name}: {field}")


def check_list(reply, key, check):
    expect(isinstance(reply.get(key), list), f"no list under '{key}': {reply}")
    for element in reply[key]:
        check(element)


def check_zone(zone):
    check_zone_id(zone["zoneID"])
    if "serverErrorCode" in zone:
        return check_error(zone)
    if "syncToken" in zone:
        expect(is_base64(zone["syncToken"]), f"a token that is no base64: {zone}")


MODELS = {
    "records/modify": lambda reply: check_list(reply, "records", check_record),
    "records/lookup": lambda reply: check_list(reply, "records", check_record),
    "records/query": lambda reply: check_list(reply, "records", check_record),
    "zones/list": lambda reply: check_list(reply, "zones", check_zone),
    "zones/lookup": lambda reply: check_list(reply, "zones", check_zone),
    "zones/modify": lambda reply: check_list(reply, "zones", check_zone),
}


# MARK: Calling

class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(f"{status} {error}")
        self.status, self.error = status, error


class Caller:
    """Somebody who calls: a user by tokens, or a program by its key."""

    def __init__(self, server, user=None, client=None):
        self.server, self.values, self.client = server, server.values, client
        self.token = self.values[f"BRUME_USER_TOKEN_{user.upper()}"] if user else None

    def path(self, endpoint, database):
        values = self.values
        return f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/{database}/{endpoint}"

    def authorize(self, path, body):
        query = {"ckAPIToken": self.values["BRUME_API_TOKEN"], "ckjsVersion": "2.6.4"}
        if self.token:
            query["ckWebAuthToken"] = self.token
        if self.client:
            query["clientId"] = self.client
        return f"{path}?{urllib.parse.urlencode(query)}", {}

    def send(self, method, path, body, headers):
        connection = http.client.HTTPConnection(*self.server.address, timeout=60)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def call(self, endpoint, body=None, database="private", path=None):
        path = path or self.path(endpoint, database)
        data = b"" if body is None else json.dumps(body).encode()
        target, headers = self.authorize(path, data)
        answer, text = self.send("POST" if data else "GET", target, data,
                                 {"Content-Type": "text/plain", **headers})
        expect(answer.headers["Content-Type"].startswith("application/json"), "an answer that is no JSON")
        reply = json.loads(text)
        expect(isinstance(reply, dict), f"an answer that is no object: {text[:200]}")
        request_id = answer.headers["X-Apple-Request-UUID"]
        expect(request_id, "an answer without a request ID")
        if answer.status != 200:
            check_error(reply, request_id)
            raise Refused(answer.status, reply)
        MODELS.get(endpoint, lambda reply: None)(reply)
        return reply


class Program(Caller):
    """Signs what it sends, with a P-256 key that the server does not have."""

    def __init__(self, server, with_query=False, key=None):
        super().__init__(server)
        self.with_query = with_query
        if key is None:
            with open(self.values["BRUME_KEY_FILE"], "rb") as file:
                key = serialization.load_pem_private_key(file.read(), password=None)
        self.key = key

    def authorize(self, path, body):
        target = f"{path}?ckjsVersion=2.6.4" if self.with_query else path
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signature = self.key.sign(f"{date}:{digest}:{target}".encode(), ec.ECDSA(hashes.SHA256()))
        return target, {
            "X-Apple-CloudKit-Request-KeyID": self.values["BRUME_KEY_ID"],
            "X-Apple-CloudKit-Request-ISO8601Date": date,
            "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode()}


def operations(kind, *records):
    return [{"operationType": kind, "record": record} for record in records]


def refused(code, action):
    try:
        action()
    except Refused as refusal:
        return expect(refusal.error["serverErrorCode"] == code, f"not {code}: {refusal}")
    raise Violation(f"not refused with {code}")


# MARK: What is tried

def a_program_signs(server):
    for with_query in (False, True):
        program = Program(server, with_query)
        name = f"Signed-{uuid.uuid4()}"
        record = {"recordType": "Signed", "recordName": name, "fields": {"mark": {"value": name}}}
        saved = program.call("records/modify", {"operations": operations("create", record)}, "public")
        expect(saved["records"][0]["recordName"] == name, f"{saved}")
        query = {"recordType": "Signed", "filterBy": [
            {"comparator": "EQUALS", "fieldName": "mark", "fieldValue": {"value": name}}]}
        found = program.call("records/query", {"query": query}, "public")
        expect([r["recordName"] for r in found["records"]] == [name], f"{found}")
    refused("AUTHENTICATION_FAILED", lambda: program.call("zones/list"))
    stranger = Program(server, key=ec.generate_private_key(ec.SECP256R1()))
    refused("AUTHENTICATION_FAILED", lambda: stranger.call("records/query", {"query": query}, "public"))


def a_user_queries_page_by_page(alice, zone):
    records = [{"recordType": "Hike", "recordName": f"H{i}", "fields": {
        "km": {"value": i, "type": "DOUBLE"}, "tags": {"value": ["a", "b"]}, "when": {"value": 1500, "type": "TIMESTAMP"},
        "start": {"value": {"latitude": 47.1, "longitude": 11.4 + i / 100}}}} for i in range(25)]
    reply = alice.call("records/modify", {"zoneID": zone, "atomic": True, "operations": operations("create", *records)})
    expect([r["recordName"] for r in reply["records"]] == [r["recordName"] for r in records], "order of results")
    for limit, pages in ((5, 5), (25, 1), (10, 3)):
        body = {"zoneID": zone, "resultsLimit": limit, "query": {
            "recordType": "Hike", "sortBy": [{"fieldName": "km", "ascending": False}]}}
        names, count = [], 0
        while True:
            page = alice.call("records/query", body)
            names += [r["recordName"] for r in page["records"]]
            count += 1
            if "continuationMarker" not in page:
                break
            expect(is_base64(page["continuationMarker"]), "a marker that is no base64")
            body["continuationMarker"] = page["continuationMarker"]
        expect(names == [f"H{i}" for i in reversed(range(25))], f"{names}")
        expect(count == pages, f"{count} pages of {limit}")
    near = {"recordType": "Hike", "filterBy": [{
        "comparator": "NEAR", "fieldName": "start", "distance": 1600,
        "fieldValue": {"value": {"latitude": 47.1, "longitude": 11.4}, "type": "LOCATION"}}]}
    found = alice.call("records/query", {"zoneID": zone, "query": near})
    expect({r["recordName"] for r in found["records"]} == {"H0", "H1", "H2"}, f"{found}")


def a_user_follows_changes(alice, zone):
    token, names = None, []
    while True:
        request = {"zoneID": zone, "resultsLimit": 10}
        if token:
            request["syncToken"] = token
        page = alice.call("changes/zone", {"zones": [request]})["zones"][0]
        for record in page["records"]:
            check_record(record)
        expect(is_base64(page["syncToken"]), "a token that is no base64")
        expect(not page["moreComing"] or page["syncToken"] != token, "a token that does not move")
        names += [r["recordName"] for r in page["records"]]
        token = page["syncToken"]
        if not page["moreComing"]:
            break
    expect(len(names) == len(set(names)) == 25, f"{names}")
    alice.call("records/modify", {"zoneID": zone, "operations":
               operations("forceDelete", {"recordName": "H3"}) +
               operations("forceUpdate", {"recordName": "H4", "recordType": "Hike", "fields": {"tags": {}}})})
    page = alice.call("changes/zone", {"zones": [{"zoneID": zone, "syncToken": token}]})["zones"][0]
    expect([(r["recordName"], r["deleted"]) for r in page["records"]] == [("H3", True), ("H4", False)], f"{page}")
    expect("tags" not in page["records"][1]["fields"], "an empty dictionary clears a field")
    database = alice.call("changes/database", {})
    expect(is_base64(database["syncToken"]), f"{database}")
    check_list(database, "zones", check_zone)


def a_page_polls_the_courier(server, alice, zone):
    """As CloudKit JS: GET the address in a loop, one JSON object an answer, `null` when idle."""
    page = Caller(server, "alice", client="page")
    values = server.values
    base = f"/device/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}"
    token = page.call("tokens/create", {"apnsEnvironment": "development", "clientId": "page"}, path=f"{base}/tokens/create")
    expect(re.fullmatch(r"[0-9a-f]{64}", token["apnsToken"]), f"{token}")
    expect(token["apnsEnvironment"] == "development", f"{token}")
    subscriptions = [{"subscriptionID": "hikes", "subscriptionType": "query", "zoneID": zone, "firesOn": ["create", "delete"],
                      "query": {"recordType": "Hike"}, "notificationInfo": {
                          "alertLocalizationKey": "NEW", "alertLocalizationArgs": ["title"], "additionalFields": ["title"]}}]
    reply = page.call("subscriptions/modify", {"operations": [
        {"operationType": "create", "subscription": s} for s in subscriptions]})
    expect("serverErrorCode" not in reply["subscriptions"][0], f"{reply}")
    address = urllib.parse.urlparse(token["webcourierURL"])
    received = []

    def listen():
        while len(received) < 2:
            answer, text = page.send("GET", f"{address.path}?{address.query}", None, {"Origin": "https://page.example"})
            expect(answer.status == 200, f"the courier: {answer.status} {text}")
            expect(answer.headers["Access-Control-Allow-Origin"], "the courier without CORS")
            notification = json.loads(text)
            if notification is not None:
                received.append(notification)

    thread = threading.Thread(target=listen, daemon=True)
    thread.start()
    record = {"recordType": "Hike", "recordName": "New", "fields": {"title": {"value": "Ridge loop"}}}
    alice.call("records/modify", {"zoneID": zone, "operations": operations("create", record)})
    alice.call("records/modify", {"zoneID": zone, "operations": operations("forceDelete", {"recordName": "New"})})
    thread.join(30)
    expect(len(received) == 2, f"the courier brought {received}")
    for notification, reason in zip(received, (1, 3)):
        ck = notification["ck"]
        expect(ck["cid"] == values["BRUME_CONTAINER"] and ck["ce"] == 2 and ck["nid"], f"{ck}")
        query = ck["qry"]
        expect((query["sid"], query["rid"], query["fo"]) == ("hikes", "New", reason), f"{query}")
        expect(query["zid"] == zone["zoneName"] and query["dbs"] == 1, f"{query}")
        expect(notification["aps"]["alert"]["loc-key"] == "NEW", f"{notification}")
        expect(notification["aps"]["alert"]["loc-args"] == ["Ridge loop"], f"{notification}")
        # There is nothing left to fetch of a deleted record, so its push has no additional fields.
        expect(query.get("af") == (None if reason == 3 else {"title": "Ridge loop"}), f"{notification}")


def a_user_uploads_a_file(alice, zone):
    """Both bodies that clients send: raw bytes, and one part of a form."""
    for name, form in (("raw", False), ("form", True)):
        tokens = alice.call("assets/upload", {"zoneID": zone, "tokens": [
            {"recordType": "Photo", "fieldName": "file"}]})["tokens"]
        expect(tokens[0]["recordName"] and tokens[0]["fieldName"] == "file", f"{tokens}")
        content = name.encode() * 5000
        body, kind = content, "application/octet-stream"
        if form:
            mark = uuid.uuid4().hex
            body = (f"--{mark}\r\nContent-Disposition: form-data; name=\"files\"; filename=\"file.file\"\r\n"
                    f"Content-Type: application/octet-stream\r\n\r\n").encode() + content + f"\r\n--{mark}--\r\n".encode()
            kind = f"multipart/form-data; boundary={mark}"
        address = urllib.parse.urlparse(tokens[0]["url"])
        answer, text = alice.send("POST", f"{address.path}?{address.query}", body, {"Content-Type": kind})
        expect(answer.status == 200, f"the upload: {answer.status} {text}")
        value = json.loads(text)["singleFile"]
        expect(value["size"] == len(content), f"{value}")
        record = {"recordType": "Photo", "recordName": tokens[0]["recordName"],
                  "fields": {"file": {"type": "ASSETID", "value": value}}}
        saved = alice.call("records/modify", {"zoneID": zone, "operations": operations("create", record)})["records"][0]
        stored = saved["fields"]["file"]["value"]
        expect(stored["size"] == len(content) and stored["fileChecksum"] == value["fileChecksum"], f"{saved}")
        address = urllib.parse.urlparse(stored["downloadURL"])
        answer, text = alice.send("GET", f"{address.path}?{address.query}", None, {})
        expect(answer.status == 200 and text == content, f"the download: {answer.status} {len(text)}")


def has_assets(alice):
    try:
        alice.call("assets/upload", {})
    except Refused as refusal:
        return refusal.status != 404
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    for store in ("memory", "sqlite"):
        with tempfile.TemporaryDirectory() as folder:
            server = Server(arguments.brume, folder, store, ["--courier-poll", "2"]).start()
            try:
                play(server)
            finally:
                server.stop()
        print(f"{store}: the strict client is content")


def play(server):
    alice, anonymous = Caller(server, "alice", client="laptop"), Caller(server)
    refused("AUTHENTICATION_REQUIRED", lambda: anonymous.call("zones/list"))
    zone = {"zoneName": "Trails"}
    alice.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    alice.call("zones/list")
    a_program_signs(server)
    a_user_queries_page_by_page(alice, zone)
    a_user_follows_changes(alice, zone)
    a_page_polls_the_courier(server, alice, zone)
    if has_assets(alice):
        a_user_uploads_a_file(alice, zone)


if __name__ == "__main__":
    main()
