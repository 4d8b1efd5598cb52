"""A page of another origin signs a user in, in headless Chromium, and calls the API: docs/sign-in.md.

A page that the API token is not for gets nothing, although it opens the very same popup.
"""
import argparse
import http.client
import json
import sys
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import chromium
from brume_server import Server
from openid_provider import Provider
from signin import Checks

CONTAINER = "iCloud.org.example.trailbook"
PAGE = """<!doctype html><meta charset="utf-8"><title>app</title><script>
const messages = []; const waiting = [];
addEventListener('message', (event) => { messages.push(event.data); waiting.splice(0).forEach((done) => done()); });
async function message(count) {
  while (messages.length < count) await new Promise((done) => waiting.push(done));
  return messages[count - 1];
}
async function call(url, body) {
  try {
    const answer = await fetch(url, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body),
      headers: { 'Content-Type': 'text/plain', 'X-Custom': '1' } });
    return { status: answer.status, body: await answer.json(),
      token: answer.headers.get('X-Apple-CloudKit-Web-Auth-Token'),
      uuid: answer.headers.get('X-Apple-Request-UUID') };
  } catch (error) { return { failure: String(error) }; }
}
</script>"""


class Site:
    """An app's page on an origin of its own."""

    def __init__(self):
        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(PAGE.encode())

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever, daemon=True).start()


class App:
    def __init__(self, server, token):
        self.url, self.token = server.values["BRUME_URL"], token

    def address(self, endpoint, web=None, database="public"):
        query = {"ckAPIToken": self.token, **({"ckWebAuthToken": web} if web else {})}
        return (f"{self.url}/database/1/{CONTAINER}/development/{database}/{endpoint}"
                f"?{urllib.parse.urlencode(query)}")

    def sign_in_address(self):
        """As a program gets it that is no browser: without an origin."""
        parts = urllib.parse.urlparse(self.address("users/caller"))
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=120)
        connection.request("GET", f"{parts.path}?{parts.query}")
        return json.loads(connection.getresponse().read())["redirectURL"]


def script(function, *arguments):
    return f"{function}({', '.join(json.dumps(argument) for argument in arguments)})"


def fill(browser, popup):
    browser.wait(lambda: popup.run("document.getElementById('form') && !document.getElementById('form').hidden"))
    popup.run("document.getElementById('name').value = 'carol';"
              "document.getElementById('password').value = 'correct horse';"
              "document.getElementById('submit').click()")


def honest(checks, browser, site, app):
    page = browser.page(site.origin + "/")
    answer = page.run(script("call", app.address("users/caller")))
    checks.that("a call without a user is answered to the page", answer.get("status") == 421, str(answer))
    page.run(script("open", answer["body"]["redirectURL"], "signin", "width=640,height=525") + "; null")
    popup = browser.popup()
    browser.wait(lambda: popup.run("document.getElementById('form') && !document.getElementById('form').hidden"))
    shown = popup.run("document.getElementById('receiver').textContent")
    checks.that("the sign-in page names the origin that gets the result", site.origin in shown, shown)
    fill(browser, popup)
    message = page.run("message(1)")
    token = message.get("ckWebAuthToken")
    checks.that("the page gets the token in both spellings", token and message.get("ckSession") == token, str(message))
    answer = page.run(script("call", app.address("records/modify", token), {"operations": [
        {"operationType": "create", "record": {"recordType": "Hike", "recordName": "h1"}}]}))
    checks.that("the page calls the API as the user", answer.get("status") == 200
                and answer["body"]["records"][0]["recordName"] == "h1", str(answer))
    checks.that("the page may read the next token and the request's name",
                answer.get("token") and answer.get("uuid"), str(answer))
    following = page.run(script("call", app.address("zones/list", answer["token"], "private")))
    checks.that("the next token works", following.get("status") == 200, str(following))
    made = page.run(script("call", app.address("tokens/create", token), {"apnsEnvironment": "development"}))
    polled = page.run(script("call", made["body"]["webcourierURL"]))
    checks.that("the page may poll the courier", polled.get("status") == 200, str(polled))
    page.close()


