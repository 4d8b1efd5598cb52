"""Names of containers, environments, databases and zones in paths and parameters: a part of hard_names.py, which runs it."""
import types
import urllib.parse

from brume_server import Client, expect, expect_quietly
from hard_texts import TEXTS, accepts, answered
from matrix.answers import Wire


def paths(server):
    """None of them is a place, and to say so is not the server's mistake."""
    wire, count = Wire(server.address), 0
    container, environment = server.values["BRUME_CONTAINER"], server.values["BRUME_ENVIRONMENT"]
    credentials = server.client("alice", "phone").credentials()
    for text in TEXTS:
        quoted = urllib.parse.quote(text, safe="")
        for target in [
            f"/database/1/{quoted}/{environment}/private/records/query?", f"/database/1/{container}/{quoted}/private/records/query?",
            f"/database/1/{container}/{environment}/{quoted}/records/query?", f"/database/1/{container}/{environment}/private/records/{quoted}?",
            f"/database/{quoted}/{container}/{environment}/private/records/query?", f"/device/1/{quoted}/{environment}/tokens/create?",
            f"/device/1/{container}/{quoted}/tokens/create?", f"/_brume/devices?container={quoted}&environment={environment}&",
            f"/_brume/devices?container={container}&environment={quoted}&",
        ]:
            answer = wire.ask("POST", target + credentials, b"{}")
            count += 1
            expect_quietly(400 <= answer.status < 500 and answer.get("reason"), f"{target} is no place, and that is said: {answer}")
    expect(True, f"none of {count} addresses is a place, and none is the server's mistake")


def parameters(server):
    """What operators ask about: there may be something of this name or not."""
    count, private = 0, {"database": "private"}
    for text in TEXTS:
        for path, body, asked in [
            ("zones", None, {**private, "user": text}), ("zones", None, {**private, "user": "alice", "after": text}),
            ("zones", None, {"database": text, "user": "alice"}), ("zones", None, {**private, "user": "alice", "as": text}),
            ("shares", None, {**private, "user": "alice", "after": text}), ("log", None, {"zone": text}), ("log", None, {"before": text}),
            ("log/then", None, {"change": text}), ("push/log", None, {"device": text, "notification": text, "request": text}),
            ("push/log", None, {"user": text}), ("trace", None, {"record": text, "zone": text, "device": text}),
            ("trace", None, {"request": text, "user": text}), ("trace", None, {"change": text}), ("audit", None, {"operator": text, "request": text}),
            ("logs", None, {"request": text, "route": text}), ("logs", None, {"user": text}), ("users", None, {"prefix": text}),
            ("users", None, {"after": text}), ("devices", None, {"user": text}), ("devices", None, {"after": text}),
            ("usage/storage", None, {"user": text}), ("usage/storage", None, {"after": text}), ("backups", None, {"id": text}),
            ("log", None, {"container": text}), ("log", None, {"environment": text}), ("tokens/decode", {"token": text}, {}),
            ("records/lookup", {**private, "user": "alice", "zoneID": {"zoneName": text}, "records": [{"recordName": text}]}, {}),
            ("roles", {"role": text, "user": "bob", "on": True}, {}), ("push/preview", {"user": text, "text": text}, {}),
        ]:
            status, answer = server.asked(path, body, **asked)
            count += 1
            answered(status, answer, f"{path} with {text!r}")
    expect(True, f"none of {count} questions of operators is the server's mistake")


def containers(server):
    """Some end a container's name: each has its own records, and no other's."""
    made = {}
    for text in TEXTS:
        name = f"iCloud.{text}"
        token = accepts(server, "tokens", {"name": "of a container"}, container=name)
        if token:
            values = {**server.values, "BRUME_CONTAINER": name, "BRUME_API_TOKEN": token["token"],
                      "BRUME_USER_TOKEN_ALICE": server.admin("users/token", {"user": "alice"}, container=name)["token"]}
            made[name] = Client(types.SimpleNamespace(values=values, address=server.address), "alice", "phone")
    for name, client in made.items():
        (answer,) = client.call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Note", "recordName": "one", "fields": {"text": {"value": name}}}}]})["records"]
        expect_quietly("serverErrorCode" not in answer, f"{name} takes a record: {answer}")
    for name, client in made.items():
        (answer,) = client.call("records/lookup", {"records": [{"recordName": "one"}]})["records"]
        expect_quietly(answer["fields"]["text"]["value"] == name, f"{name} has its record: {answer}")
    listed = {container["container"] for container in server.admin("containers")["containers"]}
    expect_quietly(set(made) == listed - {server.values["BRUME_CONTAINER"]}, f"other containers are listed: {listed}")
    expect(made, f"{len(made)} of {len(TEXTS)} texts end the name of a container, which has its own records: {sorted(made)}")


def play(server):
    paths(server)
    parameters(server)
    containers(server)
