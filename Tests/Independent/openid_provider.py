"""A small OpenID Connect provider: whoever comes is signed in as who the test says.

Python's standard library and `cryptography`. It checks what it is sent as strictly as providers do:
the registered redirect address, the client's secret, the proof key, each code once.
"""
import base64
import hashlib
import json
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value, length=None):
    return text(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


class Key:
    def __init__(self, algorithm, identifier):
        self.algorithm, self.id = algorithm, identifier
        self.secret = (rsa.generate_private_key(65537, 2048) if algorithm == "RS256"
                       else ec.generate_private_key(ec.SECP256R1()))

    def public(self):
        numbers = self.secret.public_key().public_numbers()
        common = {"kid": self.id, "use": "sig", "alg": self.algorithm}
        if self.algorithm == "RS256":
            return {"kty": "RSA", "n": number(numbers.n), "e": number(numbers.e), **common}
        return {"kty": "EC", "crv": "P-256", "x": number(numbers.x, 32), "y": number(numbers.y, 32), **common}

    def sign(self, claims):
        head = text(json.dumps({"alg": self.algorithm, "kid": self.id, "typ": "JWT"}).encode())
        signed = f"{head}.{text(json.dumps(claims).encode())}"
        if self.algorithm == "RS256":
            signature = self.secret.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        else:
            r, s = decode_dss_signature(self.secret.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return f"{signed}.{text(signature)}"


class Provider:
    """`user` is who signs in next; `spoil` may change a token's claims; `refusal` is said in the place of a code; `problems` is
    what went wrong."""

    CLIENT, SECRET = "brume test", "s3cret/with=signs"

    def __init__(self):
        self.keys = [Key("RS256", "r1")]
        self.user = {"sub": "u1", "preferred_username": "dora", "email": "dora@example.org",
                     "email_verified": True, "given_name": "Dora"}
        self.spoil = lambda claims: claims
        self.sign_with = None
        self.refusal = None
        self.codes, self.problems = {}, []
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                provider.get(self)

            def do_POST(self):
                provider.post(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        self.redirect = None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def discovery(self):
        return self.issuer + "/.well-known/openid-configuration"

    def answer(self, request, status, value, headers=()):
        body = json.dumps(value).encode()
        request.send_response(status)
        for name, content in headers:
            request.send_header(name, content)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    def get(self, request):
        url = urllib.parse.urlparse(request.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        if url.path == "/.well-known/openid-configuration":
            self.answer(request, 200, {
                "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize",
                "token_endpoint": self.issuer + "/token", "jwks_uri": self.issuer + "/keys",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"]})
        elif url.path == "/keys":
            self.answer(request, 200, {"keys": [key.public() for key in self.keys]})
        elif url.path == "/authorize":
            self.authorize(request, query)
        else:
            self.answer(request, 404, {})

    def authorize(self, request, query):
        expected = {"response_type": "code", "client_id": self.CLIENT, "redirect_uri": self.redirect,
                    "code_challenge_method": "S256"}
        for name, value in expected.items():
            if query.get(name) != value:
                self.problems.append(f"{name} is {query.get(name)!r}")
        if "openid" not in query.get("scope", "").split() or not query.get("nonce") or not query.get("state"):
            self.problems.append("scope, nonce or state is missing")
        if self.refusal:
            said = urllib.parse.urlencode({"error": self.refusal, "state": query["state"]}, quote_via=urllib.parse.quote)
            return self.answer(request, 302, {}, [("Location", f"{query['redirect_uri']}?{said}")])
        code = hashlib.sha256(str(len(self.codes)).encode()).hexdigest()
        self.codes[code] = query
        target = query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": code, "state": query["state"]})
        self.answer(request, 302, {}, [("Location", target)])

    def post(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0))).decode()
        form = dict(urllib.parse.parse_qsl(body))
        pair = f"{urllib.parse.quote(self.CLIENT, safe='')}:{urllib.parse.quote(self.SECRET, safe='')}"
        if request.headers.get("Authorization") != "Basic " + base64.b64encode(pair.encode()).decode():
            return self.answer(request, 401, {"error": "invalid_client"})
        query = self.codes.pop(form.get("code"), None)
        if not query or form.get("grant_type") != "authorization_code" or \
                form.get("redirect_uri") != query["redirect_uri"] or \
                text(hashlib.sha256(form.get("code_verifier", "").encode()).digest()) != query["code_challenge"]:
            return self.answer(request, 400, {"error": "invalid_grant"})
        now = int(time.time())
        claims = self.spoil({"iss": self.issuer, "aud": self.CLIENT, "exp": now + 300, "iat": now,
                             "nonce": query["nonce"], **self.user})
        token = (self.sign_with or self.keys[0]).sign(claims)
        self.answer(request, 200, {"access_token": "x", "token_type": "Bearer", "id_token": token})
