"""No name and no value becomes part of a statement (A9): texts that end a quotation, a list, a comment or a line of SQL, of JSON
and of COPY, as every name and value that a user or an operator may bring, on SQLite and on PostgreSQL. What users and what calls are
called, files, and places are in parts of their own (hard_names_people.py, hard_names_files.py, hard_names_places.py).

What is taken comes back as it was, is found by equal queries and nothing else is, and goes alone when it is deleted; what is not
taken is refused as the sender's mistake, never as the server's own. Afterwards the tables are whole.

usage: hard_names.py --brume PATH
"""
import argparse
import json
import os
import subprocess
import tempfile

import hard_names_files
import hard_names_people
import hard_names_places
from brume_server import Refused, Server, expect, expect_quietly
from hard_texts import TEXTS, answered, each
from matrix.answers import Wire
from postgres import Postgres

# Beside them, and not to be touched.
BYSTANDERS = [f"bystander-{number}" for number in range(5)]
ZONE, SHARED = {"zoneName": "Plain"}, {"zoneName": "With a share"}
PIECE = 50


def pieces(items):
    items = list(items)
    return [items[at:at + PIECE] for at in range(0, len(items), PIECE)]


def item_codes(items):
    return {item.get("serverErrorCode") for item in items} - {None}


def zones(client):
    """Each is made under its name, listed once, and goes alone."""
    operations = [{"operationType": "create", "zone": {"zoneID": {"zoneName": text}}} for text in TEXTS]
    made = {answer["zoneID"]["zoneName"] for answer in each(client, "zones/modify", "zones", operations) if answer}
    expect_quietly(made <= set(TEXTS), f"zones are made under their names: {made - set(TEXTS)}")
    listed = [zone["zoneID"]["zoneName"] for zone in client.call("zones/list", {})["zones"]]
    expect(len(made) > len(TEXTS) // 2 and sorted(listed) == sorted(made | {"_defaultZone", ZONE["zoneName"]}), f"{len(made)} of {len(TEXTS)} texts are names of zones")
    for text in sorted(made):
        client.call("records/modify", {"zoneID": {"zoneName": text}, "operations": [
            {"operationType": "create", "record": {"recordType": "Note", "recordName": "one", "fields": {"text": {"value": text}}}}]})
    for text in sorted(made)[::2]:
        client.call("zones/modify", {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": text}}}]})
    for text in sorted(made)[1::2]:
        found = client.call("changes/zone", {"zones": [{"zoneID": {"zoneName": text}}]})["zones"][0]
        expect_quietly([record["fields"]["text"]["value"] for record in found["records"]] == [text], f"the zone {text!r} has its record: {found}")
    left = {zone["zoneID"]["zoneName"] for zone in client.call("zones/list", {})["zones"]}
    expect(left == set(sorted(made)[1::2]) | {"_defaultZone", ZONE["zoneName"]}, "every second one is deleted, and no other")


def saving(name, text):
    return {"operationType": "create", "record": {"recordType": "Note", "recordName": name, "fields": {
        "text": {"value": text}, "list": {"value": [text, "common"]}, "length": {"value": len(text)}}}}


def records(client):
    """What was saved, by its name."""
    saved = {}
    for text, answer in zip(TEXTS, each(client, "records/modify", "records", [saving(text, text) for text in TEXTS], zoneID=ZONE)):
        if answer:
            saved[text] = text
    expect(len(saved) > len(TEXTS) // 2, f"{len(saved)} of {len(TEXTS)} texts are names of records")
    # Whatever a name may not be, a value may.
    others = {f"plain-{number}": text for number, text in enumerate(TEXTS) if text not in saved}
    answers = each(client, "records/modify", "records", [saving(name, text) for name, text in others.items()], zoneID=ZONE)
    saved.update({name: text for (name, text), answer in zip(others.items(), answers) if answer})
    # A NUL is in no text.
    left = {text for text in TEXTS if "\0" not in text} - set(saved.values())
    expect_quietly(not left, f"texts that are refused as values: {left}")
    saved.update({name: "bystander" for name in BYSTANDERS})
    each(client, "records/modify", "records", [saving(name, "bystander") for name in BYSTANDERS], zoneID=ZONE)
    whole(client, saved, "all that was taken")
    return saved


def whole(client, saved, what):
    """Fetched by name and by the feed, each is as it was saved."""
    found = {}
    for names in pieces(saved):
        answers = client.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": name} for name in names]})["records"]
        expect_quietly(not item_codes(answers), f"each is there: {[a for a in answers if 'serverErrorCode' in a]}")
        found.update({answer["recordName"]: answer["fields"] for answer in answers})
    feed, token, more = {}, None, True
    while more:
        page = client.call("changes/zone", {"zones": [{"zoneID": ZONE, "syncToken": token}]})["zones"][0]
        feed.update({record["recordName"]: record.get("fields") for record in page["records"] if not record["deleted"]})
        token, more = page["syncToken"], page.get("moreComing")
    for place in (found, feed):
        values = {name: (fields["text"]["value"], fields["list"]["value"]) for name, fields in place.items()}
        expect_quietly(values == {name: (text, [text, "common"]) for name, text in saved.items()}, f"{what} comes back as it was")
    expect(True, f"{what} comes back as it was: {len(saved)} records")


def asked(client, *filters, sort=None):
    query = {"recordType": "Note", "filterBy": [
        {"fieldName": field, "comparator": comparator, "fieldValue": {"value": value}} for field, comparator, value in filters]}
    answer = client.call("records/query", {"zoneID": ZONE, "query": query, "resultsLimit": 200})
    expect_quietly("continuationMarker" not in answer, "all fit into a page")
    return sorted(record["recordName"] for record in answer["records"])


def queries(client, saved):
    """Each finds what it is equal to, or begins, and nothing else."""
    for text in set(saved.values()):
        equal = sorted(name for name, value in saved.items() if value == text)
        questions = {
            "EQUALS": (asked(client, ("text", "EQUALS", text)), equal),
            "IN": (asked(client, ("text", "IN", [text, "nobody's"])), equal),
            "LIST_CONTAINS": (asked(client, ("list", "LIST_CONTAINS", text)), equal),
            "BEGINS_WITH": (asked(client, ("text", "BEGINS_WITH", text)), sorted(name for name, value in saved.items() if value.startswith(text))),
        }
        for comparator, (found, right) in questions.items():
            expect_quietly(found == right, f"{comparator} {text!r} finds {right}: {found}")
    expect(True, f"{len(set(saved.values()))} texts are found by four comparators, and nothing beside them")


def words_of_a_query(server):
    """What is no comparator, operation, tag, token or marker is refused; of a type or a field that is none nothing is found, nor
    is anybody under such an address."""
    wire, count = Wire(server.address), 0
    client = server.client("alice", "phone")
    path = f"/database/1/{server.values['BRUME_CONTAINER']}/{server.values['BRUME_ENVIRONMENT']}/private"
    plain = {"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": "a"}}
    names = [user["recordName"] for user in server.admin("users", limit=200)["users"]]
    for text in TEXTS:
        for outcome, endpoint, body in [
            ("nothing", "records/query", {"zoneID": ZONE, "query": {"recordType": text}}),
            ("nothing", "records/query", {"zoneID": ZONE, "query": {"recordType": "Note", "filterBy": [{**plain, "fieldName": text}]}}),
            ("refused", "records/query", {"zoneID": ZONE, "query": {"recordType": "Note", "filterBy": [{**plain, "comparator": text}]}}),
            ("any", "records/query", {"zoneID": ZONE, "query": {"recordType": "Note", "sortBy": [{"fieldName": text}]}}),
            ("refused", "records/query", {"zoneID": ZONE, "query": {"recordType": "Note"}, "continuationMarker": text}),
            ("any", "records/query", {"zoneID": ZONE, "query": {"recordType": "Note"}, "desiredKeys": [text]}),
            ("refused", "records/modify", {"zoneID": ZONE, "operations": [{"operationType": text, "record": {"recordName": "a"}}]}),
            ("refused", "records/modify", {"zoneID": ZONE, "operations": [
                {"operationType": "update", "record": {"recordName": BYSTANDERS[0], "recordType": "Note", "recordChangeTag": text, "fields": {}}}]}),
            ("any", "records/modify", {"zoneID": ZONE, "brume": {"operationID": text}, "operations": []}),
            ("refused", "changes/zone", {"zones": [{"zoneID": ZONE, "syncToken": text}]}),
            ("refused", "changes/database", {"syncToken": text}),
            ("nobody", "users/discover", {"lookupInfos": [{"emailAddress": text}, {"userRecordName": text}]}),
            ("refused", "records/resolve", {"shortGUIDs": [{"value": text}]}),
        ]:
            database = "public" if endpoint.startswith("users") or endpoint.endswith("resolve") else "private"
            target = f"{path.replace('/private', '/' + database)}/{endpoint}?{client.credentials()}"
            answer = wire.ask("POST", target, json.dumps(body).encode())
            count += 1
            answered(answer.status, answer.text, f"{endpoint} with {text!r}")
            expect_quietly(outcome != "refused" or "serverErrorCode" in answer.text, f"{endpoint} with {text!r} is refused: {answer}")
            expect_quietly(outcome != "nothing" or not answer.items(), f"there is nothing for {endpoint} with {text!r}: {answer}")
            expect_quietly(outcome != "nobody" or not any(name in answer.text for name in names), f"nobody is {text!r}: {answer}")
    expect(len(names) > 1, f"none of {count} requests with such words is the server's mistake, finds anything or is taken for a token")


def subscriptions(client):
    """Each comes back with its texts, and goes alone."""
    def operation(text):
        return {"operationType": "create", "subscription": {
            "subscriptionID": text, "subscriptionType": "query", "firesOn": ["create"], "zoneID": ZONE,
            "query": {"recordType": "Note", "filterBy": [{"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": text}}]},
            "notificationInfo": {"alertBody": text, "category": text}}}
    answers = each(client, "subscriptions/modify", "subscriptions", [operation(text) for text in TEXTS])
    made = {answer["subscriptionID"] for answer in answers if answer}
    def listed():
        return {each["subscriptionID"]: each for each in client.call("subscriptions/list", {})["subscriptions"]}
    found = listed()
    expect(set(found) == made and len(made) > len(TEXTS) // 2, f"{len(made)} of {len(TEXTS)} texts are IDs of subscriptions")
    for text in made:
        value = found[text]["query"]["filterBy"][0]["fieldValue"]["value"]
        info = found[text]["notificationInfo"]
        expect_quietly((value, info["alertBody"], info["category"]) == (text, text, text), f"a subscription comes back: {found[text]}")
    for text in sorted(made)[::2]:
        client.call("subscriptions/modify", {"operations": [{"operationType": "delete", "subscription": {"subscriptionID": text}}]})
    expect(set(listed()) == set(sorted(made)[1::2]), "every second one is deleted, and no other")


def shares(client):
    """The fields of a share may be called anything behind `cloudkit.`."""
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": SHARED}}]})
    made, fields = None, {}
    for text in TEXTS:
        field = {f"cloudkit.{text}": {"value": text}}
        operation = {"operationType": "create" if made is None else "update", "record": {
            "recordType": "cloudkit.share", "recordName": "cloudkit.zoneshare", "publicPermission": "NONE", "fields": field}}
        if made:
            operation["record"]["recordChangeTag"] = made["recordChangeTag"]
        (answer,) = each(client, "records/modify", "records", [operation], zoneID=SHARED)
        if answer:
            made = answer
            fields[f"cloudkit.{text}"] = text
    (found,) = client.call("records/lookup", {"zoneID": SHARED, "records": [{"recordName": "cloudkit.zoneshare"}]})["records"]
    values = {name: field["value"] for name, field in found["fields"].items()}
    expect(values == fields and len(fields) > len(TEXTS) // 2, f"{len(fields)} of {len(TEXTS)} texts are names of a share's fields, and come back with their values")


def devices(server):
    """Each is one of its own, and its change is known as its own."""
    made = []
    for text in TEXTS:
        client = server.client("bob", text)
        try:
            answer = client.call("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
                "recordType": "Note", "recordName": "of-a-device", "fields": {"text": {"value": text}}}}]})["records"][0]
        except Refused as refusal:
            expect_quietly(": 400" in str(refusal), f"a device is refused as the sender's mistake: {refusal}")
            continue
        expect_quietly(answer.get("modified", {}).get("deviceID") == text, f"the change is of the device {text!r}: {answer}")
        made.append(text)
    expect(len(made) > len(TEXTS) // 2, f"{len(made)} of {len(TEXTS)} texts are names of devices")


def deletions(client, saved):
    """Every second record goes, and no other."""
    going = sorted(name for name in saved if name not in BYSTANDERS)[::2]
    for names in pieces(going):
        answers = client.call("records/modify", {"zoneID": ZONE, "operations": [
            {"operationType": "forceDelete", "record": {"recordName": name}} for name in names]})["records"]
        expect_quietly(not item_codes(answers), f"each is deleted: {answers}")
    whole(client, {name: text for name, text in saved.items() if name not in going}, "what was not deleted")


def play(binary, folder, store):
    server = Server(binary, folder, store=store, extra=["--limits", "relaxed"]).start()
    client = server.client("alice", "phone")
    client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    saved = records(client)
    zones(client)
    queries(client, saved)
    words_of_a_query(server)
    subscriptions(client)
    shares(client)
    devices(server)
    for part in (hard_names_people, hard_names_files, hard_names_places):
        part.play(server)
    # What was open when the parts began may have ended meanwhile.
    deletions(server.client("alice", "phone"), saved)
    server.stop()
    doctor = subprocess.run([binary, "doctor", "--deep", "--data", folder, "--store", store], capture_output=True, text=True)
    expect(doctor.returncode == 0, f"the doctor reads everything, and all is whole {doctor.stdout[-300:] if doctor.returncode else ''}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    brume = parser.parse_args().brume
    with tempfile.TemporaryDirectory() as folder:
        print("== SQLite")
        play(brume, os.path.join(folder, "sqlite"), "sqlite")
        print("== PostgreSQL")
        postgres = Postgres()
        try:
            play(brume, os.path.join(folder, "postgres"), postgres.url)
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
