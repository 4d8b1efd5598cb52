"""Signs requests of server-to-server keys with P-256, from the definition: the standard library has no such thing.

Not for secrets: the numbers that signatures draw follow each other, which is quick, and gives the key away.
"""
import base64
import datetime
import hashlib
import random

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)
# Of a public key in DER, before the point: the algorithm and the curve.
PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")


def add(a, b):
    if a is None or b is None:
        return a or b
    if a[0] == b[0]:
        if (a[1] + b[1]) % P == 0:
            return None
        slope = (3 * a[0] * a[0] - 3) * pow(2 * a[1], -1, P) % P
    else:
        slope = (b[1] - a[1]) * pow(b[0] - a[0], -1, P) % P
    x = (slope * slope - a[0] - b[0]) % P
    return x, (slope * (a[0] - x) - a[1]) % P


def doublings():
    points = [G]
    for _ in range(255):
        points.append(add(points[-1], points[-1]))
    return points


DOUBLINGS = doublings()


def multiple(scalar):
    """The base point that often."""
    result = None
    for bit in range(256):
        if scalar >> bit & 1:
            result = add(result, DOUBLINGS[bit])
    return result


def der(number):
    data = number.to_bytes(33, "big").lstrip(b"\0") or b"\0"
    data = b"\0" + data if data[0] & 0x80 else data
    return b"\x02" + bytes([len(data)]) + data


class Key:
    """A key pair, and requests signed with it."""

    def __init__(self, chance=None):
        chance = chance or random.SystemRandom()
        self.secret, self.id = chance.randrange(1, N), None
        self.nonce = chance.randrange(1, N // 2)
        self.point = multiple(self.nonce)

    def public_pem(self):
        x, y = multiple(self.secret)
        text = base64.b64encode(PREFIX + x.to_bytes(32, "big") + y.to_bytes(32, "big")).decode()
        lines = "\n".join(text[at:at + 64] for at in range(0, len(text), 64))
        return f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n"

    def signature(self, data):
        digest = int.from_bytes(hashlib.sha256(data).digest(), "big")
        # A number that was used before would make the request a copy of another.
        self.nonce, self.point = self.nonce + 1, add(self.point, G)
        r = self.point[0] % N
        s = pow(self.nonce, -1, N) * (digest + r * self.secret) % N
        body = der(r) + der(s)
        return b"\x30" + bytes([len(body)]) + body

    def headers(self, path, body):
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signed = self.signature(f"{date}:{digest}:{path}".encode())
        return {"X-Apple-CloudKit-Request-KeyID": self.id, "X-Apple-CloudKit-Request-ISO8601Date": date,
                "X-Apple-CloudKit-Request-SignatureV1": base64.b64encode(signed).decode()}
