"""Names of users and what else an account has, and the labels of what calls: a part of hard_names.py, which runs it."""
import urllib.parse

from brume_server import expect, expect_quietly
from hard_texts import TEXTS, accepts
from matrix.answers import Wire

# To the server these two are one label, however they are composed.
LABELS = [text for text in TEXTS if text != "e\u0301"]
# A password costs a tenth of a second.
FEW = 16


def accounts(server):
    """All but the ready-made ones and those of keys, a page at a time: their names are where the next page begins."""
    found, after = [], {}
    while True:
        page = server.admin("users", limit=20, **after)
        found += page["users"]
        if "after" not in page:
            return {user["name"]: user for user in found if user["name"] not in ("alice", "bob") and not user["name"].startswith("key-")}
        after = {"after": page["after"]}


def users(server):
    """Each is listed once with what it has, is signed in and found as itself, and goes alone."""
    kept = {}
    for number, text in enumerate(TEXTS):
        name = text if accepts(server, "users", {"name": text}) else f"person-{number}"
        if name != text:
            server.admin("users", {"name": name})
        kept[name] = {field: value for field, value in [
            ("email", f"{text}{number}@example.org"), ("phone", text), ("givenName", text), ("familyName", text)]
            if accepts(server, "users/change", {"user": name, field: value})}
    named = len(set(kept) & set(TEXTS))
    expect(named > len(TEXTS) // 2, f"{named} of {len(TEXTS)} texts are names of users")
    for field in ("email", "phone", "givenName", "familyName"):
        had = sum(field in fields for fields in kept.values())
        expect(had > len(TEXTS) // 2, f"{had} of {len(TEXTS)} texts are {field} of a user")
    whole(server, kept, "what users are called and have")
    by_beginning(server, kept)
    as_themselves(server, kept)
    going = sorted(kept)[::2]
    for name in going:
        server.admin("users/delete", {"user": name})
    whole(server, {name: fields for name, fields in kept.items() if name not in going}, "every second user is deleted, and what others have")


def whole(server, kept, what):
    found = accounts(server)
    expect_quietly(set(found) == set(kept), f"{what}: other users are listed: {set(found) ^ set(kept)}")
    for name, fields in kept.items():
        for field in ("email", "phone"):
            expect_quietly(found[name].get(field) == fields.get(field), f"{what}: {field} of {name!r} is {found[name]}")
    expect(True, f"{what} is as it was: {len(kept)} users")


def by_beginning(server, kept):
    everybody = {*kept, "alice", "bob"}
    for text in set(kept) & set(TEXTS):
        found = {user["name"] for user in server.admin("users", prefix=text)["users"] if not user["name"].startswith("key-")}
        right = {name for name in everybody if name.encode().startswith(text.encode())}
        expect_quietly(found == right, f"names that begin with {text!r} are {right}: {found}")
    expect(True, "users are found by the beginning of their names, and nobody beside them")


def as_themselves(server, kept):
    """By the name the operator makes a token, by which the user says who it is; others find it by address and number."""
    alice, records = server.client("alice", "phone"), {name: user["recordName"] for name, user in accounts(server).items()}
    for name, fields in kept.items():
        me = caller(server, server.admin("users/token", {"user": name})["token"])
        names = {field: fields[field] for field in ("givenName", "familyName") if field in fields}
        expect_quietly(me["userRecordName"] == records[name], f"the token of {name!r} is another's: {me}")
        expect_quietly(me.get("nameComponents", {}) == names, f"{name!r} is called {names}: {me}")
        for field, key in (("email", "emailAddress"), ("phone", "phoneNumber")):
            if field in fields:
                found = alice.call("users/discover", {"lookupInfos": [{key: fields[field]}]}, "public")["users"]
                expect_quietly([user["userRecordName"] for user in found] == [records[name]], f"{field} {fields[field]!r} is another's: {found}")
    expect(True, "each is signed in as itself, and found by its address and its number")


def caller(server, token):
    values = server.values
    query = urllib.parse.urlencode({"ckAPIToken": values["BRUME_API_TOKEN"], "ckWebAuthToken": token}, quote_via=urllib.parse.quote)
    answer = Wire(server.address).ask("GET", f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/public/users/caller?{query}")
    expect_quietly(answer.status == 200, f"a token is good: {answer}")
    return answer.json


def labels(server):
    labelled(server, "API tokens", "tokens", LABELS, {}, "revoke", "token")
    labelled(server, "server keys", "keys", LABELS, {}, "revoke", "id")
    labelled(server, "admin tokens", "operators/tokens", LABELS, {"role": "read-only"}, "revoke", "name")
    labelled(server, "invitations", "operators/invitations", LABELS, {"role": "read-only"}, "revoke", "name")
    labelled(server, "operators", "operators", LABELS[:FEW], {"password": "correct horse", "role": "read-only"}, "remove", "name")
    addresses(server)


def labelled(server, what, path, texts, more, ends, key):
    """Each is listed once under its label, and goes alone by it."""
    def names():
        return [item["name"] for item in server.admin(path)[path.split("/")[-1]]]
    before = names()
    made = [text for text in texts if accepts(server, path, {"name": text, **more})]
    expect_quietly(sorted(names()) == sorted(before + made), f"{what} are listed under other labels: {names()}")
    for text in made[::2]:
        server.admin(f"{path}/{ends}", {key: text})
    expect_quietly(sorted(names()) == sorted(before + made[1::2]), f"every second one of {what} is gone, and no other: {names()}")
    expect(len(made) > len(texts) // 2, f"{len(made)} of {len(texts)} texts are labels of {what}, each is listed once, and goes alone")


def addresses(server):
    """Of API tokens: the origins of their pages, and where signing in leads back to."""
    made = {}
    for number, text in enumerate(TEXTS):
        for field, value in (("origins", [f"https://{text}"]), ("callback", f"https://a/{text}")):
            if accepts(server, "tokens", {"name": f"{field} {number}", field: value}):
                made[f"{field} {number}"] = value
    found = {token["name"]: token.get("origins") or token.get("callback") for token in server.admin("tokens")["tokens"]}
    counts = {field: sum(name.startswith(field) for name in made) for field in ("origins", "callback")}
    expect(all(counts.values()) and made == {name: found.get(name) for name in made}, f"origins and addresses to return to come back as they were: {counts}")


def play(server):
    users(server)
    labels(server)