def crooked(checks, browser, site, app):
    page = browser.page(site.origin + "/")
    answer = page.run(script("call", app.address("users/caller")))
    checks.that("a page of another origin reads no answer", "failure" in answer, str(answer))
    answer = page.run(script("call", app.address("records/modify"), {"operations": []}))
    checks.that("nor one with a body", "failure" in answer, str(answer))
    page.run(script("open", app.sign_in_address(), "signin") + "; null")
    popup = browser.popup()
    browser.wait(lambda: popup.run("document.getElementById('form') && !document.getElementById('form').hidden"))
    popup.run("window.close = () => {}")
    fill(browser, popup)
    browser.wait(lambda: popup.run("document.getElementById('form').hidden"))
    # Messages keep their order: what had been sent before would be there first.
    popup.run("window.opener.postMessage('last', '*')")
    checks.that("the popup's token does not reach it", page.run("message(1)") == "last",
                str(page.run("messages"))[:200])
    page.close()
    page = browser.page(site.origin + "/")
    framed = page.run(f"""new Promise((done) => {{
      const frame = document.createElement('iframe');
      frame.onload = () => {{ try {{ done(frame.contentDocument !== null ? 'readable' : 'closed'); }}
        catch (error) {{ done('closed'); }} }};
      frame.src = {json.dumps(app.sign_in_address())}; document.body.append(frame); }})""")
    checks.that("the page stands in no frame", framed == "closed", framed)
    page.close()


def unanswered(checks, browser, site, app):
    """While the server is away, and while a proxy answers in its place."""
    page = browser.page(site.origin + "/")
    page.run(script("open", app.sign_in_address(), "signin") + "; null")
    popup = browser.popup()
    for answer, words in (("Promise.reject(new TypeError('net'))", "The server does not answer. Try again."),
                          ("Promise.resolve(new Response('<p>', { status: 502 }))", "The server does not answer as expected. Try again.")):
        browser.wait(lambda: popup.run("document.getElementById('form') && !document.getElementById('form').hidden"))
        popup.run(f"window.fetch = () => {answer}; null")
        fill(browser, popup)
        browser.wait(lambda: popup.run("document.getElementById('message').textContent && !document.getElementById('submit').disabled"))
        said = popup.run("document.getElementById('message').textContent")
        checks.that("the sign-in page says that the server does not answer, and can be tried again", said == words, said)
    page.close()


def by_provider(checks, browser, site, app):
    page = browser.page(site.origin + "/")
    answer = page.run(script("call", app.address("users/caller")))
    page.run(script("open", answer["body"]["redirectURL"], "signin") + "; null")
    popup = browser.popup()
    browser.wait(lambda: popup.run("!document.getElementById('provider').hidden"))
    popup.run("document.getElementById('provider').click()")
    message = page.run("message(1)")
    answer = page.run(script("call", app.address("users/caller", message.get("ckSession"))))
    checks.that("a provider's user signs in through the popup", answer.get("status") == 200, str(message)[:200])
    page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    program = chromium.find()
    if not program:
        print("browser: no Chromium here; scripts/prepare installs Debian's package 'chromium'")
        sys.exit(1)
    provider, checks, mine, evil = Provider(), Checks(), Site(), Site()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, folder, dev=False, extra=[
            "--courier-poll", "1", "--oidc-discovery", provider.discovery,
            "--oidc-client-id", Provider.CLIENT, "--oidc-client-secret", Provider.SECRET]).start()
        provider.redirect = f"{server.values['BRUME_URL']}/_brume/signin/callback"
        server.tool("user", "create", "carol", "--password-file", "-", input="correct horse\n")
        place = ["--container", CONTAINER, "--environment", "development"]
        app = App(server, server.tool("token", "create", "Trailbook", "--origin", mine.origin, *place))
        browser = chromium.Chromium(program)
        try:
            honest(checks, browser, mine, app)
            crooked(checks, browser, evil, app)
            unanswered(checks, browser, mine, app)
            by_provider(checks, browser, mine, app)
            checks.that("the provider has no complaint", not provider.problems, str(provider.problems))
        finally:
            browser.end()
            server.stop()
    for failure in checks.failed:
        print("  " + failure)
    print(f"sign-in in a browser: {checks.count - len(checks.failed)} of {checks.count} checks passed")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
