"""The console (docs/operating/console.md), page by page: by keyboard alone, seen through the accessibility tree.

Also the contrast of its colours, and that the browser has nothing to complain about: no violated policy, no
error. With --pictures it leaves a screenshot of each page, light and dark.
"""
import json
import os
import urllib.parse
import urllib.request

import console_contrast
import console_fill
import console_rows
import console_states
from brume_server import Refused, Server, expect
from console_page import CONTROL, STATUS, ConsolePage, arguments, browsing, is_there

ROWS, PAGE = 10_000, 50
# More users than a list offers.
MANY = 210
# Of any page: more would not stay smooth.
MOST_ELEMENTS = 3000


class Tour:
    """One walk through all pages, in an order in which each has something to show."""

    def __init__(self, server, browser, pictures, rows):
        self.server, self.browser, self.pictures, self.rows = server, browser, pictures, rows
        self.place = f"#/{server.values['BRUME_CONTAINER']}/development"
        self.console = ConsolePage(browser, f"{server.values['BRUME_URL']}/_brume/console/")

    def open(self, page, query=""):
        self.console.open(f"{self.place}/{page}{query}")

    def operate(self, path, body):
        """A call of the operator that no command is worth."""
        token = json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"]
        urllib.request.urlopen(urllib.request.Request(
            f"{self.server.values['BRUME_URL']}/_brume/admin/{path}", json.dumps(body).encode(), {"Authorization": f"Bearer {token}"})).read()

    def done(self, name, what):
        """The page has what every page must have; its picture is taken."""
        lacks = self.console.lacks()
        expect(not lacks, f"{name}: {what}" if not lacks else f"{name} lacks {lacks}")
        count = self.console.page.run("document.querySelectorAll('*').length")
        if count >= MOST_ELEMENTS:
            raise SystemExit(f"FAILED: {name} has {count} elements: it shows more than a page")
        self.console.shoot(self.pictures, name)

    # Signing in

    def sign_in(self):
        console = self.console
        console.see("heading", "Operate this server")
        console.focused("Or an admin token")
        console.shoot(self.pictures, "sign-in")
        console.type("not the token")
        console.press("Enter")
        console.see_text("This is no admin token")
        console.signs_in()
        console.replace(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.see("heading", "Start")
        expect(True, "somebody signs in with the admin token, and only with it")

    def start(self):
        console = self.console
        console.see_text("Healthy")
        console.see_text("BRUME_API_TOKEN")
        console.see("heading", "Containers")
        token = self.server.values["BRUME_API_TOKEN"]
        expect(token not in console.text(), "no secret is shown before it is asked for")
        console.push("Show values")
        console.see_text(token)
        console.push("Hide values")
        self.done("start", "health, how to connect, what comes next")

    # Data

    def records(self):
        console = self.console
        self.open("records/public/-/_defaultZone/Whistles")
        console.see("table", "Whistles in _defaultZone")
        rows = "document.querySelectorAll('tbody tr').length"
        expect(console.page.run(rows) == PAGE, f"of {self.rows} records a page shows {PAGE}")
        console.press("/")
        console.type_ahead("genre")
        console.press("Tab")
        console.type_ahead("is one of")
        console.press("Tab")
        console.type("Jazz, Blues")
        console.press("Enter")
        console.see_text('genre IN {"Jazz", "Blues"}')
        self.browser.wait(lambda: "Folk" not in console.page.run("document.querySelector('tbody')?.innerText ?? 'Folk'"))
        first = console.page.run("document.querySelector('tbody tr code').title")
        console.push("Older")
        self.browser.wait(lambda: console.page.run("document.querySelector('tbody tr code')?.title") not in (None, first))
        console.push("Newer")
        self.browser.wait(lambda: console.page.run("document.querySelector('tbody tr code')?.title") == first)
        self.edit(first)
        self.done("records", "a condition, the next page and back, an edit with its difference, all by keys")
        self.delete_and_restore(first)

    def all_rows(self):
        console_rows.walk(self.console, f"{self.place}/records/public/-/_defaultZone/Whistles", PAGE, MOST_ELEMENTS, self.rows)

    def edit(self, name):
        console = self.console
        console.escape()
        console.page.run("document.activeElement.blur()")
        console.press("l")
        console.press("ArrowDown")
        console.press("ArrowUp")
        console.press("Enter")
        console.see("complementary", name[:8])
        console.press("Escape")
        console.until("document.querySelector('.inspector') === null", "Esc closes what Enter has opened, from its row")
        console.press("Enter")
        console.see("complementary", name[:8])
        console.press("e")
        console.replace("Walking bass, third take")
        console.see_text("edited")
        console.press("Escape")
        console.until("document.querySelector('.inspector') === null", "Esc closes the record")
        expect(console.page.run("document.activeElement.matches('tbody tr')"), "and its row has the focus")
        console.press("l")
        console.press("Enter")
        console.see("complementary", name[:8])
        console.see_text("edited")
        console.see_text("was")
        console.shoot(self.pictures, "records-edit")
        console.press("s", CONTROL)
        console.see_text("is saved")
        saved = self.server.client("alice", "checker").call("records/lookup", {"records": [{"recordName": name}]}, "public")
        expect(saved["records"][0]["fields"]["comments"]["value"] == "Walking bass, third take", "Ctrl S has saved it")

    def delete_and_restore(self, name):
        console = self.console
        word = console.page.run("document.querySelector('.inspector h2').title")
        console.push("Delete the record")
        console.focused("Type ")
        asked = console.page.run("document.querySelector('dialog b').innerText")
        console.type("something else")
        console.press("Enter")
        expect(console.has("dialog", "Delete a record"), "nothing is deleted before its name is typed")
        console.replace(asked)
        console.press("Enter")
        console.see_text("was deleted")
        console.push("Restore")
        console.see_text("is back")
        found = self.server.client("alice", "checker").call("records/lookup", {"records": [{"recordName": name}]}, "public")
        expect("fields" in found["records"][0], f"a record that was deleted comes back as it was ({word})")

    def create_and_ask(self):
        """A record is made by keys; and who would be allowed to read and write it?"""
        console = self.console
        self.open("records/public/-/_defaultZone/Whistles")
        console.see("table", "Whistles in _defaultZone")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Record name")
        console.type("made-by-keys")
        console.press("Tab")
        console.type("By keys")
        console.press("s", CONTROL)
        console.see_text("is saved")
        found = self.server.client("alice", "checker").call("records/lookup", {"records": [{"recordName": "made-by-keys"}]}, "public")
        expect(found["records"][0]["fields"]["comments"]["value"] == "By keys", "a record is made by keys")
        self.open("records/public/-/_defaultZone/Whistles", "?sel=made-by-keys&tab=allowed")
        console.see_text("be allowed to")
        console.choose("Would", "bob")
        answers = "[...document.querySelectorAll('.allowed .answer')].map((one) => one.querySelector('.badge').className)"
        self.browser.wait(lambda: [name.split()[-1] for name in console.page.run(answers)] == ["ok", "bad"])
        self.done("records-allowed", "bob may read it and not write it, and the grant that decides is named")

    def record_of_a_link(self):
        """A record that is on a later page, its picture, and what it refers to."""
        console = self.console
        self.open("records/public/-/_defaultZone/Whistles", f"?sel={console_fill.LINKED}")
        console.see("complementary", console_fill.LINKED)
        console.see("image", "Picture of")
        self.browser.wait(lambda: console.page.run("document.querySelector('.asset img')?.naturalWidth") == console_fill.WIDTH)
        console.see_text("Walking bass, second take")
        self.done("record", "a link finds its record wherever it is; its picture and its text are shown")
        console.push("platform-9")
        console.see("complementary", "platform-9")
        expect("/Station" in console.page.run("location.hash"), "a reference is a link, also to a record of another type")

    def missing_index(self):
        console = self.console
        query = json.dumps([["comments", "EQUALS", "x"]])
        self.server.tool("schema", "index", "remove", "Whistles", "comments", "queryable")
        try:
            self.server.client("bob", "checker").call("records/query", {"query": {"recordType": "Whistles", "filterBy": [
                {"fieldName": "comments", "comparator": "EQUALS", "fieldValue": {"value": "x"}}]}}, "public")
            expect(False, "an app's query without its index is refused")
        except Refused:
            pass
        self.open("schema/Whistles")
        console.see_text("was refused")
        console.see_text("1 query refused")
        self.console.shoot(self.pictures, "schema-missing")
        self.open("records/public/-/_defaultZone/Whistles", "?q=" + urllib.parse.quote(query))
        console.see_text("Whistles.comments is not queryable")
        console.push("Add index")
        console.see_text("No match")
        expect(True, "a missing index is named, and added from there")

    def zones(self):
        console = self.console
        self.open("zones/alice")
        console.see("table", "Zones of alice")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Name")
        console.type("Drafts")
        console.press("Enter")
        console.see("cell", "Drafts")
        self.open("zones/alice/Contacts")
        console.see("complementary", "Contacts")
        console.see("cell", "one share, one person")
        expect("bob" not in console.page.run("document.querySelector('.tree').innerText"), "bob takes no part yet")
        console.push("Accept")
        self.browser.wait(lambda: "bob" in console.page.run("document.querySelector('.tree').innerText"))
        self.done("zones", "a user's zones with their sizes, a new one, a share's tree, and accepted as bob: by keys")
        token = self.server.client("alice", "checker").call(
            "changes/zone", {"zones": [{"zoneID": {"zoneName": "Contacts"}}]})["zones"][0]["syncToken"]
        self.open("zones/alice", "?tab=token")
        console.tab_to("Token")
        console.type(token)
        console.push("Read it")
        console.see_text("valid, nothing newer")
        console.see_text("Contacts")
        self.done("zones-token", "a change token says whose it is and how fresh")

    def schema(self):
        console = self.console
        self.open("schema/Whistles")
        console.see("table", "Fields of Whistles")
        console.push("rating sortable")
        console.see_text("Whistles.rating is no longer sortable")
        self.done("schema", "the fields of a type, an index switched off by a key")
        console.page.run("document.activeElement.blur()")
        console.press("d")
        console.see_text("production, then development")
        console.shoot(self.pictures, "schema-difference")
        console.press("d")
        console.push("Edit the text")
        console.focused("Schema")
        console.type("nonsense ")
        console.see("alert", "")
        expect(True, "a mistake in the text is named with its line")
        console.push("Discard")
        console.push("Promote to production")
        console.focused("Type ")
        console.type(self.server.values["BRUME_CONTAINER"].split(".")[-1] + " production")
        console.press("Enter")
        console.see_text("Production is what development is")
        expect("Whistles" in self.server.tool("schema", "show", "--environment", "production"),
               "a promotion that was typed out is made")
        self.reset()

    def reset(self):
        console = self.console
        self.server.client("alice", "checker").call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": "scratch", "recordType": "Scratch", "fields": {"n": {"value": 1}}}}]}, "public")
        console.push("Reset…")
        console.focused("Type ")
        console.see_text("Scratch")
        console.type(self.server.values["BRUME_CONTAINER"].split(".")[-1] + " development")
        console.press("Enter")
        console.see_text("Development's schema is production's now")
        expect("Scratch" not in self.server.tool("schema", "show"), "development goes back to production, after it was said what goes")

    def roles(self):
        console = self.console
        self.open("schema", "?tab=roles")
        console.see("table", "Rights of each role")
        console.choose("Can", "bob")
        console.choose("do", "write")
        console.choose("with", "Whistles")
        self.browser.wait(lambda: "no" == console.page.run("document.querySelector('.verdict .badge')?.innerText.trim()"))
        console.see_text("asked about a record that somebody else made")
        console.choose("do", "read")
        self.browser.wait(lambda: "yes" == console.page.run("document.querySelector('.verdict .badge')?.innerText.trim()"))
        self.done("roles", "rights as a matrix, and 'can bob do this?' answered by the server's rules")

    # Devices and pushes

    def devices(self):
        console = self.console
        self.open("devices", "?scene=alice:iPhone,alice:iPad")
        console.see_text("2 simulated, 2 online")
        for _ in range(2):
            console.push("Subscribe")
        console.see_text("watches new-Whistles")
        self.browser.wait(lambda: console.text().count("watches new-Whistles") >= 4)
        console.page.run("document.querySelector('.write input').focus()")
        console.type("Rain on the roof")
        console.press("Enter")
        console.see_text("has changed")
        console.see_text("fetched")
        expect(console.page.run("document.querySelectorAll('.tile')[0].querySelectorAll('.alert').length") == 0,
               "a phone is not notified of its own change, the other one is")
        expect(console.page.run("performance.getEntriesByType('resource').some("
                                "(file) => file.name.endsWith('/_brume/client/brume.js'))"),
               "the phones run on the client that every page may take from the server")
        self.done("devices", "two phones on real streams")
        self.away()
        self.hand_over()

    def tile(self, number, script):
        return self.console.page.run(f"(() => {{ const tile = document.querySelectorAll('.tile')[{number}]; return {script}; }})()")

    def on_phone(self, number, what):
        self.tile(number, "tile.querySelector('select').focus()")
        self.console.push(what)

    def waiting(self):
        """How many pushes wait for each simulated phone, as the server has it."""
        lines = map(json.loads, self.server.tool("devices", "list", "--user", "alice", "--json").splitlines())
        return {line["device"].removeprefix("console-alice-"): line["waiting"] for line in lines if "console" in line["device"]}

    def away(self):
        """A phone that is offline: what waits for it, and that it has all of it when it comes back."""
        console = self.console
        self.on_phone(1, "Go offline")
        self.browser.wait(lambda: "Offline" in self.tile(1, "tile.innerText"))
        console.see_text("2 simulated, 1 online")
        console.page.run("document.querySelector('.write input').focus()")
        console.replace("Saved meanwhile")
        console.press("Enter")
        self.browser.wait(lambda: "1 push in its mailbox" in self.tile(1, "tile.innerText"))
        expect(self.waiting()["iPad"] == 1 and "Saved meanwhile" not in self.tile(1, "tile.innerText"),
               "a phone that went offline gets nothing: one push waits in its mailbox")
        self.done("devices-offline", "and the tile says so")
        self.on_phone(1, "Come back")
        self.browser.wait(lambda: "fetched Contact “Saved meanwhile”" in self.tile(1, "tile.innerText"))
        self.browser.wait(lambda: self.waiting()["iPad"] == 0)
        expect("in its mailbox" not in self.tile(1, "tile.innerText"), "it arrives when the phone comes back")
        console.push("All offline")
        console.see_text("2 simulated, 0 online")
        self.server.client("alice", "checker").call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Contact", "fields": {"name": {"value": "Saved elsewhere"}}}}]}, "public")
        for number in (0, 1):
            self.browser.wait(lambda: "1 push in its mailbox" in self.tile(number, "tile.innerText"))
        for number in (0, 1):
            self.on_phone(number, "Come back")
            self.browser.wait(lambda: "fetched Contact “Saved elsewhere”" in self.tile(number, "tile.innerText"))
        console.see_text("2 simulated, 2 online")
        expect(True, "all go offline at once; each gets what waited for it")
        self.tile(1, "tile.focus()")
        for online in (1, 2):
            console.press("o")
            console.see_text(f"2 simulated, {online} online")
        expect(True, "a key takes a phone away and brings it back")

    def hand_over(self):
        """A phone whose user signs out, and which another one takes into use."""
        console = self.console
        def tile(script):
            return self.tile(1, script)
        self.on_phone(1, "Sign out")
        self.browser.wait(lambda: "Signed out" in tile("tile.innerText"))
        self.on_phone(1, "Why was iPad of alice not notified?")
        console.see("heading", "Trace")
        console.until("document.querySelector('.sentence')?.innerText.includes(\"alice's device 'console-alice-iPad'\")",
                      "a phone's link asks about this phone")
        expect(self.picked() == ["alice", "console-alice-iPad"], "a phone leads to the question why it was not notified")
        self.open("devices")
        expect("console-alice-iPad" not in self.server.tool("devices", "list", "--user", "alice"),
               "who signs out on a phone has no device there any more")
        console.page.run("document.querySelectorAll('.tile')[1].querySelector('select').focus()")
        console.type_ahead("bob")
        self.browser.wait(lambda: "bob signed in" in tile("tile.innerText") and "Online" in tile("tile.innerText"))
        expect("console-alice-iPad" in self.server.tool("devices", "list", "--user", "bob"), "another user takes it into use")
        self.done("devices-handed-over", "a phone changes hands")
        console.page.run("document.querySelectorAll('.tile')[1].querySelector('select').focus()")
        console.type_ahead("alice")
        self.browser.wait(lambda: "alice signed in" in tile("tile.innerText") and "Online" in tile("tile.innerText"))
        self.browser.wait(lambda: "console-alice-iPad" in self.server.tool("devices", "list", "--user", "alice"))

    def trace(self):
        """What became of the record that a phone has saved."""
        console = self.console
        found = self.server.client("alice", "checker").call("records/query", {"query": {
            "recordType": "Contact"}}, "public")["records"]
        self.contact = found[0]["recordName"]
        self.open("trace", f"?record={self.contact}")
        console.see("treegrid", "Subscriptions and their devices")
        console.page.run("document.querySelector('.table tbody tr[tabindex=\"0\"]').focus()")
        at = "[...document.querySelectorAll('.table tbody tr')].indexOf(document.activeElement)"
        for key, wanted in (("End", "document.querySelectorAll('.table tbody tr').length - 1"), ("Home", "0")):
            console.press(key)
            console.until(f"{at} === {wanted}", f"{key} leads to an end of the tree")
        console.press("ArrowDown")
        console.press("Enter")
        console.see("complementary", "console-alice")
        console.see_text("Subscription is older than the change")
        times = "[...document.querySelectorAll('.inspector time')].map((one) => one.title)"
        expect(all(time.endswith("Z") for time in console.page.run(times)), "when it was tried is said with its zone")
        self.done("trace", "a change, its subscriptions and devices, the gates of one row by keys")
        console.choose("For", "bob")
        self.browser.wait(lambda: "bob" in (console.page.run("document.querySelector('.sentence')?.innerText") or ""))
        self.done("trace-why", "the other end: why somebody was not notified")
        self.reasons_of_a_device()

    def picked(self):
        """The user and the device that are asked about."""
        return self.console.page.run("[...document.querySelectorAll('.question select')].map((one) => one.value)")

    def reasons_of_a_device(self):
        """Bob's phone is not notified for one reason after the other; each stands in the answer for this phone."""
        console, checker = self.console, self.server.client("alice", "checker")
        for device in ("bobs-phone", "bobs-tablet"):
            self.bob("devices", device)
        self.ask_for_phone(self.save_contact(checker, "for-nobody"), pick=True)
        self.answered("bob has no subscription", "nobody subscribed")
        phone = self.server.client("bob", "bobs-phone")
        phone.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "contacts", "subscriptionType": "query", "query": {"recordType": "Contact"}, "zoneWide": True,
            "firesOn": ["create"], "notificationInfo": {"alertBody": "A contact"}}}]}, "public")
        self.ask_for_phone(self.save_contact(phone, "his-own"))
        self.answered("this device made the change", "he wrote it himself on this phone")
        expect(not console.has("row", "bobs-tablet"), "and nothing is said of his other device")
        console.page.run("document.querySelector('.table tbody tr[tabindex=\"0\"]').focus()")
        console.press("ArrowDown")
        console.press("Enter")
        console.see("complementary", "bobs-phone")
        failed = "[...document.querySelectorAll('.gates .failed p')][0]?.textContent"
        console.until(f"{failed} === 'The device is not the writer, failed'", "the question that failed")
        self.done("trace-device", "and the question that failed is marked")
        self.bob("devices/remove", "bobs-phone")
        self.ask_for_phone(self.save_contact(checker, "after-he-left"))
        self.answered("this device was not registered", "he was signed out there")
        console.choose("Device", "any device")
        console.until("document.querySelector('main [role=treegrid]')?.innerText.includes('bobs-tablet')", "all his devices")
        expect(self.picked() == ["bob", ""], "and the answer for all his devices is another one")

    def save_contact(self, client, name):
        client.call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Contact", "recordName": name, "fields": {"name": {"value": name}}}}]}, "public")
        return name

    def bob(self, path, device):
        """What a device of bob asks of the server about itself."""
        values = self.server.values
        place = f"container={values['BRUME_CONTAINER']}&environment={values['BRUME_ENVIRONMENT']}"
        credentials = self.server.client("bob", device).credentials()
        urllib.request.urlopen(urllib.request.Request(f"{values['BRUME_URL']}/_brume/{path}?{place}&{credentials}", b"{}")).read()

    def ask_for_phone(self, record, pick=False):
        """Types a record's name; who has picked bob and his phone keeps them."""
        console = self.console
        console.tab_to("Record or request ID")
        console.replace(record)
        console.press("Enter")
        self.browser.wait(lambda: f"record '{record}'" in console.page.run("document.querySelector('.sentence')?.innerText ?? ''"))
        if pick:
            console.choose("For", "bob")
            console.until("[...document.querySelectorAll('.question option')].some((one) => one.text === 'bobs-phone')", "bob's phone is offered")
            console.choose("Device", "bobs-phone")
        self.browser.wait(lambda: self.picked() == ["bob", "bobs-phone"])

    def answered(self, reason, why):
        self.console.until(f"document.querySelector('.sentence')?.innerText.includes({json.dumps(reason)})", why)
        expect(True, f"why bob's phone did not hear of a record: {why}")

    def push(self):
        console = self.console
        self.open("push")
        console.see_text("To 2 devices")
        console.tab_to("Text")
        console.replace("Lunch is ready")
        console.see_text("Payload as sent")
        console.press("Enter")
        console.see_text("In the mailboxes of 2 devices")
        self.done("push", "a push is composed, seen as sent, and sent")
        self.open("devices")
        console.see_text("Lunch is ready")
        expect(True, "it arrives on the phones")

    def again(self):
        """What failed waits for its time; who has mended what was in the way has it sent at once."""
        console = self.console
        # Nobody listens there.
        webhook = self.server.tool("webhook", "add", "https://localhost:1/nobody").split()[0]
        self.server.client("alice", "checker").call("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordType": "Contact", "fields": {"name": {"value": "Charles"}}}}]}, "public")
        self.open("push")
        console.see("cell", "retry")
        console.push("Send what failed again")
        console.see_text("Sending again to 1 receiver")
        self.done("push-again", "what failed is sent again by a key")
        self.server.tool("webhook", "remove", webhook)

    def faults(self):
        console = self.console
        self.open("faults")
        console.see_text("Nothing will go wrong")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.see("complementary", "New fault")
        console.tab_to("Zone")
        console.type("Trails")
        console.tab_to("Times")
        console.replace("e")
        console.push("Then…")
        console.until("document.activeElement.id === 'field-times'", "a number that is none goes into no chain")
        console.replace("1")
        console.press("Enter")
        console.see("cell", "On saving records in Trails: it fails with zoneBusy")
        self.done("faults", "a fault as a sentence")
        console.push("Clear all")
        console.see_text("Nothing will go wrong")

    # The server

    def users(self):
        console = self.console
        self.open("users")
        console.see("table", "Users")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Name")
        console.type("carol")
        console.press("Enter")
        console.see("complementary", "carol")
        expect("carol" in self.server.tool("user", "list"), "a user is made by keys")
        self.open("users/alice")
        console.see_text("none: as much as the disk holds")
        self.done("users", "users in a table, one beside it with what is stored")
        self.many_users()
        self.change_and_delete()
        self.open("users", "?tab=tokens")
        console.see("table", "API tokens")
        console.push("New token")
        console.focused("Name")
        console.type("web")
        console.press("Enter")
        console.see("cell", "web")
        console.push("Revoke web")
        console.focused("Type web")
        console.type("web")
        console.press("Enter")
        console.see_text("web is revoked")
        self.done("tokens", "a token is made, and revoked after its name was typed")

    def many_users(self):
        """More users than a list may have: pages, a field that finds them, and pickers in which a name is typed."""
        console = self.console
        for at in range(MANY):
            self.operate("users", {"name": f"many-{at:03}"})
        self.open("users")
        console.do("Page.reload")
        console.see_text("50 users shown, more follow")
        console.push("Older")
        console.see_text("many-060")
        console.tab_to("Name begins with")
        for letter in "many-19":
            console.type(letter)
        self.browser.wait(lambda: console.page.run("document.querySelectorAll('tbody tr').length") == 10)
        console.page.run("document.activeElement.blur()")
        console.press("l")
        console.press("Enter")
        console.see("complementary", "many-190")
        self.done("users-many", "very many users come in pages, and are found by their names")
        self.open("users")
        console.tab_to("Name begins with")
        for letter in "many b":
            console.type(letter)
        console.until("document.activeElement.value === 'many b'", "a name with a space can be typed")
        self.open("users/many-199")
        console.see("complementary", "many-199")
        self.open("users", "?after=many-198")
        console.see_text(" shown, no more follow")
        self.open("users", "?after=zzz")
        console.see_text("Nothing more is here")
        self.open("zones/alice", "?after=zzz")
        console.see("heading", "Zones and shares")
        console.see_text("Nothing more is here")
        console.push("Show the first")
        console.see("table", "Zones of alice")
        self.open("users/nobody-there")
        console.see_text("There is no user nobody-there")
        self.open("users/many-150", "?named=many-15")
        console.see("complementary", "many-150")
        console.push("Close")
        console.until("location.hash.endsWith('/users?named=many-15')", "Close leads back to the users that were found")
        self.open("zones/alice")
        console.tab_to("Of")
        console.replace("many-150")
        console.until("document.querySelector('datalist option')?.value === 'many-150'", "a name that begins so is offered")
        console.press("Enter")
        console.see("table", "Zones of many-150")
        console.press("k", CONTROL)
        console.focused("Search")
        console.type("many-151")
        console.see("option", "many-151")
        console.escape()
        expect(True, "a user is chosen by name where a list would be too long, and found by Ctrl K")

    def change_and_delete(self):
        console = self.console
        self.open("users/many-000")
        console.tab_to("E-mail")
        console.type("many@example.org")
        console.press("Enter")
        console.see_text("many-000 is changed")
        expect("many@example.org" in self.server.tool("user", "list"), "what is known of a user is changed")
        console.push("Delete…")
        console.focused("Type ")
        console.see_text("all that many-000 owns is gone for good")
        console.type("many-000")
        console.press("Enter")
        console.see_text("many-000 is deleted")
        expect("many-000" not in self.server.tool("user", "list"), "a user is deleted after what would go was said and the name typed")
        for at in range(1, MANY):
            self.operate("users/delete", {"user": f"many-{at:03}"})
        console.do("Page.reload")

    def operators(self):
        console = self.console
        self.open("users", "?tab=operators")
        console.see_text("No operators")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Name")
        console.type("dora")
        console.press("Tab")
        console.type_ahead("password")
        console.press("Tab")
        console.focused("Password")
        console.type("a password that is long enough")
        console.press("Enter")
        console.see("cell", "dora")
        console.push("Only read")
        console.see_text("dora may only read now")
        console.push("Allow everything")
        console.see_text("dora may do everything now")
        self.done("operators", "an operator is added by keys, and gets another role")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Name")
        console.type("finn")
        console.press("Enter")
        console.see("dialog", "Invitation of finn")
        link = console.page.run("document.querySelector('dialog pre').textContent")
        expect("/_brume/console/signin#invitation." in link, "an invitation is made by keys, and its link is shown once")
        self.done("invitation", "with the words to send it")
        console.done_with_secret()
        console.see("table", "Invitations")
        console.push("Take back the invitation of finn")
        console.focused("Type finn")
        console.type("finn")
        console.press("Enter")
        console.see_text("The invitation of finn is taken back")
        self.open("logs", "?tab=audit")
        console.see("table", "Audit log")
        expect(console.has("cell", "dora"), "the audit log says whom it was done to")
        console.press("l")
        console.press("Enter")
        console.see("complementary", "operators")
        self.done("audit", "who did what, one line opened by keys")

    def logs(self):
        """The request that made a record, and all that is known of it."""
        console = self.console
        self.open("logs")
        console.see("table", "Requests, newest first")
        console.page.run("document.activeElement.blur()")
        console.press("l")
        console.press("Enter")
        console.push("All with this ID")
        console.see("heading", "Request")
        self.open("trace", f"?record={self.contact}")
        console.see_text("Fired")
        request = self.pushed_by()
        self.open("logs", f"?request={request.lower()}")
        for part in ("Request", "Trace", "Pushes", "Audit"):
            console.see("heading", part)
        console.see("table", "Pushes of this request")
        expect(console.has("cell", "alice"), "the log, the trace and the pushes of one request ID stand together")
        self.done("request", "all that is known of one request")
        self.open("logs", "?request=00000000-0000-4000-8000-000000000000")
        console.see_text("Nothing with this ID")
        for query in ("?before=1", "?tab=audit&before=1"):
            self.open("logs", query)
            console.see_text("Nothing older is remembered")
            console.push("Show the newest")
            console.see("table", "Audit log" if "audit" in query else "Requests, newest first")
        self.open("logs", "?failed=true")
        console.see_text("BAD_REQUEST")
        console.page.run("document.getElementById('field-request-id').focus()")
        console.press("Enter")
        expect("failed=true" in console.page.run("location.hash"), "a search for no ID leaves the list as it is filtered")
        self.done("logs", "the newest requests; by keys to all that is known of one")

    def pushed_by(self):
        """The ID of a request that a device was notified of."""
        return next(line["request"] for line in map(json.loads, self.server.tool("push", "log", "--json").splitlines())
                    if line["request"] and line["subscription"])

    def usage(self):
        console = self.console
        self.open("usage", "?span=hour")
        console.see("image", "requests in the last hour")
        console.page.run("document.querySelector('.chart summary').focus()")
        console.press("Enter")
        console.see("table", "Requests")
        console.see("table", "Storage by user")
        expect(console.has("cell", "Public"), "the public database is counted")
        self.done("usage", "charts, each also a table, and the storage of each user")

    def backup(self):
        """A server that cannot be restored in place says what to type instead."""
        console = self.console
        self.open("backup")
        console.see_text("This server keeps its data in memory")
        commands = console.page.run("document.querySelector('[aria-label=\"the commands that restore\"]').innerText")
        expect(commands.split("\n") == ["brume restore FILE --data ./restored", "brume serve --data ./restored"],
               f"with the commands to copy {commands}")
        self.done("backup", "a backup is one key away, and where it goes back is said")

    def everywhere(self):
        console = self.console
        console.press("k", CONTROL)
        console.focused("Search")
        console.type("schem")
        console.press("Enter")
        console.see("heading", "Schema")
        console.press("k", CONTROL)
        console.focused("Search")
        console.type("platform-9")
        console.see("option", "Station, public")
        console.shoot(self.pictures, "search")
        console.press("Enter")
        console.see("complementary", "platform-9")
        console.press("k", CONTROL)
        console.focused("Search")
        console.type("console-alice")
        console.see("option", "device of alice")
        console.escape()
        console.page.run("document.activeElement.blur()")
        console.press("?")
        console.see("dialog", "Keys")
        console.escape()
        console.tab_to("Environment")
        console.type_ahead("Production")
        console.see_text("What you change here, users see at once")
        console.shoot(self.pictures, "production")
        expect(True, "Ctrl K goes to a page, a record, a device; ? lists the keys, production says so")

    def failure(self):
        """An answer that is an error: what failed, the request's ID, and Retry."""
        console = self.console
        for address in ("/_brume/admin/records/query?", "&user=nobody"):
            self.browser.expects(STATUS % 404, address)
        self.open("records/private/nobody/_defaultZone/Whistles")
        console.see_text("there is no user 'nobody'")
        expect(console.page.run("document.querySelector('.failed code').innerText.length") > 20, "an error says its request ID")
        expect(console.has("button", "Retry"), "and offers to try again")
        request = console.page.run("document.querySelector('.failed code').innerText")
        console.push(request)
        console.see_text("404 NOT_FOUND")
        expect(console.has("heading", "Request"), "the ID leads to what the log knows of the request")

    def late(self):
        console_states.late(self.console, self.place, self.server.tool)
        console_states.never(self.console, self.place)

    def states(self):
        console_states.walk(self.console, self.place)

    def links(self):
        """An address that is opened anew shows what was seen."""
        console = self.console
        with console.counting():
            self.same_when_opened_anew()
        expect(True, "links with a query, a selection, a tab lead to exactly what was seen")

    def same_when_opened_anew(self):
        console = self.console
        condition = urllib.parse.quote(json.dumps([["genre", "EQUALS", "Jazz"]]))
        name = console_fill.LINKED
        for address in (f"records/public/-/_defaultZone/Whistles?q={condition}&sort=-genre&cols=genre,rating&sel={name}&tab=system",
                        "zones/alice/Contacts", "schema/Whistles?tab=difference", "schema?tab=roles", f"trace?record={self.contact}",
                        "users/alice", "users?tab=keys", f"logs?request={self.pushed_by()}", "logs?tab=audit&operator=dora"):
            self.open(*(address.split("?", 1)[0], "?" + address.split("?", 1)[1]) if "?" in address else (address,))
            seen = console.settled()
            console.do("Page.reload")
            try:
                self.browser.wait(lambda: console.settled() == seen)
            except SystemExit:
                raise SystemExit(f"FAILED: {address} shows something else when it is opened again:\n{seen}\n---\n{console.settled()}")

    def read_only(self):
        """An operator who may only read: every page is there, and what is tried is refused with the role."""
        console = self.console
        self.browser.expects(STATUS % 403, "/_brume/admin/users")
        token = self.server.tool("operator", "token", "create", "looker", "--read-only").splitlines()[0].strip()
        console.page.run(f"sessionStorage.setItem('brume.admin', {token!r})")
        console.do("Page.reload")
        self.open("users")
        console.see("table", "Users")
        console.page.run("document.activeElement.blur()")
        console.press("n")
        console.focused("Name")
        console.type("mallory")
        console.press("Enter")
        console.see_text("may only read")
        expect("mallory" not in self.server.tool("user", "list"), "who may only read changes nothing, and the error names the role")
        self.open("devices", "?scene=alice:watch")
        console.until("document.querySelector('.tile')?.innerText.includes('may only read')", "the phone says why it is not there")
        expect("Refused" in console.page.run("document.querySelector('.tile').innerText"), "nor has phones, and each says why")

    def narrow(self):
        """Half the width, as with 200 % zoom."""
        console = self.console
        console.size(640, 800)
        self.open("start")
        console.see("heading", "Start")
        self.done("narrow", "nothing is cut off at half the width")
        console.size(1280, 800)


def main():
    parser = arguments()
    parser.add_argument("--rows", type=int, default=ROWS, help="records; fewer for a quick look")
    options = parser.parse_args()
    weak = list(console_contrast.weak())
    expect(not weak, f"every text can be read on every ground {weak or ''}")
    if not is_there():
        return

    def start(folder):
        return Server(options.brume, folder, store="memory", extra=["--push-allow", "localhost"]).start()

    with browsing(options, start) as (server, browser, _):
        console_fill.fill(server, options.rows)
        tour = Tour(server, browser, options.pictures, options.rows)
        for walk in (tour.sign_in, tour.start, tour.records, tour.all_rows, tour.create_and_ask, tour.record_of_a_link, tour.missing_index, tour.zones, tour.schema,
                     tour.roles, tour.devices, tour.trace, tour.push, tour.again, tour.faults, tour.users, tour.operators, tour.logs,
                     tour.usage, tour.backup, tour.everywhere, tour.failure, tour.links, tour.late, tour.narrow):
            walk()
        tour.states()
        tour.read_only()
        tour.console.complains_of_nothing()


if __name__ == "__main__":
    main()
