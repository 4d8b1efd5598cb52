"""Who writes attacks into a server: a user, people whom a provider calls so, and an operator. A part of console_attacks.py."""
import json
import urllib.parse

from brume_server import Refused, expect, expect_quietly
from console_attacks_texts import ATTACKS, CLAIMED, LEAST, NAMES, ORIGIN, PLAIN
from matrix.answers import Wire
from signin import Walk

ZONE = {"zoneName": "Strangers"}
# Nothing listens there, and nobody calls it: it is switched off at once.
HOOKS = "127.0.0.1:9"
# As many as a container may have.
MOST_HOOKS = 20


def quoted(text):
    return urllib.parse.quote(text, safe="")


def record(name, text):
    return {"operationType": "forceReplace", "record": {"recordType": "Note", "recordName": name, "fields": {
        "text": {"value": text}, "list": {"value": [text, text]}}}}


def share(title, fields=(), addresses=()):
    people = [{"userIdentity": {"lookupInfo": {"emailAddress": address}}, "permission": "READ_ONLY"} for address in addresses]
    return {"operationType": "create", "record": {
        "recordType": "cloudkit.share", "recordName": "cloudkit.zoneshare", "publicPermission": "NONE",
        "fields": {"cloudkit.title": {"value": title}, "cloudkit.type": {"value": title}, **{f"cloudkit.{name}": {"value": name} for name in fields}},
        **({"participants": people} if people else {})}}


class Stranger:
    """A user who writes an attack wherever he can."""

    def __init__(self, server):
        self.server, self.wire = server, Wire(server.address)
        self.client = server.client("alice", "phone")
        self.taken = {}

    def each(self, what, endpoint, operation, name=None, **more):
        """One request for each attack, called as `name` says of it; how many were taken."""
        self.taken[what] = 0
        for attack in ATTACKS:
            named = {"brume": {"operationID": name(attack)}} if name else {}
            self.take(what, self.client, endpoint, {"operations": [operation(attack)], **named, **more})

    def take(self, what, client, endpoint, body):
        try:
            answer = client.call(endpoint, body)
        except Refused as refusal:
            expect_quietly(": 400" in str(refusal), f"{what}: {refusal}")
            return
        items = [item for items in answer.values() if isinstance(items, list) for item in items]
        self.taken[what] = self.taken.get(what, 0) + all("serverErrorCode" not in item for item in items)

    def writes(self):
        self.client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        self.client.call("records/modify", {"zoneID": ZONE, "operations": [record("first", "of its type")]})
        self.each("names of zones", "zones/modify", lambda text: {"operationType": "create", "zone": {"zoneID": {"zoneName": text}}})
        self.each("IDs and texts of subscriptions", "subscriptions/modify", lambda text: {"operationType": "create", "subscription": {
            "subscriptionID": text, "subscriptionType": "query", "zoneID": ZONE, "firesOn": ["create", "update"],
            "query": {"recordType": "Note", "filterBy": [{"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": text}}]},
            "notificationInfo": {"alertBody": text, "title": text, "category": text, "soundName": text}}})
        # Whoever made a change is not notified of it.
        self.client = self.server.client("alice", "laptop")
        self.each("names and values of records", "records/modify", lambda text: record(text, text), zoneID=ZONE)
        self.each("names of requests", "records/modify", lambda text: record("named", text), name=lambda text: text, zoneID=ZONE)
        self.shares()
        self.devices()
        self.files()
        self.asks()
        expect(all(count >= LEAST for count in self.taken.values()), f"taken of {len(ATTACKS)} attacks: {self.taken}")

    def shares(self):
        """Each zone that is called so is shared under that title; one share has all as names of fields and of who is invited."""
        for text in PLAIN:
            zone = {"zoneName": text}
            self.client.call("records/modify", {"zoneID": zone, "operations": [record(text, text)]})
            self.take("titles of shares", self.client, "records/modify", {"zoneID": zone, "operations": [share(text)]})
        answer = self.client.call("records/modify", {"zoneID": ZONE, "operations": [
            share(ATTACKS[0], PLAIN, [f"{text}@example.org" for text in ATTACKS])]})["records"][0]
        expect_quietly("serverErrorCode" not in answer, f"a share invites whoever is called so: {answer}")
        self.taken["addresses of participants"] = len([person for person in answer["participants"] if person.get("type") != "OWNER"])

    def share_name(self):
        """What the share's URL ends with. The connection of before may have ended meanwhile."""
        (found,) = self.server.client("alice", "laptop").call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": "cloudkit.zoneshare"}]})["records"]
        return found["shortGUID"]

    def devices(self):
        """As the request's own name for the device, and as the one that a body gives."""
        for text in ATTACKS:
            self.take("devices", self.server.client("bob", text), "/_brume/devices", {})
            self.take("devices of couriers", self.client, "tokens/create", {"apnsEnvironment": "development", "clientId": text})

    def files(self):
        """Each is called so by its form, and has it as its content."""
        names, values = {"recordName": "files", "recordType": "File", "fieldName": "files"}, []
        for text in ATTACKS:
            (token,) = self.client.call("assets/upload", {"zoneID": ZONE, "tokens": [names]})["tokens"]
            parts = urllib.parse.urlparse(token["url"])
            form = (f"--XX\r\nContent-Disposition: form-data; name=\"{CLAIMED} {text}\"; filename=\"{CLAIMED} {text}\"\r\nContent-Type: {text}\r\n\r\n"
                    f"{text}\r\n--XX--\r\n").encode()
            answer = self.wire.ask("POST", f"{parts.path}?{parts.query}", form, {"Content-Type": "multipart/form-data; boundary=XX"})
            expect_quietly(answer.status == 200, f"a file called {text!r} is taken: {answer}")
            values.append(answer.json["singleFile"])
        self.take("a record with files", self.client, "records/modify", {"zoneID": ZONE, "operations": [{"operationType": "forceReplace", "record": {
            "recordType": "File", "recordName": "files", "fields": {"files": {"type": "ASSETID_LIST", "value": values}}}}]})
        self.taken["files"] = self.taken.pop("a record with files") * len(values)

    def asks(self):
        """Requests that are refused, with an attack in all that a log might keep of them."""
        values = self.server.values
        place = f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/private"
        for text in ATTACKS:
            headers = {name: f"{CLAIMED} {text}" for name in ("User-Agent", "Referer", "X-Forwarded-For", "X-Apple-Request-UUID", "X-Request-ID")}
            credentials = f"{self.server.client('alice', text).credentials()}&{quoted(text)}={quoted(text)}"
            body = json.dumps({"zoneID": {"zoneName": text}, "query": {"recordType": text}}).encode()
            for target, more in [(f"{place}/zones/{quoted(text)}?{credentials}", {}), (f"{place}/records/query?{credentials}", {}),
                                 ("/_brume/admin/users", {"Authorization": f"Bearer {text}"})]:
                answer = self.wire.ask("POST", target, body, {**headers, **more})
                expect_quietly(400 <= answer.status < 500, f"{target} is refused: {answer}")


