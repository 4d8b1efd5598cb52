"""Probes of Brume's own endpoints, under /_brume: what is open, what an address with a secret opens, what is a user's."""
import urllib.parse

from .cells import ASK, READ, WRITE, Probe
from .records import PATH, place
from .zones import FILES, GUIDS, nothing

NONE = {"-": ("any",)}
SECRET = {"-": ("address", "noaddress")}


def plain(world, principal, image, database):
    return None, {}


def parameters(url):
    return dict(urllib.parse.parse_qsl(urllib.parse.urlparse(url).query))


def with_address(key):
    """The parameters of an address that the creator was given, or of one that nobody was given."""
    def build(world, principal, image, database):
        query = parameters(world.addresses[key])
        if image == "noaddress":
            query = {name: value[:-6] + "AAAAAA" for name, value in query.items()}
        return (b"content" if key == "upload" else None), query
    return build


def export(world, principal, image, database):
    body = {"assets": [{"recordName": f"{image}.main", "fieldName": "file"}], **place(world, image, database)}
    return body, {"database": database}


def taken(world, principal, image, database):
    name = "exported" if image == "address" else "nothing"
    return {"assets": [{"exported": world.addresses[name], "recordName": "n", "fieldName": "file"}]}, {
        "database": "public"}


def acknowledged(world, principal, image, database):
    return {}, {"cursor": "0-0"}


def read(world, principal, image, database):
    return {"notificationIDs": [world.addresses["notification"] if image == "creators" else "0" * 32]}, {}


def request_access(world, principal, image, database):
    return {"shortGUIDs": [{"value": world.shares.guids.get(GUIDS.get(image), "0" * 25)}]}, {}


def own_token(world, principal, image, database):
    return {"apiToken": {"abroad": world.other_api_token, "production": world.production_api_token}.get(
        principal, world.api_token)}, {}


def visit(world, principal, image, database):
    state = parameters(world.addresses["signin"])["state"] if image == "address" else "nothing"
    return None, {"state": state}


def password(world, principal, image, database):
    state = parameters(world.addresses["signin"])["state"] if image == "address" else "nothing"
    # The right name with a wrong password: nobody gets in by this.
    return {"state": state, "name": "other", "password": "wrong-password"}, {}


def page(name, path, images=None, build=plain, kind=ASK, method="GET", **more):
    return Probe(name, f"{method} /_brume/{path}", kind, images or NONE, build, **more)


PROBES = [
    page("health/live", "health/live"), page("health/ready", "health/ready"), page("metrics", "metrics"),
    page("console", "console"), page("console/page", "console/{name}"), page("console/file", "console/{name}/{file}", file="calls.js"),
    *[page(f"{name}{suffix}", path, method=method) for name, path in [
        ("openapi.yaml", "openapi.yaml"), ("openapi", "openapi"), ("openapi.css", "openapi.css")]
      for method, suffix in (("GET", ""), ("HEAD", ":head"))],
    Probe("root", "GET /", ASK, NONE, plain), Probe("root:head", "HEAD /", ASK, NONE, plain),
    Probe("share", "GET /share/{name}", ASK, NONE, plain), Probe("share:head", "HEAD /share/{name}", ASK, NONE, plain),
    page("console/signin", "console/signin"), page("console/signin/file", "console/signin/file/{file}", file="access.js"),
    page("client/file", "client/{file}", file="brume.js"),
    page("file/upload", "assets/upload", SECRET, with_address("upload"), method="POST"),
    page("file/upload:put", "assets/upload", SECRET, with_address("upload"), method="PUT"),
    page("file/download", "assets/file", SECRET, with_address("download")),
    page("file/download:head", "assets/file", SECRET, with_address("download"), method="HEAD"),
    page("assets/export", "assets/export", FILES, export, READ, "POST", shows=lambda w, i: '"exported"'),
    page("assets/import", "assets/import", SECRET, taken, READ, "POST", shows=lambda w, i: '"receipt"'),
    page("courier", "courier", SECRET, with_address("courier")),
    page("stream", "stream"), page("stream/ack", "stream/ack", None, acknowledged, ASK, "POST"),
    page("notifications/changes", "notifications/changes", None, nothing, ASK, "POST"),
    page("notifications/changes:get", "notifications/changes"),
    page("notifications/read", "notifications/read", {"-": ("creators", "missing")}, read, ASK, "POST"),
    page("notifications/badge", "notifications/badge", None, lambda w, p, i, d: ({"badge": 3}, {}), ASK, "POST"),
    page("devices", "devices", None, nothing, ASK, "POST"),
    page("webpush/key", "webpush/key"),
    page("shares/request", "shares/request", {"-": (*GUIDS, "noshare")}, request_access, ASK, "POST"),
    page("users/token", "users/token", None, own_token, ASK, "POST"),
    page("signin", "signin"), page("signin/file", "signin/file/{file}", file="signin.js"),
    page("signin/options", "signin/options", SECRET, visit),
    page("signin/password", "signin/password", SECRET, password, ASK, "POST"),
    page("signin/provider", "signin/provider", SECRET, visit),
    page("signin/callback", "signin/callback", SECRET, visit),
    page("devices/remove", "devices/remove", None, nothing, ASK, "POST", last=True),
    page("signout", "signout", None, nothing, ASK, "POST", last=True),
]


