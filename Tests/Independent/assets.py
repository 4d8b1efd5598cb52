"""Assets against a real server process, from outside: Python's standard library, and moto's server
as the S3 service.

Checked on the data folder and on a bucket: raw and form uploads, checksums, ranges, an upload at
the limit of 50 MB with the server's memory bounded, one byte more refused, readers that have stopped, used and expired
receipts and addresses refused, orphans swept, and a kill -9 between upload and save. A server with a bucket is restored
beside itself, as its own refusal says.
"""
import argparse
import base64
import hashlib
import http.client
import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

from brume_server import Server

LIMIT = 50 << 20
MEMORY = 40 << 20
BUCKET = "brume-test"
KEYS = {"BRUME_ASSET_KEY_ID": "test", "BRUME_ASSET_KEY_SECRET": "secret"}
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print(f"  FAILED: {what}")


def content(size, seed=1):
    return random.Random(seed).randbytes(size)


def checksum(data):
    """As the server writes it: a version byte and 20 bytes of SHA-256."""
    return base64.b64encode(b"\x01" + hashlib.sha256(data).digest()[:20]).decode()


class Assets:
    """The steps around an asset, as a web client makes them."""

    def __init__(self, server):
        self.server = server
        self.client = server.client("alice", "python")

    def address(self, record="one", field="photo"):
        answer = self.client.call("assets/upload", {"tokens": [
            {"recordName": record, "recordType": "Note", "fieldName": field}]})
        return answer["tokens"][0]["url"]

    def request(self, method, url, body=None, headers=None):
        parts = urllib.parse.urlparse(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        connection.request(method, f"{parts.path}?{parts.query}", body=body, headers=headers or {})
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), data

    def upload(self, data, record="one", field="photo", headers=None, url=None):
        status, _, answer = self.request("POST", url or self.address(record, field), data, headers)
        return status, json.loads(answer).get("singleFile")

    def save(self, value, record="one", field="photo"):
        """The field after the save, or the record's error."""
        answer = self.client.call("records/modify", {"operations": [
            {"operationType": "forceUpdate", "record": {
                "recordName": record, "recordType": "Note",
                "fields": {field: {"type": "ASSETID", "value": value}}}}]})
        record = answer["records"][0]
        return record if "serverErrorCode" in record else record["fields"].get(field)

    def download(self, url, headers=None):
        return self.request("GET", url, headers=headers)


