"""Signs requests as CloudKit's clients do, in every variant seen, and in many that must be refused.

Python's standard library and `cryptography`; nothing shared with the Swift code. A copied request that
modifies is sent again, also to the server's next life on the same data folder.
"""
import argparse
import base64
import datetime
import hashlib
import http.client
import json
import sys
import tempfile

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from brume_server import Server
from signin import Checks

ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


def stamp(seconds=0):
    time = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def digest(body):
    return base64.b64encode(hashlib.sha256(body).digest()).decode()


class Signer:
    def __init__(self, server):
        values = server.values
        self.server, self.id = server, values["BRUME_KEY_ID"]
        with open(values["BRUME_KEY_FILE"], "rb") as file:
            self.key = serialization.load_pem_private_key(file.read(), None)
        self.base = f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}"

    def headers(self, target, body, date=None, hashed=None, key=None, identifier=None):
        date = date or stamp()
        text = f"{date}:{digest(body) if hashed is None else hashed}:{target}"
        signature = (key or self.key).sign(text.encode(), ec.ECDSA(hashes.SHA256()))
        return {"X-Apple-CloudKit-Request-KeyID": identifier or self.id,
                "X-Apple-CloudKit-Request-ISO8601Date": date,
                "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode()}

    def send(self, target, body, headers, method="POST"):
        connection = http.client.HTTPConnection(*self.server.address, timeout=120)
        connection.request(method, target, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def signature(self, headers):
        return base64.b64decode(headers["X-Apple-CloudKit-Request-SignatureV1"])

    def with_signature(self, headers, signature):
        return {**headers, "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signature).decode()}


QUERY = json.dumps({"records": [{"recordName": "x"}]}).encode()


def accepted(checks, signer):
    target = signer.base + "/public/records/lookup"
    long = target + "?ckjsVersion=2.6.4&clientId=74ae"
    for what, sent, signed in [("the path", target, target), ("the path with its query", long, long),
                               ("the path without the query that was sent", long, target)]:
        status, answer = signer.send(sent, QUERY, signer.headers(signed, QUERY))
        checks.that(f"{what} may be signed", status == 200, str(answer))
    listing = signer.base + "/public/zones/list"
    for what, method, body, hashed in [
            ("the hash of an empty body", "GET", b"", None), ("an empty text for no body", "GET", b"", ""),
            ("an empty text for no body, posted", "POST", b"", ""), ("a body of {}", "POST", b"{}", None),
            ("a body of {} on GET", "GET", b"{}", None)]:
        status, answer = signer.send(listing, body, signer.headers(listing, body, hashed=hashed), method)
        checks.that(f"{what} is accepted", status == 200, str(answer))
    for seconds in (-590, 590):
        status, answer = signer.send(target, QUERY, signer.headers(target, QUERY, date=stamp(seconds)))
        checks.that(f"a date {seconds} seconds from now is accepted", status == 200, str(answer))
    both = target + "?ckAPIToken=0000"
    status, answer = signer.send(both, QUERY, signer.headers(both, QUERY))
    checks.that("a signature wins over an API token", status == 200, str(answer))


def refused(checks, signer):
    target = signer.base + "/public/records/lookup"
    good = signer.headers(target, QUERY)
    r, s = decode_dss_signature(signer.signature(good))
    other = ec.generate_private_key(ec.SECP256R1())
    wrong = [
        ("another path", signer.headers(signer.base + "/public/records/query", QUERY)),
        ("another query", signer.headers(target + "?a=b", QUERY)),
        ("another body", signer.headers(target, b"{}")),
        ("an empty hash for a body", signer.headers(target, QUERY, hashed="")),
        ("another key", signer.headers(target, QUERY, key=other)),
        ("an unknown key", signer.headers(target, QUERY, identifier="0" * 64)),
        ("a date of eleven minutes ago", signer.headers(target, QUERY, date=stamp(-660))),
        ("a date in eleven minutes", signer.headers(target, QUERY, date=stamp(660))),
        ("a date without its zone", signer.headers(target, QUERY, date=stamp()[:-1])),
        ("a date of another zone", signer.headers(target, QUERY, date=stamp()[:-1] + "+00:00")),
        ("seconds since 1970", signer.headers(target, QUERY, date="1795213861")),
        ("a raw signature", signer.with_signature(good, r.to_bytes(32, "big") + s.to_bytes(32, "big"))),
        ("no signature", signer.with_signature(good, b"")),
        ("a signature of zeros", signer.with_signature(good, encode_dss_signature(0, 0))),
        ("a cut signature", signer.with_signature(good, signer.signature(good)[:-1])),
        ("a date that was changed", {**good, "X-Apple-CloudKit-Request-ISO8601Date": stamp(1)}),
    ]
    for what, headers in wrong:
        status, answer = signer.send(target, QUERY, headers)
        checks.that(f"{what} is refused", status == 401 and answer["serverErrorCode"] == "AUTHENTICATION_FAILED",
                    f"{status} {answer}")
    for endpoint in ["/private/zones/list", "/shared/zones/list", "/private/users/caller", "/public/users/discover"]:
        path = signer.base + endpoint
        status, answer = signer.send(path, b"", signer.headers(path, b""), "GET")
        checks.that(f"{endpoint} is not for keys", status == 401, f"{status} {answer}")
    for endpoint in ["/public/users/caller", "/public/users/current"]:
        path = signer.base + endpoint
        status, answer = signer.send(path, b"", signer.headers(path, b""), "GET")
        checks.that(f"{endpoint} answers the key its user", status == 200 and "userRecordName" in answer,
                    f"{status} {answer}")
    elsewhere = target.replace("/development/", "/production/")
    status, answer = signer.send(elsewhere, QUERY, signer.headers(elsewhere, QUERY))
    checks.that("another environment is not the key's", status == 401, f"{status} {answer}")


def replayed(checks, server, signer):
    target = signer.base + "/public/records/modify"
    body = json.dumps({"operations": [{"operationType": "create", "record": {"recordType": "Note"}}]}).encode()
    headers = signer.headers(target, body)
    r, s = decode_dss_signature(signer.signature(headers))
    status, first = signer.send(target, body, headers)
    checks.that("a signed save is accepted", status == 200 and "recordName" in first["records"][0], str(first))

    def copies(when):
        for what, copy in [("a copy", headers), ("its mirror image", signer.with_signature(
                headers, encode_dss_signature(r, ORDER - s)))]:
            status, answer = signer.send(target, body, copy)
            checks.that(f"{what} does nothing {when}", status == 401, f"{status} {answer}")

    copies("at once")
    server.kill()
    server.start()
    copies("after a crash")
    query = json.dumps({"query": {"recordType": "Note"}}).encode()
    target = signer.base + "/public/records/query"
    status, answer = signer.send(target, query, signer.headers(target, query))
    checks.that("one record was made", len(answer.get("records", [])) == 1, str(answer)[:200])


def spelled(checks, signer):
    """A replay is one however its path is written, also where the path was signed as it is written."""
    for spelling in ["modif%79", "modi%66y", "%6dodify", "modify/", "/modify", "./modify", "modify?x=1", "modify?"]:
        target = f"{signer.base}/public/records/{spelling}"
        body = json.dumps({"operations": [{"operationType": "create", "record": {"recordType": "Note"}}]}).encode()
        headers = signer.headers(target, body)
        first, _ = signer.send(target, body, headers)
        second, answer = signer.send(target, body, headers)
        checks.that(f"'{spelling}' is carried out once at most", second != 200 and first in (200, 400, 401, 404),
                    f"{first}, then {second} {answer}")
        for other in ["modify", "modif%79"]:
            status, answer = signer.send(f"{signer.base}/public/records/{other}", body, headers)
            checks.that(f"the signature of '{spelling}' is good for no '{other}'", status != 200, f"{status} {answer}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder).start()
        try:
            signer = Signer(server)
            accepted(checks, signer)
            refused(checks, signer)
            replayed(checks, server, signer)
            spelled(checks, signer)
        finally:
            server.stop()
    for failure in checks.failed:
        print("  " + failure)
    print(f"server-to-server keys: {checks.count - len(checks.failed)} of {checks.count} checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
