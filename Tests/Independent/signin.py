"""Signs in through an OpenID Connect provider, as a browser's requests would, and tries to cheat.

Every refusal is tried beside the same walk that succeeds: a check that cannot fail proves nothing.
"""
import argparse
import html
import http.client
import json
import re
import sys
import tempfile
import urllib.parse

import signin_operators
from brume_server import Server
from openid_provider import Key, Provider


class Browser:
    """Follows addresses by hand and keeps cookies, one visitor."""

    def __init__(self):
        self.cookies = {}

    def get(self, url, headers=()):
        parts = urllib.parse.urlparse(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        sent = dict(headers)
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        connection.request("GET", parts.path + ("?" + parts.query if parts.query else ""), headers=sent)
        answer = connection.getresponse()
        body = answer.read().decode()
        cookie = answer.getheader("Set-Cookie")
        if cookie:
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
            if "HttpOnly" not in cookie or "SameSite=Lax" not in cookie:
                raise SystemExit(f"the cookie is not guarded: {cookie}")
        return answer.status, answer.getheader("Location"), body


class Walk:
    ORIGIN = "https://app.example"

    def __init__(self, server):
        self.server, self.values = server, server.values
        self.base = f"{self.values['BRUME_URL']}/database/1/{self.values['BRUME_CONTAINER']}/development/public"

    def caller(self, token=None):
        query = {"ckAPIToken": self.values["BRUME_API_TOKEN"]}
        if token:
            query["ckWebAuthToken"] = token
        status, _, body = Browser().get(
            f"{self.base}/users/caller?{urllib.parse.urlencode(query)}", {"Origin": self.ORIGIN})
        return status, json.loads(body)

    def leave(self, browser, keep="true", headers=()):
        """To the provider; the address that the provider sends the browser back to."""
        status, answer = self.caller()
        assert status == 421, status
        state = urllib.parse.parse_qs(urllib.parse.urlparse(answer["redirectURL"]).query)["state"][0]
        query = urllib.parse.urlencode({"state": state, "keep": keep, "discoverable": "true"})
        status, location, body = browser.get(f"{self.values['BRUME_URL']}/_brume/signin/provider?{query}", headers)
        if status != 303:
            return None, outcome(body)
        _, back, _ = browser.get(location)
        return back, None

    def whole(self):
        browser = Browser()
        back, failure = self.leave(browser)
        if failure:
            return failure
        _, _, body = browser.get(back)
        return outcome(body)


def outcome(body):
    found = re.search(r'data-outcome="([^"]*)"', body)
    return json.loads(html.unescape(found.group(1))) if found else {"error": body[:200]}


class Checks:
    def __init__(self):
        self.count, self.failed = 0, []

    def that(self, what, condition, detail=""):
        self.count += 1
        if not condition:
            self.failed.append(f"{what} {detail}")

    def refused(self, what, result):
        self.that(what, "error" in result and "token" not in result, str(result)[:200])


def honest(checks, walk, provider):
    first = walk.whole()
    checks.that("a provider's user signs in", "token" in first, str(first))
    checks.that("only the page that asked gets the token", first.get("origins") == [Walk.ORIGIN])
    status, me = walk.caller(first["token"])
    checks.that("the token speaks for a user", status == 200, str(me))
    checks.that("who agreed is named", me.get("nameComponents", {}).get("givenName") == "Dora", str(me))
    again = walk.caller(walk.whole()["token"])[1]
    checks.that("issuer and subject name the same user again", again["userRecordName"] == me["userRecordName"])
    provider.user = {**provider.user, "sub": "u2"}
    other = walk.caller(walk.whole()["token"])[1]
    checks.that("another subject is another user, whatever the address",
                other["userRecordName"] != me["userRecordName"])
    provider.keys = [Key("ES256", "e1")]
    checks.that("a new key of the provider is learned, ES256 too", "token" in walk.whole())


def crooked(checks, walk, provider):
    def with_claims(**changes):
        def spoil(claims):
            return {name: value for name, value in {**claims, **changes}.items() if value is not None}
        provider.spoil = spoil
        result = walk.whole()
        provider.spoil = lambda claims: claims
        return result

    for name, changes in [
            ("another issuer", {"iss": "https://evil.example"}), ("another audience", {"aud": "other"}),
            ("an old token", {"exp": 1}), ("no nonce", {"nonce": None}), ("another nonce", {"nonce": "x"}),
            ("nobody", {"sub": None})]:
        checks.refused(f"an ID token with {name} is refused", with_claims(**changes))
    provider.sign_with = Key("ES256", provider.keys[0].id)
    checks.refused("a token signed by somebody else is refused", walk.whole())
    provider.sign_with = None
    browser = Browser()
    back, _ = walk.leave(browser)
    checks.refused("another browser cannot finish the sign-in", outcome(Browser().get(back)[2]))
    checks.that("the one that began can", "token" in outcome(browser.get(back)[2]))
    checks.refused("a code is good once", outcome(browser.get(back)[2]))
    browser = Browser()
    back, _ = walk.leave(browser)
    forged = back.replace("state=", "state=A")
    checks.refused("a state that was not sealed here is refused", outcome(browser.get(forged)[2]))
    for site in ("cross-site", "same-site", "none"):
        checks.refused(f"whom a page of elsewhere sends out is refused ({site})",
                       walk.leave(Browser(), headers={"Sec-Fetch-Site": site})[1] or {})
    checks.that("whom the sign-in page sends out is not",
                walk.leave(Browser(), headers={"Sec-Fetch-Site": "same-origin"})[0])
    checks.that("an honest walk still works", "token" in walk.whole())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    provider, checks = Provider(), Checks()
    extra = ["--oidc-discovery", provider.discovery, "--oidc-client-id", Provider.CLIENT,
             "--oidc-client-secret", Provider.SECRET, "--oidc-name", "Example ID"]
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder, extra=extra).start()
        provider.redirect = f"{server.values['BRUME_URL']}/_brume/signin/callback"
        try:
            walk = Walk(server)
            honest(checks, walk, provider)
            crooked(checks, walk, provider)
            checks.that("the provider has no complaint", not provider.problems, str(provider.problems))
        finally:
            server.stop()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder, store="memory", extra=extra, dev=False).start()
        try:
            signin_operators.run(checks, server, provider)
            checks.that("the provider has no complaint about operators", not provider.problems, str(provider.problems))
        finally:
            server.stop()
    for failure in checks.failed:
        print("  " + failure)
    print(f"sign-in by a provider: {checks.count - len(checks.failed)} of {checks.count} checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
