"""Operators sign in through the OpenID provider: a part of signin.py, which runs it.

Every refusal is tried beside the same walk that succeeds.
"""
import base64
import http.client
import json
import urllib.parse


class Browser:
    """One operator's browser: keeps cookies, and says what pages of the server say."""

    def __init__(self, url):
        self.url, self.cookies, self.csrf = url, {}, None

    def ask(self, method, url, body=None, headers=()):
        parts = urllib.parse.urlparse(url)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        sent = {"Sec-Fetch-Site": "same-origin", **dict(headers)}
        if self.cookies:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if self.csrf:
            sent["X-Brume-CSRF"] = self.csrf
        target = parts.path + ("?" + parts.query if parts.query else "")
        connection.request(method, target, None if body is None else json.dumps(body), sent)
        answer = connection.getresponse()
        text = answer.read().decode()
        self.kept = [value for name, value in answer.getheaders() if name.lower() == "set-cookie"]
        for cookie in self.kept:
            name, value = cookie.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return answer.status, answer.getheader("Location"), text

    def admin(self, path, body=None, headers=()):
        status, _, text = self.ask("GET" if body is None else "POST", f"{self.url}/_brume/admin/{path}", body, headers)
        return status, json.loads(text)

    def leave(self, **body):
        """To the provider and back to the server's door; None and the refusal if it does not come so far."""
        status, answer = self.admin("session/provider", body)
        if status != 200:
            return None, (status, answer)
        self.left = answer["url"]
        _, back, _ = self.ask("GET", answer["url"])
        return back, None

    def whole(self, **body):
        """Status of the end of the trip, and what the server said."""
        back, refusal = self.leave(**body)
        if refusal:
            return refusal
        status, place, text = self.ask("GET", back)
        return status, place or text

    def who(self):
        status, answer = self.admin("session")
        if status == 200:
            self.csrf = answer.get("csrf")
            return answer["operator"]["name"], answer["operator"]["role"]
        return status


def first_operator(checks, server, provider, url):
    link = server.tool("operator", "link").strip().split("#")[1]
    ada = Browser(url)
    checks.that("the page learns what the provider is called", ada.admin("session/provider") == (200, {"provider": "Example ID"}))
    checks.that("a page of somebody else begins nothing",
                ada.admin("session/provider", {"link": link}, {"Sec-Fetch-Site": "cross-site"})[0] == 403)
    checks.that("a link that nobody made leads nowhere", ada.whole(link="0" * 64)[0] == 401)
    checks.that("nobody is an operator yet, so nobody signs in", ada.whole()[0] == 401)
    provider.user = {**provider.user, "sub": "first"}
    status, place = ada.whole(link=link, name="ada")
    checks.that("the link makes the first operator through the provider", status == 303, f"{status} {place}")
    checks.that("and leads to the console", place == f"{url}/_brume/console/", str(place))
    checks.that("the session's cookie is guarded",
                all("HttpOnly" in cookie and "SameSite=Strict" in cookie for cookie in ada.kept), str(ada.kept))
    checks.that("the first operator may do everything", ada.who() == ("ada", "full"), str(ada.who()))
    sent = ada.left + base64.urlsafe_b64decode(
        urllib.parse.parse_qs(urllib.parse.urlparse(ada.left).query)["state"][0] + "==").decode("latin-1")
    checks.that("the provider learns nothing of the link", link not in sent)
    checks.that("the link was used", Browser(url).whole(link=link, name="eve")[0] == 401)
    return ada


