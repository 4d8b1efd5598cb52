"""Addresses of the console (docs/operating/console.md): each is opened in a new page of the browser, and shows exactly what
was seen where it was taken. The scene of the simulated phones, a change of the log, a line of the push log and its Trace, a
line of the audit log, the span of Usage. Also the button for the colours, and that an open console is nobody's use of the
server.

usage: console_links.py --brume PATH [--pictures FOLDER] [--only WALK]
"""
import json
import os
import subprocess
import urllib.request

import console_operating
from brume_server import Server, expect
from console_operating import until
from console_page import STATUS, ConsolePage, arguments, browsing, is_there

# More lines than a page of the audit log has.
MANY = 120
ROW = "document.querySelector('main .table tbody tr[tabindex=\"0\"]')"
TILES = """[...document.querySelectorAll(".tile")].map((tile) => [
  tile.querySelector("h2").innerText.trim(), tile.querySelector("select").value, tile.querySelector("header .badge").innerText.trim(),
  tile.querySelector("p.wait")?.innerText.trim() ?? ""])"""


class Tour(console_operating.Tour):
    def sign_in_here(self):
        """Signs the tab in, wherever its address leads."""
        console = self.console
        console.focused("Or an admin token")
        console.type(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.until("document.querySelector('main h1') !== null && document.querySelector('nav .health') !== null", "somebody is signed in")
        console.signs_in()

    def anew(self):
        """The address in another page, whose tab knows nothing yet; the page before is closed."""
        address = self.console.page.run("location.href")
        self.console.page.close()
        self.console = ConsolePage(self.browser, address)
        self.sign_in_here()
        return address.split("#", 1)[1]

    def same(self, script, what):
        """What a script finds is found again by whoever opens the address."""
        before = self.seen(script)
        address = self.anew()
        with self.console.counting():
            try:
                self.browser.wait(lambda: self.console.settled(script) == before)
            except SystemExit:
                raise SystemExit(f"FAILED: {address} shows something else when it is opened anew:\n{before}\n---\n{self.console.settled(script)}")
        if not before:
            raise SystemExit(f"FAILED: {address}: nothing was compared")
        expect(True, f"{what}: {address.split('?')[-1][:80]}")

    def seen(self, script):
        """What a script finds when it finds the same twice, and nothing is loading."""
        last = []
        def still():
            last.append(self.console.page.run(script))
            return len(last) > 2 and last[-1] == last[-2] and not self.console.page.run("document.querySelector('main .loading') !== null")
        self.browser.wait(still)
        return last[-1]

    def first_row(self):
        """Opens the first row by keys."""
        self.console.until(f"{ROW} !== null", "there is a row")
        # The rows of before stay until the new ones come.
        self.seen(f"{ROW}?.innerText")
        self.console.page.run(f"{ROW}.focus()")
        self.console.press("Enter")
        self.console.until("document.querySelector('.inspector') !== null", "the row is open")

    def change(self, path, body):
        token = json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"]
        urllib.request.urlopen(urllib.request.Request(
            f"{self.server.values['BRUME_URL']}/_brume/admin/{path}", json.dumps(body).encode(), {"Authorization": f"Bearer {token}"})).read()


BESIDE = "[...document.querySelectorAll('main .content .pane[aria-label], .inspector')].map((one) => one.innerText).join('\\n--\\n')"


def scene(tour):
    console = tour.console
    tour.open("devices", "?scene=alice:iPhone,bob:Mac")
    console.see_text("2 simulated, 2 online")
    console.tab_to("Name")
    console.type("the 2nd: old, cracked")
    console.press("Enter")
    console.see_text("3 simulated, 3 online")
    console.page.run("document.querySelectorAll('.tile')[0].querySelector('select').focus()")
    console.push("Go offline")
    console.see_text("3 simulated, 2 online")
    console.page.run("document.querySelectorAll('.tile')[1].querySelector('select').focus()")
    console.push("Sign out")
    console.until(f"{TILES}[1][2] === 'Signed out'", "bob is signed out")
    console.push("All offline")
    console.until(f"{TILES}[1][2] === 'Signed out' && {TILES}[2][2] === 'Offline'", "who is signed out is not offline")
    tour.server.tool("push", "test", "--user", "alice")
    console.until(f"[0, 2].every((place) => {TILES}[place][3] === '1 push in its mailbox')", "a push waits for each phone that is offline")
    before = console.page.run(TILES)
    address = tour.anew()
    try:
        tour.browser.wait(lambda: tour.console.page.run(TILES) == before)
    except SystemExit:
        raise SystemExit(f"FAILED: {address} shows other phones: {tour.console.page.run(TILES)} instead of {before}")
    expect("Token" not in address and tour.server.values["BRUME_API_TOKEN"] not in address,
           f"a link to Devices has the phones, their users, who is offline and who is signed out: {[tile[0] for tile in before]}")
    another(tour)
    unknown(tour)


def another(tour):
    """A link that is followed where other phones are."""
    console = tour.console
    tour.open("devices", "?scene=bob:watch")
    console.until(f"{TILES}.length === 1 && {TILES}[0][0] === 'watch' && {TILES}[0][2] === 'Online'", "the phones of the link, and no others")
    until(lambda: "console-alice" not in tour.server.tool("devices", "list", "--user", "alice"), "the server still has the phones that went")
    tour.open("zones/alice")
    console.see("table", "Zones of alice")
    tour.open("devices")
    console.until(f"{TILES}.length === 1 && location.hash.includes('bob%3Awatch')", "the phones stay, and the address says so again")
    expect(True, "a link shows its own phones also where others were; the others leave")


def unknown(tour):
    console = tour.console
    tour.browser.expects(STATUS % 404, "/_brume/admin/users/token")
    tour.open("devices", "?scene=nobody:iPhone")
    console.until("document.querySelector('.tile')?.innerText.includes(\"there is no user 'nobody'\")", "the phone says why it is not there")
    expect(console.page.run(f"{TILES}[0][2]") == "Refused", "a phone of somebody who is not there says so, and stays")
    console.page.run("document.querySelector('.tile').focus()")
    console.press("o")
    expect(console.page.run(f"{TILES}[0][2]") == "Refused", "and a key has it tried again")
    console.push("Remove iPhone of nobody")
    console.see_text("No phones")


def change_of_the_log(tour):
    tour.save("then-1", text="Bread")
    tour.save("then-2", text="Milk")
    tour.open("faults")
    tour.console.see("table", "Log")
    tour.console.page.run("[...document.querySelectorAll('table')].find((one) => one.caption.innerText === 'Log')"
                          ".querySelector('tbody tr[tabindex=\"0\"]').focus()")
    tour.console.press("ArrowDown")
    tour.console.press("Enter")
    tour.console.see("table", "Records then")
    tour.same("document.querySelector('.inspector').innerText", "a link to a change shows the zone as it was after it")
    expect(tour.console.page.run("document.querySelector('tr[aria-current]') !== null"), "and marks it in the log")


def pushes(tour):
    """A line of the push log, those of one notification, and the way on to Trace."""
    console = tour.console
    watch = subprocess.Popen([tour.server.binary, "push", "tail", "--user", "alice", "--device", "watch", "--data", tour.server.folder],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: "watch" in tour.server.tool("devices", "list", "--user", "alice"), "the device is not known")
    tour.phone.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneWide": True, "firesOn": ["create"],
        "query": {"recordType": "Note"}, "notificationInfo": {"alertBody": "A note"}}}]})
    tour.save("for-the-watch", text="Tea")
    until(lambda: '"watch"' in tour.server.tool("push", "log", "--json", "--user", "alice"), "the push is not in the log")
    watch.terminate()
    watch.wait(timeout=120)
    tour.open("push")
    console.see("table", "Pushes that were sent")
    tour.first_row()
    tour.same(BESIDE, "a link to a line of the push log shows it")
    console = tour.console
    console.page.run("[...document.querySelectorAll('.inspector a')].find((one) => one.hash.includes('notification=')).focus()")
    console.press("Enter")
    console.until("location.hash.includes('notification=') && !location.hash.includes('sel=')", "those of one notification")
    tour.first_row()
    tour.same(BESIDE, "and one among those of one notification")
    to_trace(tour)


