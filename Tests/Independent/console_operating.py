"""What the console does for who runs a server (docs/operating/console.md), by keyboard alone: storage over time, one user's
data as a file, old deletions, the check of files, and the first record of a type that the schema does not have yet.

usage: console_operating.py --brume PATH [--pictures FOLDER]
"""
import json
import os
import time
import urllib.error
import urllib.parse
import urllib.request

from assets import Assets
from brume_server import Server, expect
from console_page import CONTROL, ConsolePage, arguments, browsing, is_there


def until(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED: {what}")
        time.sleep(0.05)


class Tour:
    def __init__(self, server, browser, folder, pictures):
        self.server, self.browser, self.folder, self.pictures = server, browser, folder, pictures
        self.place = f"#/{server.values['BRUME_CONTAINER']}/development"
        self.phone = server.client("alice", "phone")
        self.console = ConsolePage(browser, f"{server.values['BRUME_URL']}/_brume/console/")

    def open(self, page, query=""):
        self.console.open(f"{self.place}/{page}{query}")

    def done(self, name, what):
        lacks = self.console.lacks()
        expect(not lacks, f"{name}: {what}" if not lacks else f"{name} lacks {lacks}")
        self.console.shoot(self.pictures, name)

    def admin(self, path, token=None):
        token = token or json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"]
        request = urllib.request.Request(f"{self.server.values['BRUME_URL']}/_brume/admin/{path}",
                                         headers={"Authorization": f"Bearer {token}"})
        return urllib.request.urlopen(request, timeout=60).read()

    def save(self, name, **fields):
        # On a slow machine there is more time between two saves than a connection is kept.
        self.phone.connection = None
        answer = self.phone.call("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordType": "Note", "recordName": name, "fields": {key: {"value": value} for key, value in fields.items()}}}]})
        if "serverErrorCode" in answer["records"][0]:
            raise SystemExit(f"FAILED: {answer}")

    def sign_in(self):
        console = self.console
        console.focused("Or an admin token")
        console.type(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.see("heading", "Start")
        console.signs_in()

    # The walks

    def first_of_a_type(self):
        """A server on which nothing was saved yet: the type, its fields and their types are named in the editor."""
        console = self.console
        self.open("records")
        console.see_text("The query was not run")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Record name")
        console.type("mary")
        console.page.run("document.querySelector('#field-type').focus()")
        console.replace("Boat")
        console.see_text("A new type: its first record makes it")
        console.push("Add a field")
        console.focused("Field 1")
        console.type("sails")
        console.press("Tab")
        console.type_ahead("int64")
        console.tab_to("Value of field 1")
        console.type("three")
        console.see_text("'three' is no whole number")
        console.replace("3")
        console.push("Add a field")
        console.focused("Field 2")
        console.type("sails")
        console.tab_to("Value of field 2")
        console.type("red")
        console.see_text("There is a field 'sails' already")
        console.page.run("document.querySelector('#field-field-2').focus()")
        console.replace("colours")
        console.press("Tab")
        console.type_ahead("list of string")
        console.tab_to("Value of field 2")
        console.replace("red")
        self.done("records-new-type", "the first record of a type names its fields and their types")
        console.press("s", CONTROL)
        console.see("table", "Boat in _defaultZone")
        fields = self.phone.call("records/lookup", {"records": [{"recordName": "mary"}]}, "public")["records"][0]["fields"]
        expect(fields["sails"]["value"] == 3 and fields["colours"] == {"value": ["red"], "type": "STRING_LIST"},
               f"the record has what was typed {fields}")
        schema = self.server.tool("schema", "show")
        expect("RECORD TYPE Boat" in schema and "LIST<STRING>" in schema, "and the schema has taken the type up")

    def growth(self):
        """Time is moved by hand: a look every quarter of an hour, a point for each hour."""
        console = self.console
        for size in (2000, 9000):
            self.save("large", text="x" * size)
            self.server.tool("clock", "advance", "1h")
            until(lambda: self.stored() > size, f"the server does not count {size} bytes")
        self.open("usage")
        console.see("image", "alice stores 9.")
        expect(console.page.run("document.querySelectorAll('.charts.few polyline').length") == 1, "a line, with a point an hour")
        console.page.run("document.querySelector('.charts.few summary').focus()")
        console.press("Enter")
        console.see("table", "Storage of users over time")
        self.done("usage-storage", "what users store, over time")
        listed = [json.loads(line) for line in self.server.tool("usage", "storage", "--over", "day", "--json").splitlines()]
        expect([line["bytes"] for line in listed if line["user"] == "alice"][-1] > 9000, "the command has the same numbers")

    def stored(self):
        """The newest count of what alice stores."""
        users = json.loads(self.admin("usage/storage/history"))["users"]
        samples = next((user["samples"] for user in users if user["user"] == "alice"), [])
        return samples[-1]["bytes"] if samples else 0

    def export(self):
        """One user's data, from the page of that user."""
        console = self.console
        console.do("Page.setDownloadBehavior", behavior="allow", downloadPath=self.folder)
        self.open("users/alice")
        console.push("Export")
        path = os.path.join(self.folder, "alice.jsonl")
        until(lambda: os.path.exists(path) and open(path).read().endswith("}\n"), "the browser does not fetch the file")
        said = self.server.tool("import", path, "--user", "bob")
        bobs = self.server.client("bob", "mac").call("records/lookup", {"records": [{"recordName": "large"}]})
        expect(len(bobs["records"][0]["fields"]["text"]["value"]) == 9000, f"what the browser fetched, brume import takes {said}")
        audit = self.server.tool("audit", "list", "--json")
        expect('"users/export"' in audit and '"alice"' in audit, "the audit log has a line")
        looker = self.server.tool("operator", "token", "create", "looker", "--read-only").splitlines()[0].strip()
        try:
            self.admin("users/export?user=alice", looker)
            raise SystemExit("FAILED: who may only read takes a user's data along")
        except urllib.error.HTTPError as error:
            expect(error.code == 403, "who may only read is refused")
        self.done("users-export", "one user's data is fetched from the user's page")

    def deletions(self):
        console = self.console
        self.save("gone")
        self.phone.call("records/modify", {"operations": [{"operationType": "forceDelete", "record": {"recordName": "gone"}}]})
        self.open("zones/alice", "?tab=deletions")
        console.tab_to("Older than, in days")
        console.replace("0")
        console.press("Enter")
        console.see_text("1 deletion of 1 zone would be forgotten")
        self.done("zones-deletions", "what would be forgotten is counted before")
        console.push("Forget…")
        console.focused("Type ")
        word = console.page.run("document.querySelector('label[for=confirmation] b').innerText")
        console.type(word + "s")
        console.press("Enter")
        console.see_text("are forgotten for good")
        console.replace(word)
        console.press("Enter")
        console.see_text("They are forgotten")
        console.push("Count them")
        console.see_text("0 deletions of 0 zones would be forgotten")
        expect(True, "after the typed word they are forgotten")

    def files(self):
        """A file that lost its name on the disk is missing, and what lies there instead belongs to nothing."""
        console = self.console
        assets = Assets(self.server)
        assets.save(assets.upload(b"a picture" * 100)[1])
        self.open("backup")
        console.push("Check the files")
        console.see_text("No file is missing")
        console.see_text("Nothing is orphaned")
        [found] = [os.path.join(at, name) for at, _, names in os.walk(os.path.join(self.server.folder, "assets")) for name in names]
        os.rename(found, found[:-1] + ("0" if found[-1] != "0" else "1"))
        console.push("Check the files")
        console.see_text("1 file without bytes")
        console.see_text("1 object of no file")
        console.page.run("[...document.querySelectorAll('summary')].find((one) => one.innerText.includes('without')).click()")
        self.done("backup-files", "a file that is missing and one that is orphaned are named")
        doctor = console.page.run("document.querySelector('[aria-label=\"the command that reads all files\"]').textContent")
        expect(doctor.startswith("brume doctor --deep --data "), "with the command that reads all of them")


def main():
    options = arguments().parse_args()
    if not is_there():
        return

    def start(folder):
        return Server(options.brume, os.path.join(folder, "data"), extra=["--clock", "manual"]).start()

    with browsing(options, start) as (server, browser, folder):
        tour = Tour(server, browser, folder, options.pictures)
        for walk in (tour.sign_in, tour.first_of_a_type, tour.growth, tour.export, tour.deletions, tour.files):
            walk()
        tour.console.complains_of_nothing()


if __name__ == "__main__":
    main()
