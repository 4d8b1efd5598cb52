"""What an upload names, fields that hold files, and what forms call their files: a part of hard_names.py, which runs it."""
import json
import urllib.parse

from brume_server import Refused, expect, expect_quietly
from hard_texts import TEXTS, answered
from matrix.answers import Wire

PLAIN = {"recordName": "with-a-file", "recordType": "Note", "fieldName": "photo"}


class Files:
    def __init__(self, server):
        self.client, self.wire = server.client("alice", "phone"), Wire(server.address)

    def ticket(self, names):
        """Where the file of a field is sent; None if a name is refused as the sender's mistake."""
        try:
            (token,) = self.client.call("assets/upload", {"tokens": [names]})["tokens"]
        except Refused as refusal:
            expect_quietly("assets/upload: 400" in str(refusal), f"a name is refused as the sender's mistake: {refusal}")
            return None
        for name in ("recordName", "fieldName"):
            expect_quietly(token[name] == names[name], f"an upload is for what it names, {names}: {token}")
        return token["url"]

    def at(self, method, url, body=None, headers=None):
        parts = urllib.parse.urlparse(url)
        return self.wire.ask(method, f"{parts.path}?{parts.query}", body, headers)

    def upload(self, url, data, headers=None):
        """What a save takes; None if the form is refused as the sender's mistake."""
        answer = self.at("POST", url, data, headers)
        if answer.status == 200:
            return answer.json["singleFile"]
        expect_quietly(answer.status == 400 and answer.get("reason"), f"a form is refused as the sender's mistake: {answer}")
        return None

    def save(self, names, value):
        (answer,) = self.client.call("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
            "recordName": names["recordName"], "recordType": names["recordType"],
            "fields": {names["fieldName"]: {"type": "ASSETID", "value": value}}}}]})["records"]
        expect_quietly("serverErrorCode" not in answer, f"a file is saved in {names}: {answer}")

    def read(self, names):
        (record,) = self.client.call("records/lookup", {"records": [{"recordName": names["recordName"]}]})["records"]
        expect_quietly(record.get("recordType") == names["recordType"] and set(record["fields"]) == {names["fieldName"]},
                       f"a record has its file: {names} {record}")
        return self.at("GET", record["fields"][names["fieldName"]]["value"]["downloadURL"]).text


def names(server, files):
    """Each file is in the record, of the type and in the field that the upload named, and is what was sent."""
    taken = {}
    for kind in ("recordName", "recordType", "fieldName"):
        held = []
        for number, text in enumerate(TEXTS):
            wanted = {**PLAIN, "recordName": f"{kind}-{number}", kind: text}
            url = files.ticket(wanted)
            if url:
                files.save(wanted, files.upload(url, f"the file of {text}".encode()))
                held.append((wanted, f"the file of {text}"))
        for wanted, content in held:
            found = files.read(wanted)
            expect_quietly(found == content, f"the file of {wanted} is as it was sent: {found!r}")
        taken[kind] = {wanted[kind] for wanted, _ in held}
        expect(held, f"{len(held)} of {len(TEXTS)} texts are the {kind} of a file, which comes back as it was sent")
    words = [word.strip('",') for word in server.tool("schema", "show").split()]
    shown = list(zip(words, words[1:]))
    left = [name for name in taken["recordType"] if ("TYPE", name) not in shown] + [name for name in taken["fieldName"] if (name, "ASSET") not in shown]
    expect(len(taken["recordName"]) > len(TEXTS) // 2 and not left, f"the schema has taken up the types and fields that may be {left or ''}")


def forms(files):
    """What a form calls its file is nobody's: the file is whole, or the form is refused."""
    whole = 0
    for text in TEXTS:
        name = text.encode()
        for boundary, head in [
            ("XX", b'Content-Disposition: form-data; name="' + name + b'"; filename="' + name + b'"\r\nContent-Type: ' + name),
            (text, b'Content-Disposition: form-data; name="files"; filename="file"'),
        ]:
            # What is no line of a header can be sent in none.
            if not boundary.isprintable():
                continue
            edge = boundary.encode()
            body = b"--" + edge + b"\r\n" + head + b"\r\n\r\nthe file\r\n--" + edge + b"--\r\n"
            value = files.upload(files.ticket(PLAIN), body, {"Content-Type": f"multipart/form-data; boundary={boundary}"})
            expect_quietly(value is None or value["size"] == len("the file"), f"a form with {text!r} has its file: {value}")
            whole += value is not None
    expect(whole > len(TEXTS), f"{whole} forms that name their file so, or end so, have their file")


def words(server, files):
    """Names of files that are nowhere, and addresses that the server has not made."""
    count = 0
    for text in TEXTS:
        quoted = urllib.parse.quote(text, safe="")
        for endpoint, body in [
            ("assets/rereference", {"assets": [{"recordName": text, "fieldName": text}]}),
            ("assets/rereference", {"zoneID": {"zoneName": text}, "targetZoneID": {"zoneName": text}, "assets": [PLAIN]}),
            ("/_brume/assets/export", {"assets": [{"recordName": text, "fieldName": text}]}),
            ("/_brume/assets/import", {"assets": [{"recordName": text, "fieldName": text, "exported": text}]}),
            ("assets/upload", {"zoneID": {"zoneName": text, "ownerRecordName": text}, "tokens": [PLAIN]}),
            ("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {"recordName": "a", "recordType": "Note", "fields": {
                "photo": {"type": "ASSETID", "value": {"fileChecksum": text, "size": 1, "receipt": text}}}}}]}),
        ]:
            count += 1
            try:
                answer = json.dumps(files.client.call(endpoint, body))
                answered(200, answer, f"{endpoint} with {text!r}")
            except Refused as refusal:
                expect_quietly(f"{endpoint}: 4" in str(refusal) and f"{endpoint}: 429" not in str(refusal), f"{text!r} is not the server's mistake: {refusal}")
        for method, target in (("POST", f"upload?ticket={quoted}"), ("GET", f"file?pass={quoted}")):
            count += 1
            answer = files.wire.ask(method, f"/_brume/assets/{target}", b"x" if method == "POST" else None)
            expect_quietly(400 <= answer.status < 500, f"{target} is not the server's mistake, and no address: {answer}")
    expect(True, f"none of {count} requests about files that are not there is the server's mistake")


def play(server):
    files = Files(server)
    names(server, files)
    forms(files)
    words(server, files)
