"""The console's page "Faults and time" (docs/operating/console.md), by keyboard alone, on a server whose time is moved by
hand; what a push that merges does on such a server; and its page Backup: the file that the browser fetches, and its way back.
"""
import argparse
import json
import os
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

import chromium
from brume_server import Listener, Server, expect
from console_page import STATUS, ConsolePage


class Tour:
    def __init__(self, server, browser, pictures):
        self.server, self.browser, self.pictures = server, browser, pictures
        self.place = f"#/{server.values['BRUME_CONTAINER']}/development"
        self.console = ConsolePage(browser, f"{server.values['BRUME_URL']}/_brume/console/")

    def open(self, page, query=""):
        self.console.open(f"{self.place}/{page}{query}")

    def key(self, name):
        """A single key acts where no field has the focus."""
        self.console.page.run("document.activeElement.blur()")
        self.console.press(name)

    def done(self, name, what):
        lacks = self.console.lacks()
        expect(not lacks, f"{name}: {what}" if not lacks else f"{name} lacks {lacks}")
        self.console.shoot(self.pictures, name)

    def clock(self):
        return json.loads(self.server.tool("clock", "show", "--json"))["now"]

    def sign_in(self, title="Start"):
        console = self.console
        console.focused("Or an admin token")
        console.type(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.see("heading", title)
        if title == "Start":
            console.see_text("This server")  # The page is there, with its address.
        console.signs_in()

    def chain(self):
        console = self.console
        self.open("faults")
        console.see_text("Nothing will go wrong")
        self.key("n")
        console.see("complementary", "New fault")
        console.push("Then…")
        console.tab_to("Zone")
        console.type("Lakes")
        console.see_text("On saving records: it fails with zoneBusy; then on saving records in Lakes: it fails with zoneBusy.")
        console.press("Enter")
        console.see("cell", "On saving records in Lakes: it fails with zoneBusy")
        console.see("cell", "after no. 1")
        self.done("faults-chain", "a chain of faults is made as one sentence")
        self.open("records")
        console.see_text("2 faults on")
        self.open("faults")
        self.server.tool("faults", "add", "switchAccount", "--to", "bob", "--user", "alice")
        console.see_text("On alice's any call: another account takes the device: bob")
        console.push("Clear all")
        console.see_text("Nothing will go wrong")
        expect(True, "every page says that something will go wrong, until it is taken away")

    def time(self):
        console = self.console
        console.see_text("until somebody moves it")
        before = self.clock()
        console.push("+1 s")
        console.push("+1 min")
        self.browser.wait(lambda: self.clock() == before + 61_000)
        expect(True, "time is moved by a second and by a minute")
        self.done("time", "what waits is named")


    def log(self):
        """Back to a moment of the log, read-only."""
        console = self.console
        self.open("faults")
        console.see("table", "Log")
        console.page.run("[...document.querySelectorAll('table')].find((one) => one.caption.innerText === 'Log')"
                         ".querySelector('tbody tr[tabindex]').focus()")
        console.press("ArrowDown")
        console.press("Enter")
        console.see("complementary", "As of")
        console.see_text("Zone Notes right after created")
        console.see("table", "Records then")
        expect(console.has("cell", "not there"), "what was saved later was not there then")
        self.done("log-then", "a zone as it was after an earlier change")
        console.page.run("document.querySelector('.inspector').focus()")

    def download(self, brume, folder):
        """The page Backup has a file made, and the browser fetches it."""
        console = self.console
        console.do("Page.setDownloadBehavior", behavior="allow", downloadPath=folder)
        self.open("backup")
        console.push("Back up")
        console.see_text("Fetched at")
        name = console.page.run("document.getElementById('backup-file').value")
        path = os.path.join(folder, name)
        # A file that is not whole yet has another name.
        self.browser.wait(lambda: os.path.exists(path))
        verified = subprocess.run([brume, "backup", "--verify", path], capture_output=True, text=True)
        expect(verified.returncode == 0, f"what the browser has downloaded, brume backup --verify takes {verified.stderr}")
        self.done("backup-download", "and the page says when it was fetched")
        return path

    def restore(self, backup):
        """The page Backup sends a file, shows what is in it, and applies it at a typed word."""
        console = self.console
        self.open("backup")
        console.see_text("nothing changes until you apply it")
        console.do("DOM.enable")
        root = console.do("DOM.getDocument")["root"]["nodeId"]
        field = console.do("DOM.querySelector", nodeId=root, selector="#restore-file")["nodeId"]
        console.do("DOM.setFileInputFiles", nodeId=field, files=[backup])
        self.browser.wait(lambda: console.page.run("!document.querySelector('form.line button').disabled"))
        console.push("Send to the server")
        console.see_text("It is whole, and waits for your word")
        self.done("backup-restore", "the page shows what is in a backup before it is applied")
        name = console.page.run(
            "[...document.querySelectorAll('dl.facts div')].find((fact) => fact.innerText.startsWith('ID')).querySelector('code').innerText")
        # The browser reports each call that nobody answers while the server starts anew, and what the old token asks of it.
        self.browser.expects("net::ERR_", "/_brume/")
        self.browser.expects(STATUS % 401, "/_brume/")
        console.push("Apply…")
        console.focused("Type ")
        console.type("not the word")
        console.press("Enter")
        console.see_text("is not in it")
        console.replace(name[:8])
        console.press("Enter")
        console.see_text("Operate this server")
        expect(True, "the server starts anew; its new token has to be typed")
        self.sign_in("Backup")
        console.see_text("This server started on the backup of")
        expect(not os.path.exists(os.path.join(self.server.folder, "restore")), "and nothing is left of the upload")


MERGING = "a push that may be merged with the next"


class Merging:
    """A device at the stream and one at the courier. Nothing but the clock makes what waits leave, and nothing but
    somebody moves the clock. Only pushes of zones and databases merge: with a query there is nothing to wait for."""

    def __init__(self, server):
        self.server, self.mac = server, server.client("alice", "mac")
        self.phone, self.count = Listener(server.client("alice", "phone")), 0
        made = server.client("alice", "tab").call("tokens/create", {"apnsEnvironment": "development"}, "public")
        self.courier, self.answers = made["webcourierURL"], []
        self.mac.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "silent", "subscriptionType": "zone", "zoneID": {"zoneName": "Notes"},
            "notificationInfo": {"shouldSendContentAvailable": True}}}]})
        self.phone.listen()

    def save(self):
        self.count += 1
        answer = self.mac.call("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
            {"operationType": "create", "record": {"recordType": "Note", "recordName": f"note-{self.count}", "fields": {}}}]})
        if "serverErrorCode" in answer["records"][0]:
            raise SystemExit(f"FAILED: {answer}")

    def poll(self):
        self.answers.append(json.loads(urllib.request.urlopen(self.courier, timeout=60).read()))

    def polling(self):
        thread = threading.Thread(target=self.poll, daemon=True)
        thread.start()
        return thread

    def until(self, condition, what):
        """Ends with what was waited for, so that a test that waits for what cannot come says so."""
        deadline = time.monotonic() + 120
        while not condition():
            if time.monotonic() > deadline:
                raise SystemExit(f"FAILED: {what}; the clock: {self.clock()}")
            time.sleep(0.02)

    def clock(self):
        return json.loads(self.server.tool("clock", "show", "--json"))

    def waits(self):
        """For how many milliseconds what merges waits; None: nothing does."""
        clock = self.clock()
        return next((timer["time"] - clock["now"] for timer in clock["timers"] if timer["name"] == MERGING), None)

    def count_is(self, count):
        return len(self.phone.events) == count

    def walk(self):
        self.save()
        self.until(lambda: self.count_is(1), "the first push does not come")
        self.poll()
        for _ in range(3):
            self.save()
        self.until(lambda: self.waits() is not None, "nothing waits to be merged")
        expect(self.waits() == 1000 and self.count_is(1), "a push that follows at once waits for the clock: one second")
        waiting = self.polling()
        self.server.tool("clock", "advance", "999ms")
        expect(self.waits() == 1 and self.count_is(1) and waiting.is_alive(), "a millisecond before, it still waits")
        while self.waits() is not None:
            self.server.tool("clock", "next")
        self.until(lambda: self.count_is(2), "the clock came to the time, and the push did not come")
        waiting.join(timeout=60)
        expect(len(self.answers) == 2 and all(self.answers), "when its time has come, the stream and a poll bring it")
        self.save()
        self.until(lambda: self.waits() is not None, "nothing waits again")
        self.server.tool("clock", "advance", "1h")
        self.until(lambda: self.count_is(3), "a clock that is moved too far brings nothing")
        expect(self.waits() is None, "three changes were one push; a clock that is moved an hour ahead brings the next")


