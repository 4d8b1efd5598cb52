"""The console shows what strangers have written (A8): markup, scripts, addresses of scripts and ends of attributes, as every text that
somebody who is no operator can bring. Each page that shows one is opened, and shows it as text: no element is made of it, no
script runs, and the browser's policy has nothing to refuse. Put into the page as markup, each of them is found.

usage: console_attacks.py --brume PATH [--pictures FOLDER]
"""
import json
import subprocess
import urllib.parse

import console_links
from brume_server import Refused, Server, expect, expect_quietly
from console_operating import until
from console_page import arguments, browsing, is_there

# Each leaves a mark if it becomes markup, and says so if it runs.
ATTACKS = [
    "<b data-attack>bold</b>", "<script data-attack>attacked()</script>", "<img data-attack src=x onerror=attacked()>",
    "<svg data-attack onload=attacked()>", "<iframe data-attack srcdoc='<script>parent.attacked()</script>'>",
    "<a data-attack href=javascript:attacked()>link</a>", "\"><b data-attack onfocus=attacked() autofocus tabindex=1>", "'><b data-attack>",
    "</title><b data-attack>", "</style><b data-attack>", "</textarea><b data-attack>", "</script><b data-attack>", "--><b data-attack>", "]]><b data-attack>",
    "<style data-attack>*{background:url(https://elsewhere.invalid/)}</style>", "<form data-attack action=https://elsewhere.invalid/><button>go",
    "<base data-attack href=https://elsewhere.invalid/>", "<meta data-attack http-equiv=refresh content='0;url=https://elsewhere.invalid/'>",
    "<details data-attack open ontoggle=attacked()>", "<template data-attack></template>", "${attacked()}<b data-attack>", "{{attacked()}}<b data-attack>",
    "\u202e<b data-attack>\u202c", "<b\u00a0data-attack>", "&lt;b data-attack&gt;", "<x" + "-" * 60 + " data-attack>",
]
RUNS = "window.attacked = () => (window.wasAttacked = true)"
MADE = "document.querySelector('[data-attack]')?.outerHTML ?? window.wasAttacked ?? null"
MARK = "data-attack"
ZONE = {"zoneName": "Strangers"}
# Some have letters that a name may not have; of the others each is taken.
LEAST = len(ATTACKS) - 2


def record(name, text):
    return {"operationType": "forceReplace", "record": {"recordType": "Note", "recordName": name, "fields": {
        "text": {"value": text}, "list": {"value": [text, text]}}}}


class Stranger:
    """A user who writes an attack wherever he can."""

    def __init__(self, server):
        self.server = server
        self.client = server.client("alice", "phone")
        self.taken = {}

    def each(self, what, endpoint, operation, name=None, **more):
        """One request for each attack, called as `name` says of it; how many were taken."""
        self.taken[what] = 0
        for attack in ATTACKS:
            try:
                named = {"brume": {"operationID": name(attack)}} if name else {}
                answer = self.client.call(endpoint, {"operations": [operation(attack)], **named, **more})
            except Refused as refusal:
                if ": 400" not in str(refusal):
                    raise SystemExit(f"FAILED: {what}: {refusal}")
                continue
            self.taken[what] += all("serverErrorCode" not in item for items in answer.values() if isinstance(items, list) for item in items)

    def writes(self):
        self.client.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        self.client.call("records/modify", {"zoneID": ZONE, "operations": [record("first", "of its type")]})
        self.each("names of zones", "zones/modify", lambda text: {"operationType": "create", "zone": {"zoneID": {"zoneName": text}}})
        self.each("IDs and texts of subscriptions", "subscriptions/modify", lambda text: {"operationType": "create", "subscription": {
            "subscriptionID": text, "subscriptionType": "query", "zoneID": ZONE, "firesOn": ["create", "update"],
            "query": {"recordType": "Note", "filterBy": [{"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": text}}]},
            "notificationInfo": {"alertBody": text, "title": text, "category": text, "soundName": text}}})
        # Whoever made a change is not notified of it.
        self.client = self.server.client("alice", "laptop")
        self.each("names and values of records", "records/modify", lambda text: record(text, text), zoneID=ZONE)
        self.each("names of requests", "records/modify", lambda text: record("named", text), name=lambda text: text, zoneID=ZONE)
        self.shares()
        self.fails()

    def shares(self):
        share = {"operationType": "create", "record": {
            "recordType": "cloudkit.share", "recordName": "cloudkit.zoneshare", "publicPermission": "NONE",
            "fields": {"cloudkit.title": {"value": ATTACKS[0]}, "cloudkit.type": {"value": ATTACKS[1]}},
            "participants": [{"userIdentity": {"lookupInfo": {"emailAddress": f"{number}<b data-attack>@example.org"}}, "permission": "READ_ONLY"}
                             for number in range(2)]}}
        try:
            answer = self.client.call("records/modify", {"zoneID": ZONE, "operations": [share]})
            self.taken["titles of shares"] = "serverErrorCode" not in answer["records"][0]
        except Refused:
            self.taken["titles of shares"] = False

    def fails(self):
        """Requests that are refused are in the log with what they had."""
        for attack in ATTACKS:
            quoted = urllib.parse.quote(attack)
            for endpoint in (f"zones/{quoted}", f"records/query?{quoted}={quoted}"):
                try:
                    self.client.call(endpoint, {"zoneID": {"zoneName": attack}, "query": {"recordType": attack}})
                except Refused:
                    pass