def others(checks, server, provider, url, ada):
    provider.user = {**provider.user, "sub": "cleo's"}
    status, page = Browser(url).whole()
    checks.that("who is no operator is refused, and shown the subject", status == 401 and "cleo" in page and "no operator" in page, page)
    server.tool("operator", "add", "cleo", "--openid", "cleo's", "--read-only")
    cleo = Browser(url)
    checks.that("an operator that was added signs in", cleo.whole()[0] == 303)
    checks.that("with her own role", cleo.who() == ("cleo", "read-only"), str(cleo.who()))
    checks.that("which the server keeps to", cleo.admin("users", {"name": "mallory"})[0] == 403)
    people = ada.admin("operators")[1]["operators"]
    checks.that("who signs in how is shown", [person.get("openid") for person in people] == ["first", "cleo's"], str(people))
    checks.that("an identity is one operator's",
                ada.admin("operators", {"name": "other", "openid": "cleo's"})[0] in (400, 409), "")
    checks.that("there is no password to guess",
                Browser(url).admin("session", {"name": "cleo", "password": f"openid {provider.issuer} cleo's"})[0] == 401)
    return cleo


def invited(checks, server, provider, url):
    link = server.tool("operator", "invitation", "create", "dan", "--read-only").strip().split("#invitation.")[1]
    dan = Browser(url)
    provider.user = {**provider.user, "sub": "first"}
    checks.that("an identity that is an operator's accepts nothing", dan.whole(link=link)[0] in (400, 409))
    provider.user = {**provider.user, "sub": "dan's"}
    status, place = dan.whole(link=link, name="king")
    checks.that("who is invited becomes an operator through the provider", status == 303, f"{status} {place}")
    checks.that("with the name and the role of the invitation", dan.who() == ("dan", "read-only"), str(dan.who()))
    sent = dan.left + base64.urlsafe_b64decode(
        urllib.parse.parse_qs(urllib.parse.urlparse(dan.left).query)["state"][0] + "==").decode("latin-1")
    checks.that("the provider learns nothing of the invitation's link", link not in sent)
    checks.that("the invitation was used", Browser(url).whole(link=link)[0] == 401)
    checks.that("and its operator signs in by the provider from then on", Browser(url).whole()[0] == 303)


def crooked(checks, provider, url):
    def with_claims(**changes):
        provider.spoil = lambda claims: {**claims, **changes}
        status, _ = Browser(url).whole()
        provider.spoil = lambda claims: claims
        return status

    checks.that("another nonce is refused", with_claims(nonce="x") == 401)
    checks.that("another issuer is refused", with_claims(iss="https://evil.example") == 401)
    checks.that("another subject is refused", with_claims(sub="nobody") == 401)
    checks.that("the honest walk beside them succeeds", with_claims() == 303)
    browser = Browser(url)
    back, _ = browser.leave()
    checks.that("another browser cannot finish it", Browser(url).ask("GET", back)[0] == 400)
    checks.that("a state that was not sealed here is refused", browser.ask("GET", back.replace("state=", "state=A"))[0] == 400)
    checks.that("the one that began can", browser.ask("GET", back)[0] == 303)
    checks.that("a code is good once", browser.ask("GET", back)[0] != 303)


def ends(checks, server, provider, url, ada, cleo):
    checks.that("she is still there", cleo.who() == ("cleo", "read-only"))
    server.tool("operator", "remove", "cleo")
    checks.that("who was removed is refused by the next request", cleo.who() == 401)
    checks.that("and does not come back", Browser(url).whole()[0] == 401)
    lines = ada.admin("audit")[1]["audit"]
    acts = [(line["operator"], line["status"], line.get("refused", False)) for line in lines if line["action"] == "session/provider"]
    checks.that("sign-ins have lines in the audit log", ("ada", 303, False) in acts and ("cleo", 303, False) in acts, str(acts))
    checks.that("refusals too, and nobody's subject is in one",
                ("", 401, True) in acts and "cleo's" not in json.dumps([line for line in lines if line.get("refused")]), str(acts))


def run(checks, server, provider):
    url = json.load(open(f"{server.folder}/server.json"))["url"]
    provider.redirect = f"{url}/_brume/signin/callback"
    ada = first_operator(checks, server, provider, url)
    cleo = others(checks, server, provider, url, ada)
    invited(checks, server, provider, url)
    provider.user = {**provider.user, "sub": "cleo's"}
    crooked(checks, provider, url)
    ends(checks, server, provider, url, ada, cleo)
