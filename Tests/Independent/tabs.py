"""Tabs of a browser with brume.js: they sign in, share an offline store, and come back from outages.

A page of another origin loads the client from the server under a strict content security policy. Called
by javascript.py.
"""
import json
import os
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import chromium
from brume_server import Server, expect

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "javascript")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Site:
    """The app's origin: a page, its script, and where browsers report what the policy forbids."""

    def __init__(self, server):
        self.reports, site = [], self
        url, values = server.values["BRUME_URL"], server.values
        settings = {"url": url, "container": values["BRUME_CONTAINER"], "apiToken": values["BRUME_API_TOKEN"]}
        policy = (f"default-src 'none'; script-src 'self' {url}; connect-src {url}; report-uri /reports")
        files = {
            "/": ("text/html", b'<!doctype html><title>app</title><script src="/settings.js"></script>'
                               b'<script type="module" src="/page.mjs"></script>'),
            "/settings.js": ("text/javascript", f"window.settings = {json.dumps(settings)};".encode()),
            "/page.mjs": ("text/javascript", open(os.path.join(HERE, "page.mjs"), "rb").read()),
        }

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                kind, body = files.get(self.path, ("text/plain", b""))
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Security-Policy", policy)
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                site.reports.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send_response(204)
                self.end_headers()

        listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{listener.server_port}"
        threading.Thread(target=listener.serve_forever, daemon=True).start()


class Tab:
    """A tab with a store. `name` is the browser profile's store, so tabs of one name share it."""

    def __init__(self, browser, site, name, token, starts=True):
        self.browser, self.page = browser, browser.page(site.origin + "/")
        browser.wait(lambda: self.page.run("window.app !== undefined"))
        self.page.run(f"app.open({json.dumps(name)}, {json.dumps(token)})")
        if starts:
            self.page.run("app.store.start()")

    def save(self, name, **fields):
        self.page.run(f"app.save({json.dumps(name)}, {json.dumps(fields)})")

    def state(self):
        return self.page.run("app.state()")

    def has(self, notes, pending=0):
        """Waits until the tab shows exactly these notes and so many edits wait."""
        try:
            self.browser.wait(lambda: self.state() == {"notes": notes, "pending": pending})
        except SystemExit:
            raise SystemExit(f"FAILED: {self.state()}, not {notes}; last error: {self.page.run('app.lastError')}")

    def cut(self, is_off):
        self.browser.call("Network.enable", {}, self.page.session)
        self.browser.call("Network.emulateNetworkConditions", {
            "offline": is_off, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}, self.page.session)

    def leaders(self):
        """How many tabs of the store called `laptop` sync by themselves, and how many would."""
        return self.page.run("""navigator.locks.query().then(({held, pending}) => {
          const count = (locks) => locks.filter(({name}) => name === 'brume laptop leader').length;
          return { held: count(held), pending: count(pending) }; })""")

    def stop_at(self, moment):
        self.page.run(f"app.stopAt({json.dumps(moment)})")

    def die(self):
        """The renderer's process ends at once: no event of the page's end, no last line of code."""
        self.browser.crash(self.page)

    def reports(self):
        return self.page.run("window.reports")


def signs_in(browser, site):
    tab = Tab(browser, site, "nobody", None, starts=False)
    tab.page.run("window.signing = app.container.signIn(); null")
    popup = browser.popup()
    browser.wait(lambda: popup.run("document.getElementById('form') && !document.getElementById('form').hidden"))
    popup.run("document.getElementById('name').value = 'alice'; document.getElementById('submit').click()")
    user = tab.page.run("window.signing")
    again = tab.page.run("app.container.currentUser()")
    expect(user["userRecordName"] == again["userRecordName"], "a popup signs the user in, and calls speak for him")
    tab.page.close()


def converge(browser, site, server, token):
    """Two tabs with one store, and another device; an outage of the network and one of the server."""
    first, second = (Tab(browser, site, "laptop", token) for _ in range(2))
    other = Tab(browser, site, "phone", token)
    notes = {"shared": {"title": "one", "text": "one"}}
    first.save("shared", **notes["shared"])
    for tab in (second, other):
        tab.has(notes)
    expect(True, "an edit reaches the other tab, and by a push the other device")
    browser.wait(lambda: second.page.run("app.changes") > 0)
    expect(first.leaders() == {"held": 1, "pending": 1}, "one of two tabs syncs, it notifies the other, which waits")

    other.cut(True)
    other.save("shared", title="edited on the phone")
    other.save("phone", title="made offline")
    server.kill()
    first.save("shared", text="edited on the laptop")
    second.save("laptop", title="made in the outage")
    expect(other.state()["pending"] == 2 and second.state()["pending"] == 2, "edits wait while there is no server")
    server.start()
    other.cut(False)
    notes = {"shared": {"title": "edited on the phone", "text": "edited on the laptop"},
             "phone": {"title": "made offline"}, "laptop": {"title": "made in the outage"}}
    for tab in (first, second, other):
        tab.has(notes)
    expect(True, "all converge after the server was killed and the network was cut")

    first.die()
    second.save("alone", title="the other tab is gone")
    notes["alone"] = {"title": "the other tab is gone"}
    for tab in (second, other):
        tab.has(notes)
    other.save("back", title="and pushes still come")
    notes["back"] = {"title": "and pushes still come"}
    second.has(notes)
    expect(True, "when the tab that syncs is killed, another takes over")
    expect(second.reports() == other.reports() == [] and not site.reports, "the content security policy has no complaint")
    for tab in (second, other):
        tab.page.close()
    return notes


def dies_in_between(browser, site, server, token, notes):
    """A tab is killed when its edit is written down and the server's answer has not come."""
    client = server.client("alice", "witness")

    def on_server(name):
        reply = client.call("records/lookup", {"zoneID": {"zoneName": "Notes"}, "records": [{"recordName": name}]})
        return reply["records"][0].get("recordChangeTag")

    for moment in ("before", "after"):
        tab = Tab(browser, site, "tablet", token)
        tab.has(notes)
        tab.stop_at(moment)
        tab.save(moment, title=moment)
        browser.wait(lambda: tab.page.run("window.hasStopped === true"))
        tag = on_server(moment)
        expect((tag is None) == (moment == "before"), f"the tab is killed {moment} the server has the edit")
        tab.die()
        notes[moment] = {"title": moment}
        tab = Tab(browser, site, "tablet", token)
        tab.has(notes)
        expect(on_server(moment) is not None, "the edit is not lost")
        expect(tag is None or on_server(moment) == tag, "and not saved twice")
        expect(tab.reports() == [], "no complaint of the policy")
        tab.page.close()


def notices_violations(browser, site):
    """The control: a page that breaks the policy is reported, so that no report means no violation."""
    tab = Tab(browser, site, "nobody", None, starts=False)
    tab.page.run("new Promise((done) => { const image = new Image(); image.onerror = done; image.src = '/x.png'; })")
    browser.wait(lambda: tab.reports() and site.reports)
    expect(True, "a violation of the policy is noticed")
    tab.page.close()


def play(binary, folder):
    program = chromium.find()
    if not program:
        raise SystemExit("tabs: no Chromium here; scripts/prepare installs Debian's package 'chromium'")
    server = Server(binary, folder, "sqlite", ["--port", str(free_port())]).start()
    site, browser = Site(server), chromium.Chromium(program)
    token = server.values["BRUME_USER_TOKEN_ALICE"]
    try:
        signs_in(browser, site)
        notes = converge(browser, site, server, token)
        dies_in_between(browser, site, server, token, notes)
        notices_violations(browser, site)
    finally:
        browser.end()
        server.stop()