def to_trace(tour):
    console = tour.console
    console.push("why it came or not")
    console.see("heading", "Trace")
    console.until("document.querySelector('main [role=treegrid], main .sentence') !== null", "the answer")
    console.see_text("for-the-watch")
    picked = console.page.run("[...document.querySelectorAll('.question select')].map((one) => one.value)")
    expect(picked == ["alice", "watch"] and console.has("row", "watch"),
           f"a line of the push log leads to its change in Trace, for its user and device: {picked}")
    tour.same("document.querySelector('main').innerText", "whose address is a link as well")


def span(tour):
    console = tour.console
    tour.open("usage")
    console.push("Week")
    console.until("location.hash.includes('span=week')", "the address has the span")
    console.see("image", "in the last week")
    tour.same("""JSON.stringify([document.querySelector('[aria-label=Over] [aria-current]')?.innerText,
      ...[...document.querySelectorAll('.charts:not(.few) [role=img]')].map((one) => one.ariaLabel.match(/in the last .*?(?=,|$)/)?.[0])])""",
              "a link to Usage has its span")
    expect(tour.console.has("image", "in the last week"), "and its charts")


def line_of_the_audit(tour):
    """A line that was among the newest when the link was taken, and is not any more."""
    tour.change("faults/clear", {})
    tour.open("logs", "?tab=audit&operator=owner")
    tour.console.see("table", "Audit log")
    tour.first_row()
    tour.same("document.querySelector('.inspector').innerText + document.querySelector('#field-operator').value",
              "a link to a line of the audit log shows it, and whose lines they are")
    before = tour.console.page.run("document.querySelector('.inspector').innerText")
    for _ in range(MANY):
        tour.change("faults/clear", {})
    tour.anew()
    tour.console.until("document.querySelectorAll('main tbody tr').length === 100", "the newest lines")
    tour.console.until(f"document.querySelector('.inspector')?.innerText === {json.dumps(before)}", "the line that was seen")
    expect(tour.console.page.run("document.querySelector('tr[aria-current]') === null"), f"also when {MANY} newer ones have come")


