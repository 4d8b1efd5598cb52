"""What a watcher asks, in an order that is the same in both worlds: look-ups, pages of every size, changes, saves,
repeated requests, shares, people, and what his device is pushed."""
import json
import threading

from .answers import Answer, Connection
from .principals import Principal
from .records import PATH

TYPES = ["World", "Members", "Edited", "Own"]
NAMES = [f"n{number:02}-{what}" for number in (0, 3, 11)
         for what in ("hidden-0", "hidden-1", "edited", "world", "members", "own-of-other", "under-A", "under-B", "diary", "none")]
NAMES += ["below-hidden", "holder", "swing"]
GONE = "when it is gone"


class Watcher:
    """One principal in one world, and what he was answered, by the name of the question."""

    def __init__(self, world, name):
        self.world, self.name, self.answers = world, name, {}
        # Change tags that were seen, and what repeated requests are answered when they are asked anew.
        self.tags, self.fresh = {}, {}
        self.principal = world.principals[name]

    def note(self, question, answer):
        self.answers[question] = answer

    def ask(self, question, endpoint, body, database, path=PATH):
        answer = self.world.wire.ask(*self.principal.request("POST", path + endpoint, body, database))
        self.note(question, answer)
        return answer

    def pages(self, question, endpoint, body, database, follow):
        """All pages, each as an answer of its own, and so their number."""
        for number in range(60):
            answer = self.ask(f"{question}, page {number}", endpoint, body, database)
            body = follow(body, answer) if answer.status == 200 else None
            if body is None:
                break

    def places(self):
        yield "public", None
        if self.name != "key":
            for zone in ("Trails", "Diary", "Nowhere"):
                yield "shared", zone

    def where(self, zone):
        return {"zoneID": self.world.zone(zone)} if zone else {}


def reads(watcher, limits=(1, 5, 200)):
    for database, zone in watcher.places():
        where, place = watcher.where(zone), zone or database
        for name in NAMES if len(limits) > 1 else []:
            watcher.ask(f"look up {name} in {place}", "records/lookup", {"records": [{"recordName": name}], **where}, database)
        watcher.ask(f"look all up in {place}", "records/lookup", {"records": [{"recordName": name} for name in NAMES], **where},
                    database)
        for kind in TYPES if database == "public" else ["Note"]:
            for what, query in queries(kind):
                for limit in limits:
                    watcher.pages(f"query {what} of {kind} in {place}, {limit} a page", "records/query",
                                  {"query": query, "resultsLimit": limit, **where}, database, next_query)
    if watcher.principal.user:
        changes(watcher)


def queries(kind):
    def compare(comparator, field, value):
        return {"comparator": comparator, "fieldName": field, "fieldValue": {"value": value}}

    filters = {"all": [], "few": [compare("EQUALS", "mark", "mark 1")], "numbers": [compare("GREATER_THAN", "n", 3)],
               "several": [compare("IN", "secret", ["text 1", "text 2"]), compare("LESS_THAN", "n", 9)],
               "others": [compare("NOT_EQUALS", "mark", "mark 1")], "none": [compare("EQUALS", "mark", "mark 7")]}
    for name, some in filters.items():
        yield name, {"recordType": kind, "filterBy": some}
    yield "sorted", {"recordType": kind, "sortBy": [{"fieldName": "secret", "ascending": False}]}
    yield "by name", {"recordType": kind, "filterBy": [
        {"comparator": "EQUALS", "systemFieldName": "recordName", "fieldValue": {"type": "REFERENCE", "value": {
            "recordName": "n03-hidden-0", "action": "NONE"}}}]}


def next_query(body, answer):
    marker = answer.get("continuationMarker")
    return {**body, "continuationMarker": marker} if marker else None


def changes(watcher):
    watcher.ask("zones", "zones/list", {}, "shared")
    for zone in ("Trails", "Diary", "Nowhere"):
        where = watcher.where(zone)
        watcher.ask(f"zone {zone}", "zones/lookup", {"zones": [where["zoneID"]]}, "shared")
        for limit in (2, 200):
            def follow(body, answer):
                item = (answer.items() or [{}])[0]
                return {**body, "zones": [{**where, "syncToken": item["syncToken"]}]} if item.get("moreComing") else None
            watcher.pages(f"changes of {zone}, {limit} a page", "changes/zone", {"zones": [where], "resultsLimit": limit},
                          "shared", follow)
            watcher.ask(f"changes of {zone} backwards, {limit} a page", "changes/zone",
                        {"zones": [{**where, "reverse": True}], "resultsLimit": limit}, "shared")
    watcher.ask("changes of the database", "changes/database", {}, "shared")
    watcher.ask("my subscriptions", "subscriptions/list", {}, "public")
    for name in ("A", "B", "D", "E"):
        watcher.ask(f"resolve {name}", "records/resolve", {"shortGUIDs": [{
            "value": watcher.world.shares.guids[name], "shouldFetchRootRecord": True}]}, "public")
    watcher.ask("contacts", "users/discover", {}, "public")