# MARK: Making what they are about

def make(world):
    """The addresses with a secret that the creator was given, and files on the records that are read."""
    world.addresses = {"nothing": "nothing"}
    for image, database, kind in [("world", "public", "World"), ("own", "public", "Own"),
                                  ("covered", "private", "Note"), ("outside", "private", "Note")]:
        field = attach(world, image, database, kind)
        if image == "covered":
            world.addresses["download"] = field["value"]["downloadURL"]
    where = {"zoneID": {"zoneName": "Trails"}}
    token = {"tokens": [{"recordName": "spare", "recordType": "Note", "fieldName": "file"}], **where}
    world.addresses["upload"] = world.call("creator", "assets/upload", token).items()[0]["url"]
    creator = world.principals["creator"]
    asked = {"assets": [{"recordName": "outside.main", "fieldName": "file"}], **where}
    answer = world.wire.ask(*creator.request("POST", "/_brume/assets/export", asked, query={"database": "private"}))
    world.addresses["exported"] = answer.items()[0]["exported"]
    made = {"apnsEnvironment": "development", "clientId": "page-of-creator"}
    answer = world.wire.ask(*creator.request("POST", "/device/1/{container}/{environment}/tokens/create", made))
    world.addresses["courier"] = answer.json["webcourierURL"]
    answer = world.wire.ask(*world.principals["token"].request("POST", f"{PATH}zones/list", {}, "private"))
    world.addresses["signin"] = answer.json["redirectURL"]
    world.addresses["notification"] = "F" * 32


def attach(world, image, database, kind):
    """Uploads a file and saves it with a record that is there."""
    where = {"zoneID": {"zoneName": "Trails"}} if database == "private" else {}
    wanted = {"tokens": [{"recordName": f"{image}.main", "recordType": kind, "fieldName": "file"}], **where}
    query = parameters(world.call("creator", "assets/upload", wanted, database).items()[0]["url"])
    answer = world.wire.ask("POST", f"/_brume/assets/upload?{urllib.parse.urlencode(query)}", f"file-of-{image}-4711".encode())
    record = {"recordName": f"{image}.main", "recordType": kind, "fields": {
        "file": {"type": "ASSETID", "value": answer.json["singleFile"]["value"] if "value" in answer.json["singleFile"]
                 else answer.json["singleFile"]}}}
    saved = world.call("creator", "records/modify", {**where, "operations": [
        {"operationType": "forceUpdate", "record": record}]}, database)
    return saved.items()[0]["fields"]["file"]