def pages(tour):
    """Who comes to a later page by a link goes back from there, without the history of who gave it."""
    console = tour.console
    for _ in range(MANY):
        tour.change("faults/clear", {})
    tour.open("logs", "?tab=audit")
    console.until("document.querySelectorAll('main tbody tr').length === 100", "the newest lines")
    first = console.page.run("document.querySelector('main tbody').innerText")
    console.push("Older")
    console.until(f"document.querySelector('main tbody').innerText !== {json.dumps(first)}", "older lines")
    tour.same("document.querySelector('main tbody').innerText", "a link to a later page shows it")
    tour.console.push("Newer")
    tour.console.until("location.hash.endsWith('?tab=audit') && document.querySelectorAll('main tbody tr').length === 100", "the first page")
    expect(True, "from which one gets back to the first")


GROUND = "getComputedStyle(document.body).backgroundColor"
THEMES = ["Colours: as the system has them", "Colours: light", "Colours: dark"]


def colours(tour):
    """As the system has them, light, dark: by the button and by its key, kept over a reload."""
    console = tour.console
    tour.open("start")
    grounds = {}
    for scheme in ("dark", "light"):
        console.colours(scheme)
        grounds[scheme] = console.page.run(GROUND)
    expect(grounds["light"] != grounds["dark"] and console.has("button", THEMES[0]), f"the colours are the system's at first {grounds}")
    console.tab_to(THEMES[0])
    for name, chosen in ((THEMES[1], "light"), (THEMES[2], "dark"), (THEMES[0], None)):
        console.press("Enter")
        console.until(f"document.activeElement.ariaLabel === {name!r}", f"the button says {name}")
        for scheme in ("light", "dark"):
            console.colours(scheme)
            console.until(f"{GROUND} === {grounds[chosen or scheme]!r}", f"{name}, while the system is {scheme}")
    expect(True, "the button goes through all three, whatever the system has")
    console.colours("light")
    console.page.run("document.activeElement.blur()")
    for _ in range(2):
        console.press("t")
    console.see("button", THEMES[2])
    console.do("Page.reload")
    console.see("button", THEMES[2])
    expect(console.page.run(GROUND) == grounds["dark"], "its key does as well, and the choice is kept")
    console.page.run("document.activeElement.blur()")
    console.press("t")
    console.see("button", THEMES[0])
    expect(console.page.run("Object.keys(localStorage).length") == 0, "and can be taken back")


def quiet(tour):
    """An open console asks the server all the time, and the server counts nobody's use of it."""
    console = tour.console
    tour.open("usage", "?span=hour")
    console.see("heading", "Usage")
    before = json.loads(tour.admin("usage?span=hour"))["total"]
    console.page.run("performance.clearResourceTimings()")
    console.until("performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/_brume/admin/metrics')).length >= 2",
                  "the console asks how the server is")
    after = json.loads(tour.admin("usage?span=hour"))["total"]
    expect(after["requests"] == before["requests"] and after["operatorRequests"] > before["operatorRequests"],
           f"an open console is no app: {before['requests']} requests before and after, {after['operatorRequests']} of operators")
    asked = console.page.run("performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)")
    expect("/_brume/metrics" not in asked, "it asks as an operator, who may be on another machine")


WALKS = [scene, change_of_the_log, pushes, span, line_of_the_audit, pages, colours, quiet]


def main():
    parser = arguments()
    parser.add_argument("--only", help="names of walks with commas between them, for a quick look")
    options = parser.parse_args()
    if not is_there():
        return
    with browsing(options, lambda folder: Server(options.brume, os.path.join(folder, "data")).start()) as (server, browser, folder):
        tour = Tour(server, browser, folder, options.pictures)
        tour.sign_in()
        for walk in WALKS:
            if not options.only or walk.__name__ in options.only.split(","):
                walk(tour)
        tour.console.complains_of_nothing()


if __name__ == "__main__":
    main()