class Tour(console_links.Tour):
    def judge(self, page, shows):
        """Nothing is made of what the page shows, and it shows it if it is to."""
        made = self.console.page.run(MADE)
        expect_quietly(made is None, f"{page}: an element was made, or a script ran: {made}")
        if shows:
            self.console.until(f"document.body.innerText.includes({MARK!r}) || document.body.innerHTML.includes({MARK!r})",
                               f"{page} shows what a stranger wrote")
        made = self.console.page.run(MADE)
        expect(made is None, f"{page}{': what a stranger wrote is text' if shows else ': nothing is made of anything'}")

    def rows(self, page, most):
        """Opens row after row beside the list: so many, or as many as there are, of which there is one."""
        for number in range(most):
            row = f"document.querySelectorAll('main .table tbody tr[tabindex]')[{number}]"
            if self.console.page.run(f"{row} === undefined"):
                return expect_quietly(number > 0, f"{page} has no row")
            self.console.page.run(f"{row}.focus()")
            self.console.press("Enter")
            self.console.until("document.querySelector('.inspector') !== null && !document.querySelector('.inspector .loading')", f"{page}: row {number}")
            made = self.console.page.run(MADE)
            expect_quietly(made is None, f"{page}, row {number}: {made}")
            self.console.press("Escape")
            self.console.until("document.querySelector('.inspector') === null", f"{page}: row {number} is closed")


def walk(tour):
    zone = urllib.parse.quote(ZONE["zoneName"], safe="")
    attacked = urllib.parse.quote(ATTACKS[0], safe="")
    for page, query, shows, rows in [
        ("zones/alice", "", True, len(ATTACKS)),
        (f"records/private/alice/{zone}/Note", "", True, len(ATTACKS)),
        (f"records/private/alice/{attacked}/Note", "", True, 0),
        ("records", f"?q={urllib.parse.quote(ATTACKS[2])}", False, 0),
        ("push", "", True, 5), ("faults", "", True, 0), ("logs", "", False, 10), ("logs", "?tab=audit", False, 5),
        ("logs", f"?id={urllib.parse.quote(ATTACKS[2])}", False, 0), ("devices", f"?scene=alice:{urllib.parse.quote(ATTACKS[2])}", True, 0),
        ("users", "", False, 3), ("usage", "", False, 0), ("schema", "", False, 0), ("trace", f"?name={urllib.parse.quote(ATTACKS[2])}", False, 0),
        ("start", "", False, 0),
    ]:
        tour.open(page, query)
        tour.seen("document.querySelector('main').innerText")
        tour.judge(urllib.parse.unquote(page + query)[:60], shows)
        tour.rows(page, rows)


def control(tour):
    """As markup each of them is found. The console's policy takes no markup at all, so it is lifted for this."""
    put = "document.documentElement.insertAdjacentHTML('beforeend', '<div id=attack>' + %s + '</div>'); null"
    try:
        tour.console.page.run(put % json.dumps(ATTACKS[0]))
        raise SystemExit("FAILED: the policy lets markup into the page")
    except RuntimeError as refusal:
        expect("TrustedHTML" in str(refusal), "the policy lets no markup into the page")
    tour.console.do("Page.setBypassCSP", enabled=True)
    tour.console.do("Page.reload")
    tour.console.until("document.querySelector('h1') !== null && window.attacked !== undefined", "the page is there, without its policy")
    missed = []
    for attack in ATTACKS:
        # This one would lead the page away.
        if "http-equiv" in attack:
            continue
        tour.console.page.run(put % json.dumps(attack))
        if tour.console.page.run("document.querySelector('[data-attack]') === null"):
            missed.append(attack)
        tour.console.page.run("document.querySelectorAll('#attack, [data-attack]').forEach((one) => one.remove()); null")
    tour.console.until("window.wasAttacked === true", "a script runs then")
    # One is text in any case, and in one the attribute is part of the name. The console draws its body anew, so it is beside that.
    expect(len(missed) == 2, f"without it all are found but {missed}, and their scripts run")


def main():
    options = arguments().parse_args()
    if not is_there():
        return
    with browsing(options, lambda folder: Server(options.brume, f"{folder}/data").start()) as (server, browser, folder):
        watch = subprocess.Popen([server.binary, "push", "tail", "--user", "alice", "--device", ATTACKS[0], "--data", server.folder],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: MARK in server.tool("devices", "list", "--user", "alice"), "the device has its name")
        stranger = Stranger(server)
        stranger.writes()
        expect(all(count is True or count >= LEAST for count in stranger.taken.values()), f"taken of {len(ATTACKS)} attacks: {stranger.taken}")
        until(lambda: MARK in server.tool("push", "log", "--json", "--user", "alice"), "pushes are in the log")
        watch.terminate()
        watch.wait(timeout=120)
        tour = Tour(server, browser, folder, options.pictures)
        tour.console.do("Page.addScriptToEvaluateOnNewDocument", source=RUNS)
        tour.console.do("Page.reload")
        tour.sign_in()
        walk(tour)
        found = browser.complaints()
        expect(not found, f"the browser complained about nothing {found or ''}")
        control(tour)


if __name__ == "__main__":
    main()