def resident(server):
    """The server's own memory, without what it maps of files."""
    with open(f"/proc/{server.process.pid}/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    raise SystemExit("no RssAnon in /proc")


def basics(assets):
    data = content(300_001)
    status, value = assets.upload(data)
    check(status == 200 and value["fileChecksum"] == checksum(data), "a raw upload has its checksum")
    check(value["size"] == len(data), "an upload has its size")
    field = assets.save(value)
    check(field["value"]["fileChecksum"] == checksum(data), "the field has the checksum")
    url = field["value"]["downloadURL"]
    status, headers, answer = assets.download(url)
    check(status == 200 and answer == data, "the download is the upload")
    check(headers["content-disposition"].startswith("attachment"), "downloads are attachments")
    check(headers["content-type"] == "application/octet-stream", "downloads have no type")
    status, headers, answer = assets.download(url, {"Range": "bytes=100000-199999"})
    check(status == 206 and answer == data[100_000:200_000], "a range is a range")
    check(headers["content-range"] == "bytes 100000-199999/300001", "a range says where it is")
    check(assets.download(url, {"Range": "bytes=300001-"})[0] == 416, "a range beyond the end is 416")
    status, headers, answer = assets.request("HEAD", url)
    check(status == 200 and headers["content-length"] == "300001" and not answer, "HEAD")

    again = assets.save(value)
    check(again.get("serverErrorCode") == "BAD_REQUEST" and "photo" in again["reason"],
          "a used receipt is refused and the field named")
    form = (b"--XX\r\nContent-Disposition: form-data; name=\"files\"; filename=\"file.file\"\r\n"
            b"Content-Type: application/octet-stream\r\n\r\n" + data + b"\r\n--XX--\r\n")
    status, value = assets.upload(form, record="two",
                                  headers={"Content-Type": "multipart/form-data; boundary=XX"})
    check(status == 200 and value["fileChecksum"] == checksum(data), "a form is the same file")
    foreign = assets.save(value, record="three")
    check(foreign.get("serverErrorCode") == "BAD_REQUEST", "a receipt for another record is refused")
    check("value" in assets.save(value, record="two"), "and still good for its own")


def large(assets):
    """At the limit, with the memory of the server watched while it takes and gives the file."""
    path = os.path.join(assets.server.folder, "large.bin")
    data = content(LIMIT, seed=2)
    with open(path, "wb") as file:
        file.write(data)
    before = resident(assets.server)
    with open(path, "rb") as file:
        status, value = assets.upload(file, record="large", headers={"Content-Length": str(LIMIT)})
    check(status == 200 and value["fileChecksum"] == checksum(data), "50 MB go up")
    url = assets.save(value, record="large")["value"]["downloadURL"]
    digest, count = hashlib.sha256(), 0
    with urllib.request.urlopen(url, timeout=120) as answer:
        while piece := answer.read(1 << 20):
            digest.update(piece)
            count += len(piece)
    check(count == LIMIT and digest.digest() == hashlib.sha256(data).digest(), "50 MB come down")
    grown = resident(assets.server) - before
    check(grown < MEMORY, f"memory stays bounded: it grew by {grown >> 20} MB")
    status, _ = assets.upload(data + b"x", record="larger")
    check(status == 413, f"one byte more than the limit is 413, not {status}")
    return grown


def expiry(assets):
    """The server was started with lives of two seconds."""
    early = assets.address("late")
    _, value = assets.upload(b"late", record="late")
    _, kept = assets.upload(b"kept", record="kept")
    field = assets.save(kept, record="kept")
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and assets.upload(b"x", url=early)[0] == 200:
        time.sleep(0.2)
    check(assets.upload(b"x", url=early)[0] == 403, "an expired upload address is 403")
    while time.monotonic() < deadline and assets.download(field["value"]["downloadURL"])[0] == 200:
        time.sleep(0.2)
    check(assets.download(field["value"]["downloadURL"])[0] == 403, "an expired download address is 403")
    late = assets.save(value, record="late")
    check(late.get("serverErrorCode") == "BAD_REQUEST" and "photo" in late["reason"],
          "an expired receipt is refused")
    again = assets.client.call("records/lookup", {"records": [{"recordName": "kept"}]})
    url = again["records"][0]["fields"]["photo"]["value"]["downloadURL"]
    check(assets.download(url)[2] == b"kept", "a new address works")


def swept(assets, objects):
    """Everything that no record holds goes, by and by; what a record holds stays."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and objects() > 1:
        time.sleep(0.2)
    check(objects() == 1, f"orphans are swept: {objects()} objects are left of 1")
    found = assets.client.call("records/lookup", {"records": [{"recordName": "kept"}]})
    url = found["records"][0]["fields"]["photo"]["value"]["downloadURL"]
    check(assets.download(url)[2] == b"kept", "what a record holds stays")


def crash(server, assets):
    """kill -9 between upload and save, and in the middle of an upload."""
    data = content(1 << 20, seed=3)
    _, value = assets.upload(data, record="crash")
    host, port = server.address
    rude = socket.create_connection((host, port))
    parts = urllib.parse.urlparse(assets.address("cut"))
    rude.sendall(f"POST {parts.path}?{parts.query} HTTP/1.1\r\nHost: localhost\r\n"
                 f"Content-Length: {len(data)}\r\n\r\n".encode() + data[:500_000])
    time.sleep(0.2)
    server.kill()
    rude.close()
    server.start()
    assets = Assets(server)
    field = assets.save(value, record="crash")
    check("value" in field, f"a receipt survives the crash: {field}")
    if "value" in field:
        check(assets.download(field["value"]["downloadURL"])[2] == data, "and so does its file")
    return assets


def slow(assets):
    """More downloads than an HTTP client has connections to one host by itself, whose readers have stopped. A file of each
    is larger than what sockets take; whoever comes then is served."""
    data = content(16 << 20, seed=6)
    _, value = assets.upload(data, record="slow")
    url = assets.save(value, record="slow")["value"]["downloadURL"]
    parts = urllib.parse.urlparse(url)
    readers = []
    try:
        for _ in range(12):
            reader = socket.socket()
            reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            readers.append(reader)
            reader.settimeout(120)
            reader.connect(assets.server.address)
            reader.sendall(f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        # The head leaves before the bucket is asked, the first byte behind it when it has answered.
        for reader in readers:
            begun = b""
            while not begun.partition(b"\r\n\r\n")[2] and (piece := reader.recv(1024)):
                begun += piece
            check(begun.startswith(b"HTTP/1.1 200 ") and begun.partition(b"\r\n\r\n")[2],
                  "a download begins beside others that stand still")
        status, _, answer = assets.download(url, {"Range": "bytes=0-99"})
        check(status == 206 and answer == data[:100], f"beside slow readers a file can be read: {status}")
        status, other = assets.upload(b"other", record="other")
        check(status == 200, f"and another be sent: {status}")
        if status == 200:
            url = assets.save(other, record="other")["value"]["downloadURL"]
            status, _, answer = assets.download(url)
            check(status == 200 and answer == b"other", f"and be read: {status}")
    finally:
        for reader in readers:
            reader.close()


def files_below(folder):
    return sum(len(names) for _, _, names in os.walk(folder))


def server(arguments, folder, *more):
    return Server(arguments.brume, folder, extra=more).start()


SHORT = ("--asset-upload-life", "2", "--asset-receipt-life", "2", "--asset-address-life", "2",
         "--asset-sweep", "1")


def run(arguments, name, place, objects):
    print(f"{name}")
    folder = tempfile.mkdtemp(prefix="brume-assets-")
    try:
        one = server(arguments, folder, *place)
        assets = Assets(one)
        basics(assets)
        grown = large(assets)
        slow(assets)
        crash(one, assets)
        one.stop()
        shutil.rmtree(folder)
        os.makedirs(folder)
        before = objects(folder)
        one = server(arguments, folder, *place, *SHORT)
        assets = Assets(one)
        expiry(assets)
        swept(assets, lambda: objects(folder) - before)
        one.stop()
        print(f"  50 MB up and down, server memory +{grown >> 20} MB")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def beside(arguments, place):
    """Restore in place is refused for a bucket, and what the refusal says to type is typed."""
    folder = tempfile.mkdtemp(prefix="brume-beside-")
    try:
        old = server(arguments, f"{folder}/old", "--assets", place)
        assets, data = Assets(old), content(200_000, seed=5)
        assets.save(assets.upload(data)[1])
        backup = f"{folder}/all.brume"
        old.tool("backup", backup)
        refused = subprocess.run([arguments.brume, "restore", backup, "--in-place", "--yes", "--data", f"{folder}/old"],
                                 capture_output=True, text=True)
        found = re.search(r"'brume (restore FILE [^']*)'", refused.stderr)
        check(refused.returncode == 73 and found, f"a bucket is not restored in place, and what to type is said: {refused.stderr}")
        words = found.group(1).replace("FILE", backup).replace("./restored", f"{folder}/new").replace("?…", "?" + place.split("?")[1])
        done = subprocess.run([arguments.brume, *words.split()], capture_output=True, text=True)
        check(done.returncode == 0, f"and brings the backup back: {words} {done.stderr}")
        values = old.values
        old.stop()
        new = server(arguments, f"{folder}/new", "--assets", words.split("--assets ")[1])
        new.values = {**values, "BRUME_URL": new.values["BRUME_URL"]}
        answer = new.client("alice", "python").call("records/lookup", {"records": [{"recordName": "one"}]})
        value = answer["records"][0]["fields"]["photo"]["value"]
        check(Assets(new).download(value["downloadURL"])[2] == data, "with the file, from its new place")
        new.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def tests_of(brume):
    """Plays tests that are built. On Linux they are a program, which needs nothing of SwiftPM: that refuses to look while
    something is built beside it."""
    if sys.platform == "linux":
        bundle = os.path.join(os.path.dirname(os.path.abspath(brume)), "brumePackageTests.xctest")
        return [bundle, "--testing-library", "swift-testing"]
    return ["swift", "test", "--skip-build"]


def contract(brume, bucket):
    """The same promises as on memory and on a folder. What they leave shows that they were played."""
    address = f"s3://{BUCKET}?endpoint=http://127.0.0.1:{bucket.port}"
    before = bucket.count(None)
    tests = subprocess.run([*tests_of(brume), "--filter", "AssetStoreTests"],
                           env={**os.environ, "BRUME_TEST_BUCKET": address},
                           capture_output=True, text=True)
    check(tests.returncode == 0, f"the contract on the bucket:\n{tests.stdout[-3000:]}{tests.stderr[-3000:]}")
    check(bucket.count(None) > before, "the contract was played on the bucket")


class Bucket:
    """moto's server on a free port."""

    def __init__(self, python):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.process = subprocess.Popen(
            [python, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            try:
                self.send("PUT", f"/{BUCKET}")
                return
            except OSError:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit("moto's server did not start")
                time.sleep(0.1)

    def send(self, method, path):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request(method, path, headers={
            "Authorization": "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, "
                             "SignedHeaders=host, Signature=0"})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()

    def count(self, _folder):
        return self.send("GET", f"/{BUCKET}?list-type=2")[1].count("<Key>")

    def stop(self):
        self.process.terminate()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--python", default=sys.executable, help="a Python that has moto")
    parser.add_argument("--only", choices=["folder", "bucket"])
    parser.add_argument("--contract", action="store_true",
                        help="play the Swift package's contract of asset stores on the bucket, too")
    arguments = parser.parse_args()
    if arguments.only != "bucket":
        run(arguments, "data folder", (), lambda folder: files_below(os.path.join(folder, "assets")))
    if arguments.only != "folder":
        if subprocess.run([arguments.python, "-c", "import moto.server"],
                          capture_output=True).returncode != 0:
            raise SystemExit("moto's server is missing; 'scripts/prepare' says how to get it")
        os.environ.update(KEYS)
        bucket = Bucket(arguments.python)
        try:
            place = f"s3://{BUCKET}/files?endpoint=http://127.0.0.1:{bucket.port}"
            run(arguments, "bucket", ("--assets", place), bucket.count)
            beside(arguments, place)
            if arguments.contract:
                contract(arguments.brume, bucket)
        finally:
            bucket.stop()
    if failures:
        raise SystemExit(f"{len(failures)} checks failed")
    print("assets: all checks passed")


if __name__ == "__main__":
    main()