def writes(watcher):
    """Each names a record that is hidden in one world and was never there in the other."""
    if watcher.name == "token":
        return
    for database, zone in watcher.places():
        where, place = watcher.where(zone), zone or database
        hidden = "n03-hidden-0"
        kind = "Own" if database == "public" else "Note"
        above = {"parent": {"recordName": "root-A" if watcher.name != "joiner" else "root-B"}} if zone else {}

        def modify(what, kind_of, record, **more):
            watcher.ask(f"{what} in {place}", "records/modify", {**where, **more, "operations": [
                {"operationType": kind_of, "record": record}]}, database)

        for operation in ("update", "replace"):
            modify(f"{operation} what is hidden", operation, {"recordName": hidden, "recordType": kind, "recordChangeTag": "1", "fields": {}})
        for operation in ("delete", "forceDelete"):
            modify(f"{operation} what is hidden", operation, {"recordName": hidden, "recordChangeTag": "1"})
        for action in ("VALIDATE", "NONE", "DELETE_SELF"):
            other = {"other": {"type": "REFERENCE", "value": {"recordName": hidden, "action": action}}}
            modify(f"refer to what is hidden by {action}", "create", {
                "recordName": f"by-{watcher.name}-{action}", "recordType": "World" if not zone else "Note", "fields": other, **above})
        modify("put below what is hidden", "create", {
            "recordName": f"below-{watcher.name}", "recordType": "World" if not zone else "Note", "parent": {"recordName": hidden}})
        modify("share what is hidden", "create", {"recordType": "cloudkit.share", "recordName": "mine", "forRecord": {"recordName": hidden}})
        watcher.ask(f"a batch with what is hidden in {place}", "records/modify", {**where, "atomic": True, "operations": [
            {"operationType": "update", "record": {"recordName": hidden, "recordType": kind, "recordChangeTag": "1"}},
            {"operationType": "create", "record": {"recordName": f"batch-{watcher.name}", "recordType": kind, "fields": {}, **above}}]},
            database)
        watcher.ask(f"the file of what is hidden in {place}", "assets/rereference", {**where, "assets": [
            {"recordName": hidden, "fieldName": "file"}]}, database)


def takes(watcher):
    """Saves under names that are taken in one world and free in the other: asked last, because they may make records."""
    if watcher.name == "token":
        return
    for database, zone in watcher.places():
        kind = "Note" if zone else "Own"
        above = {"parent": {"recordName": "root-A" if watcher.name != "joiner" else "root-B"}} if zone else {}
        for operation, name in [("create", "n00-hidden-1"), ("forceUpdate", "n11-hidden-0"), ("forceReplace", "n11-hidden-1")]:
            watcher.ask(f"{operation} {name} under a name that is taken in {zone or database}", "records/modify", {
                **watcher.where(zone), "operations": [{"operationType": operation, "record": {
                    "recordName": name, "recordType": kind, "fields": {}, **above}}]}, database)


def repeats(watcher, moment):
    """The same requests with the same IDs: once before the records are taken away, once after."""
    if watcher.name not in ("writer", "reader"):
        return
    where = watcher.where("Trails")
    for number, (operation, name, atomic) in enumerate([
            ("update", "swing", False), ("forceUpdate", "swing", False), ("create", "swing", False), ("update", "leaving", True)]):
        record = {"recordName": name, "recordType": "Note", "fields": {"n": {"value": number}}}
        if operation == "update":
            record["recordChangeTag"] = watcher.tags.setdefault(number, tag(watcher, name))
        body = {**where, "atomic": atomic, "operations": [{"operationType": operation, "record": record}]}
        watcher.ask(f"{operation} {name} with an ID {moment}", "records/modify",
                    {**body, "brume": {"operationID": f"operation-{number}"}}, "shared")
        if moment == GONE and watcher.world.hidden:
            # A repeated request whose record one may not see any more is judged like a new one.
            watcher.fresh[f"{operation} {name} with an ID {moment}"] = watcher.world.wire.ask(
                *watcher.principal.request("POST", f"{PATH}records/modify", body, "shared"))


def tag(watcher, name):
    answer = watcher.world.wire.ask(*watcher.principal.request("POST", f"{PATH}records/lookup", {
        **watcher.where("Trails"), "records": [{"recordName": name}]}, "shared"))
    return answer.items()[0].get("recordChangeTag", "none")


class Device:
    """A watcher's device at the event stream, with subscriptions to all that he may subscribe to."""

    def __init__(self, watcher):
        self.watcher, self.pushes = watcher, []
        info = {"alertBody": "news", "shouldBadge": True, "additionalFields": ["mark"]}
        for kind in TYPES:
            self.subscribe({"subscriptionID": f"of-{kind}", "subscriptionType": "query", "query": {"recordType": kind},
                            "firesOn": ["create", "update", "delete"], "notificationInfo": info}, "public")
        self.subscribe({"subscriptionID": "shared", "subscriptionType": "database",
                        "notificationInfo": {"alertBody": "news"}}, "shared")
        listener = Principal(watcher.name, watcher.world.home, watcher.principal.api_token, watcher.principal.web_token)
        method, target, _, _ = listener.request("GET", "/_brume/stream", query={"clientId": f"listener-{watcher.name}"})
        self.connection = Connection(watcher.world.server.address, timeout=30)
        head = f"{method} {target} HTTP/1.1\r\nHost: {self.connection.host}\r\nAccept: text/event-stream\r\n\r\n"
        self.connection.socket.sendall(head.encode())
        while b"connected" not in self.connection.file.readline():
            pass
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def subscribe(self, subscription, database):
        self.watcher.ask(f"subscribe {subscription['subscriptionID']}", "subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": subscription}]}, database)

    def _listen(self):
        for line in self.connection.file:
            if line.startswith(b"data:"):
                push = json.loads(line[5:])
                self.pushes.append(push)
                if push.get("ck", {}).get("qry", {}).get("rid") == "last":
                    return

    def finish(self):
        self.thread.join(30)
        if self.thread.is_alive():
            raise SystemExit(f"FAILED: the last push did not come to {self.watcher.name} in 30 s: {self.pushes[-3:]}")
        self.connection.socket.close()
        self.watcher.note("number of pushes", Answer(200, json.dumps(len(self.pushes))))
        for number, push in enumerate(self.pushes):
            self.watcher.note(f"push {number}", Answer(200, json.dumps(push)))