def sign_up(server, provider):
    """People whom a provider calls so become users, and say who they are."""
    walk = Walk(server)
    for number, (text, name) in enumerate(zip(ATTACKS, NAMES)):
        provider.user = {"sub": f"somebody {number}", "preferred_username": name, "email": f"{text}@people.example",
                         "email_verified": True, "given_name": text, "family_name": text}
        outcome = walk.whole()
        expect_quietly("token" in outcome, f"{name} signs in: {outcome}")
        status, me = walk.caller(outcome["token"])
        expect_quietly(status == 200 and me["nameComponents"] == {"givenName": text, "familyName": text}, f"{name} is called {text}: {me}")
    users = server.admin("users", limit=200)["users"]
    expect(set(NAMES) <= {user["name"] for user in users} and {f"{text}@people.example" for text in ATTACKS} <= {user.get("email") for user in users},
           f"{len(NAMES)} users have names and addresses that a provider gave them")


class Writer:
    """An operator, who may write what no stranger can."""

    def __init__(self, server):
        self.server = server

    def writes(self):
        server = self.server
        server.admin("faults", {"faults": [
            {"effect": "error", "code": 23, "on": ["saveRecords"], "user": name, "zone": text, "record": text, "device": text}
            for name, text in zip(NAMES, ATTACKS)]})
        # The address of a webhook is visible ASCII, as a URL is.
        for name in [name for name in NAMES if name.isascii()][:MOST_HOOKS]:
            server.admin("webhooks/disable", {"id": server.admin("webhooks", {"url": f"http://{HOOKS}/{name}"})["id"]})
        self.addresses()
        for text in ATTACKS:
            server.admin("keys", {"name": text})
        for text, name in zip(ATTACKS, NAMES):
            server.admin("operators/tokens", {"name": name, "role": "read-only"})
            server.admin("operators", {"name": name, "openid": text, "role": "read-only"})

    def addresses(self):
        """Where signing in leads back to. What would run there is none."""
        for name in NAMES:
            if name.isascii():
                self.server.admin("tokens", {"name": f"back to {name}", "callback": f"https://elsewhere.invalid/{name}"})
        for address in ("javascript://%0aattacked()", "JavaScript://%0aattacked()", "data://text/html,<b>", "vbscript://attacked", "blob://a", "file://a"):
            status, text = self.server.asked("tokens", {"name": address, "callback": address})
            expect_quietly(status == 400 and "not an address to return to" in text, f"nobody returns to {address}: {status} {text}")
        status, text = self.server.asked("tokens", {"name": "a page", "origins": [f"{ORIGIN}/<b data-attack>"]})
        expect(status == 400 and "not an origin" in text, "an address that would run is none to return to, and markup is no origin")