class Events:
    """The event stream of an operator's program, as pages follow it."""

    def __init__(self, server, name):
        self.server = server
        self.token = server.tool("operator", "token", "create", name)
        self.answer = urllib.request.urlopen(urllib.request.Request(
            f"{server.values['BRUME_URL']}/_brume/admin/events", headers={"Authorization": f"Bearer {self.token}"}), timeout=120)

    def next(self):
        """The words of the next event; None at the end."""
        for line in self.answer:
            if line.startswith(b"data: "):
                return set(line.decode().split()[1:])
        return None


def events(server):
    stream, other = Events(server, "watcher"), Events(server, "second")
    expect(stream.answer.headers["Content-Type"] == "text/event-stream", "operators have an event stream")
    expect(stream.answer.headers["X-Accel-Buffering"] == "no", "which proxies do not hold back")
    expect(stream.next() == {"server"}, "it names what an operator changes")
    server.tool("status")
    server.client("alice", "mac").call("zones/modify", {"operations": [
        {"operationType": "create", "zone": {"zoneID": {"zoneName": "Sent"}}}]})
    found = set()
    while not {"data", "requests"} <= found:
        found |= stream.next()
    expect("server" not in found, "and what an app changes, but not what an operator only reads")
    server.tool("operator", "token", "revoke", "watcher")
    while (last := stream.next()) is not None:
        pass
    expect(True, "the stream of a token that is revoked ends at once")
    expect(other.next() is not None, "and others' do not")
    try:
        urllib.request.urlopen(f"{server.values['BRUME_URL']}/_brume/admin/events", timeout=120)
        raise SystemExit("FAILED: anybody gets the event stream")
    except urllib.error.HTTPError as error:
        expect(error.code == 401, "nobody else gets one")


