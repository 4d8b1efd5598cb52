"""What a hostile user sends: requests that the protocol allows, each as large as its limits, drawn from a seed."""
import json

# Records of nearly 1 MB each, as many as make an answer of 20 MB.
LARGE, LARGE_BYTES = 20, 1_000_000
# A zone that is large enough for its removal to take more than a moment.
ZONES, ZONE_RECORDS = 4, 10_000
# Names of fields that a look-up wants, of participants of a share, of people that ask for it, and of those that one says to be
# blocked there: as many as may be, and more.
WANTED, PARTICIPANTS, REQUESTERS, BLOCKED = (999, 999, 50_000), (100, 100, 2000), 100, (1000, 1000, 5000)
LETTERS = "abcdefghijklmnopqrstuvwxyz"
COMPARATORS = ["EQUALS", "NOT_EQUALS", "IN", "NOT_IN", "BEGINS_WITH", "LESS_THAN", "GREATER_THAN_OR_EQUALS"]


class Grammar:
    """Draws requests: endpoint, database and body. An endpoint that begins with a slash is in no database."""

    def __init__(self, chance):
        self.chance = chance
        self.kinds = [self.query, self.sorted_query, self.save, self.chain, self.references, self.lookup, self.zones,
                      self.changes, self.subscriptions, self.uploads, self.delete, self.nested, self.many_zones,
                      self.fill_zone, self.delete_zone, self.resolve, self.discover, self.notifications, self.wanted_fields,
                      self.share]

    def request(self):
        endpoint, database, body = self.chance.choice(self.kinds)()
        return endpoint, database, body if isinstance(body, bytes) else json.dumps(body).encode()

    def unread(self):
        """A request for all of the large records at once. Whoever asks for it is not going to read the answer."""
        endpoint, database, body = self.chance.choice([self.large_lookup, self.large_query, self.large_changes])()
        return endpoint, database, json.dumps(body).encode()

    def name(self):
        return f"h{self.chance.randrange(400)}"

    def word(self, length=8):
        return "".join(self.chance.choices(LETTERS, k=length))

    def condition(self, values):
        comparator = self.chance.choice(COMPARATORS)
        value = [self.word() for _ in range(values)] if comparator in ("IN", "NOT_IN") else self.word()
        return {"comparator": comparator, "fieldName": "text", "fieldValue": {"value": value}}

    def query(self):
        """As many conditions as fit, most of them lists."""
        return "records/query", self.chance.choice(["public", "private"]), {"query": {"recordType": "Load", "filterBy": [
            self.condition(25) for _ in range(100)]}, "resultsLimit": 200}

    def sorted_query(self):
        return "records/query", "public", {"query": {"recordType": "Load", "filterBy": [
            {"comparator": "NOT_EQUALS", "fieldName": "text", "fieldValue": {"value": self.word()}}], "sortBy": [
                {"fieldName": "text", "ascending": index % 2 == 0} for index in range(10)]}, "resultsLimit": 200}

    def record(self, **members):
        return {"recordName": self.name(), "recordType": "Load", "fields": {"text": {"value": self.word()}}, **members}

    def modify(self, operations, **more):
        unique = {operation["record"]["recordName"]: operation for operation in operations}
        return "records/modify", self.chance.choice(["public", "private"]), {"operations": list(unique.values()), **more}

    def save(self):
        filling = {"text": {"value": self.word()}, "filling": {"value": "x" * 4000}}
        return self.modify([{"operationType": "forceUpdate", "record": self.record(fields=filling)} for _ in range(200)])

    def chain(self):
        """Each record below the one before."""
        names = [f"chain-{self.word(4)}-{index}" for index in range(100)]
        return self.modify([{"operationType": "forceUpdate", "record": self.record(recordName=name, **({
            "parent": {"recordName": names[index - 1]}} if index else {}))} for index, name in enumerate(names)])

    def references(self):
        def link():
            return {"recordName": self.name(), "action": self.chance.choice(["NONE", "DELETE_SELF", "VALIDATE"])}
        return self.modify([{"operationType": "forceUpdate", "record": self.record(fields={
            "links": {"type": "REFERENCE_LIST", "value": [link() for _ in range(9)]}})} for _ in range(200)])

    def lookup(self):
        return "records/lookup", self.chance.choice(["public", "private"]), {"records": [
            {"recordName": self.name()} for _ in range(200)]}

    def large_save(self, first, count):
        return "records/modify", "private", {"operations": [{"operationType": "forceUpdate", "record": {
            "recordName": f"large{first + number}", "recordType": "Large", "fields": {
                "filling": {"value": "x" * LARGE_BYTES}}}} for number in range(count)]}

    def large_lookup(self):
        names = self.chance.sample(range(LARGE), LARGE)
        return "records/lookup", "private", {"records": [{"recordName": f"large{number}"} for number in names]}

    def large_query(self):
        return "records/query", "private", {"query": {"recordType": "Large"}, "resultsLimit": 200}

    def large_changes(self):
        return "changes/zone", "private", {"zones": [{"zoneID": {"zoneName": "_defaultZone"}}], "resultsLimit": 200}

    def zones(self):
        return "zones/lookup", "private", {"zones": [{"zoneName": f"zone{self.chance.randrange(500)}"} for _ in range(200)]}

    def many_zones(self):
        return "zones/modify", "private", {"operations": [
            {"operationType": self.chance.choice(["create", "delete"]), "zone": {"zoneID": {
                "zoneName": f"zone{self.chance.randrange(500)}"}}} for _ in range(100)]}

    def changes(self):
        return "changes/zone", "private", {"zones": [{"zoneID": {"zoneName": f"zone{number}"}} for number in range(200)]}

    def subscriptions(self):
        return "subscriptions/modify", "public", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": f"s{self.chance.randrange(1000)}", "subscriptionType": "query", "firesOn": ["create", "update"],
            "query": {"recordType": "Load", "filterBy": [{"comparator": "IN", "fieldName": "text", "fieldValue": {
                "value": [self.word() for _ in range(50)]}}]}, "notificationInfo": {"alertBody": "x" * 200}}} for _ in range(100)]}

    def uploads(self):
        return "assets/upload", "private", {"tokens": [{"recordType": "Load", "fieldName": "file"} for _ in range(200)]}

    def delete(self):
        return self.modify([{"operationType": "forceDelete", "record": {"recordName": self.name()}} for _ in range(200)])

    def nested(self):
        """No request: a body as deep and long as one may send, to be read and refused."""
        return "records/modify", "private", b'{"a":' * 40 + b"[" + b'"\\u00e9",' * 200_000 + b"1]" + b"}" * 40

    def fill_zone(self, number=None, first=None):
        """Much of a zone that is deleted at times."""
        number = self.chance.randrange(ZONES) if number is None else number
        first = self.chance.randrange(0, ZONE_RECORDS, 200) if first is None else first
        return "records/modify", "private", {"zoneID": {"zoneName": f"big{number}"}, "operations": [{
            "operationType": "forceUpdate", "record": {"recordName": f"big-{first + index}", "recordType": "Load", "fields": {
                "text": {"value": self.word()}}}} for index in range(200)]}

    def delete_zone(self):
        """One goes with all that is in it, and another comes."""
        gone, made = self.chance.sample(range(ZONES), 2)
        return "zones/modify", "private", {"operations": [
            {"operationType": kind, "zone": {"zoneID": {"zoneName": f"big{number}"}}}
            for kind, number in (("delete", gone), ("create", made))]}

    def resolve(self):
        return "records/resolve", "public", {"shortGUIDs": [
            {"value": self.word(25), "shouldFetchRootRecord": True} for _ in range(200)]}

    def discover(self):
        def somebody():
            return self.chance.choice([{"emailAddress": f"{self.word()}@example.org"}, {"userRecordName": f"_{self.word(32)}"},
                                       {"phoneNumber": f"+49{self.chance.randrange(10**9)}"}])
        return "users/discover", "public", {"lookupInfos": [somebody() for _ in range(200)]}

    def notifications(self):
        return "/_brume/notifications/changes", "", {"resultsLimit": 200}

    def wanted_fields(self):
        """A look-up that wants thousands of fields, and of each record others."""
        begin = self.word()
        wanted = [f"{begin}{number}" for number in range(self.chance.choice(WANTED))]
        return "records/lookup", self.chance.choice(["public", "private"]), {"desiredKeys": ["text", *wanted], "records": [
            {"recordName": self.name(), "desiredKeys": ["text", *wanted[index::200]]} if index % 2 else
            {"recordName": self.name()} for index in range(200)]}

    def share(self, count=None):
        """Of a record of its own, with as many participants as may be or more, and thousands who are blocked."""
        name, blocked_ones = self.chance.randrange(20), BLOCKED[0] if count else self.chance.choice(BLOCKED)
        count = count or self.chance.choice(PARTICIPANTS)
        begin = self.word()
        people = [{"type": "USER", "permission": "READ_ONLY", "acceptanceStatus": "INVITED", "userIdentity": {
            "lookupInfo": {"emailAddress": f"{begin}{number}@example.org"}}} for number in range(count)]
        blocked = {"allowsAccessRequests": True, "requesters": [f"_{begin}{number:024}" for number in range(REQUESTERS)],
                   "blocked": [f"_{begin}{number:024}" for number in range(blocked_ones)]}
        return "records/modify", "private", {"zoneID": {"zoneName": "shared"}, "atomic": True, "operations": [
            {"operationType": "forceUpdate", "record": self.record(recordName=f"root{name}", createShortGUID=True)},
            {"operationType": "forceUpdate", "record": {
                "recordName": f"share{name}", "recordType": "cloudkit.share", "forRecord": {"recordName": f"root{name}"},
                "fields": {}, "publicPermission": "READ_ONLY", "participants": people, "brume": blocked}}]}

    def beginning(self):
        """What is there before anything is drawn: the zones, and one of them is large."""
        yield "zones/modify", "private", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}
                                                         for name in ["shared", *(f"big{number}" for number in range(ZONES))]]}
        for first in range(0, ZONE_RECORDS, 200):
            yield self.fill_zone(0, first)
        yield self.share(PARTICIPANTS[0])