def whole_file(server, folder, binary):
    """What the browser gets is a backup like any other."""
    token = json.load(open(os.path.join(server.folder, "server.json")))["adminToken"]

    def ask(path, body=None):
        request = urllib.request.Request(f"{server.values['BRUME_URL']}/_brume/admin/backups{path}", body,
                                         {"Authorization": f"Bearer {token}"})
        return urllib.request.urlopen(request, timeout=60).read()

    name = json.loads(ask("", b"{}"))["id"]
    while json.loads(ask(f"?id={name}"))["state"] == "making":
        time.sleep(0.05)
    path = os.path.join(folder, "fetched.brume")
    with open(path, "wb") as file:
        file.write(ask(f"/file?id={name}"))
    verified = subprocess.run([binary, "backup", "--verify", path], capture_output=True, text=True)
    expect(verified.returncode == 0, f"brume backup --verify takes what the server gave {verified.stderr}")
    restored = subprocess.run([binary, "restore", path, "--data", os.path.join(folder, "restored")], capture_output=True, text=True)
    expect(restored.returncode == 0, f"and brume restore brings it back {restored.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--pictures", help="a folder for screenshots")
    options = parser.parse_args()
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(options.brume, os.path.join(folder, "data"), extra=["--clock", "manual"]).start()
        try:
            server.tool("zones", "create", "Notes", "--user", "alice")
            events(server)
            whole_file(server, folder, options.brume)
            Merging(server).walk()
            program = chromium.find()
            if program is None:
                print("  skipped: no Chromium on this machine")
                return
            browser = chromium.Chromium(program)
            try:
                tour = Tour(server, browser, options.pictures)
                for walk in (tour.sign_in, tour.chain, tour.time, tour.log):
                    walk()
                tour.restore(tour.download(options.brume, folder))
                tour.console.complains_of_nothing()
            finally:
                browser.end()
        finally:
            server.stop()


if __name__ == "__main__":
    main()
