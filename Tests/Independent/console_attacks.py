"""The console shows what others have written (A8): markup, scripts, addresses of scripts and ends of attributes, as every text that
somebody who is no operator can bring, and as those that only an operator writes. Each page that shows one is opened, and shows it as
text: no element is made of it, no script runs, and the browser's policy has nothing to refuse. So do the pages where users and
operators sign in; that of a share shows nothing. A simulated phone shows the texts of pushes. Put into the page as markup, each of them
is found.

usage: console_attacks.py --brume PATH [--pictures FOLDER]
"""
import json
import subprocess

import console_links
from brume_server import Server, expect, expect_quietly
from console_attacks_signin import visit
from console_attacks_texts import ATTACKS, CLAIMED, FOUND, MADE, MARK, NAMES, ORIGIN, PLAIN, RUNS
from console_attacks_writers import HOOKS, ZONE, Stranger, Writer, quoted, record, sign_up
from console_operating import until
from console_page import arguments, browsing, is_there
from openid_provider import Provider

IMAGE = quoted(ATTACKS[2])


def texts(where):
    """What stands in a place, as small letters: a table is found by its caption, another place as CSS says. What can be picked does not
    count, because users who are called so can be picked on most pages."""
    found = (f"document.querySelector({where!r})" if where.startswith((".", "[", "main"))
             else f"[...document.querySelectorAll('main table')].find((one) => one.caption?.textContent.startsWith({where!r}))")
    return f"""(() => {{
      const found = {found};
      const copy = found?.cloneNode(true);
      copy?.querySelectorAll("select, datalist").forEach((one) => one.remove());
      const typed = [...(found?.querySelectorAll("input, textarea") ?? [])].map((one) => one.value);
      return [copy?.textContent ?? "", ...typed].join(" ").toLowerCase();
    }})()"""


class Tour(console_links.Tour):
    def clean(self, what):
        """Nothing is made of what the page shows, and it shows nothing that only a header or a form has said."""
        made = self.console.page.run(MADE)
        expect_quietly(made is None, f"{what}: an element was made, or a script ran: {made}")
        claimed = self.console.page.run(f"document.documentElement.outerHTML.includes({CLAIMED!r})")
        expect_quietly(not claimed, f"{what}: it shows what a header or a form claims")

    def judge(self, page, places):
        """Each of the places shows an attack, or the text that is named beside it, and nothing is made of any."""
        self.clean(page)
        for place in places:
            where, text = place if isinstance(place, tuple) else (place, MARK)
            self.console.until(f"{texts(where)}.includes({json.dumps(text.lower())})", f"{page} shows {text!r} in '{where}'")
        self.clean(page)
        expect(True, f"{page}{': what somebody wrote is text' if places else ': nothing is made of anything'}")

    def rows(self, page, most):
        """Opens row after row beside the list: so many, or as many as there are, of which there is one."""
        for number in range(most):
            row = f"document.querySelectorAll('main .table tbody tr[tabindex]')[{number}]"
            if self.console.page.run(f"{row} === undefined"):
                return expect_quietly(number > 0, f"{page} has no row")
            self.console.page.run(f"{row}.focus()")
            self.console.press("Enter")
            self.console.until("document.querySelector('.inspector') !== null && !document.querySelector('.inspector .loading')", f"{page}: row {number}")
            self.clean(f"{page}, row {number}")
            self.console.press("Escape")
            self.console.until("document.querySelector('.inspector') === null", f"{page}: row {number} is closed")

    def walk(self, pages):
        """Of each: its name, its query, the places where it shows an attack, how many rows are opened."""
        for page, query, places, rows in pages:
            self.open(page, query)
            self.seen("document.querySelector('main').innerText")
            self.judge(f"{page}{query}"[:60], places)
            self.rows(page, rows)


def of_strangers(server):
    """Pages with what users have written."""
    zone = f"records/private/alice/{quoted(ZONE['zoneName'])}"
    changes = server.admin("log", zone=ZONE["zoneName"], limit=200)["changes"]
    change = next(change["id"] for change in changes if MARK in change.get("record", "") and "Note" in json.dumps(change))
    return [
        ("zones/alice", "", [("Zones of alice", text) for text in PLAIN], len(ATTACKS)),
        (f"zones/alice/{quoted(ZONE['zoneName'])}", "", [(".inspector .tree", f"{text}@example.org") for text in ATTACKS], 0),
        (f"{zone}/Note", "", ["Note in"], len(ATTACKS)),
        (f"{zone}/Note", "?sel=cloudkit.zoneshare", [(".inspector", f"cloudkit.{text}") for text in PLAIN], 0),
        *[(f"records/private/alice/{quoted(text)}/Note", "?sel=cloudkit.zoneshare", [".inspector .value p"], 0) for text in PLAIN[::4]],
        (f"records/private/alice/{quoted(ATTACKS[0])}/Note", "", ["Note in"], 0),
        ("push", "", [("Pushes that were sent", ATTACKS[0])], 5), ("faults", "", ["Log"], 3), ("logs", "", [], 10),
        ("logs", "?user=alice&failed=true", [("Requests", "alice")], 10),
        ("logs", f"?user={quoted(NAMES[0])}", ["Requests"], 1), ("logs", "?tab=audit", [], 5),
        ("devices", f"?scene=alice:{IMAGE}", [".tile"], 0), (f"trace/{change}", "", ["[role=treegrid]"], 5),
        ("users", "", ["Users"], 6), (f"users/{quoted(NAMES[0])}", "", [(".inspector", f"{ATTACKS[0]}@people.example")], 0),
        ("users/bob", "", [".inspector"], 0), ("backup", "", ["main"], 0),
        ("usage", "", [], 0), ("schema", "", [], 0), ("start", "", [], 0),
    ]


# Whoever sends a link to an operator writes what stands in it.
LINKS = [
    ("records", f"?q={IMAGE}", [], 0), ("users", f"?named={IMAGE}", ["main"], 0), (f"users/{IMAGE}", "", [".inspector"], 0),
    ("logs", f"?request={IMAGE}", ["main"], 0), ("logs", f"?tab=audit&operator={IMAGE}", ["main"], 0),
    ("push", f"?notification={IMAGE}&device={IMAGE}&request={IMAGE}", [], 0), ("trace", f"?record={IMAGE}&zone={IMAGE}&device={IMAGE}", ["main"], 0),
]
OF_OPERATORS = [
    ("users", "?tab=tokens", [("API tokens", text) for text in (ATTACKS[0], ORIGIN, f"https://elsewhere.invalid/{NAMES[0]}")], 0),
    ("users", "?tab=keys", ["Server keys"], 0), ("users", "?tab=webhooks", ["Webhooks"], 0),
    ("users", "?tab=operators", ["Operators", "Invitations", "Admin tokens"], 0), ("faults", "", ["Faults"], 0),
    ("logs", "?tab=audit", ["Audit log"], 5),
]


def files(tour):
    """The page reads the beginning of each file, which is text there."""
    tour.open(f"records/private/alice/{quoted(ZONE['zoneName'])}/File", "?sel=files")
    shown = f"[...document.querySelectorAll('.inspector .asset pre')].filter((one) => one.textContent.includes({MARK!r})).length"
    tour.console.until(f"{shown} === {len(ATTACKS)}", "each file is shown")
    tour.judge("files", [".inspector"])


def phone(tour):
    """A simulated phone shows the texts of its pushes, and the record that it fetches then."""
    tour.open("devices", f"?scene=alice:{IMAGE}")
    tour.console.until("document.querySelector('.tile header .badge')?.innerText.trim() === 'Online'", "the phone is there")
    for number, text in enumerate(ATTACKS):
        # Nobody has saved these names before, so it is the subscription with this condition that fires.
        tour.server.client("alice", "laptop").call("records/modify", {"zoneID": ZONE, "operations": [record(f"pushed-{number}", text)]})
        said = json.dumps(text)
        tour.console.until(
            "[...document.querySelectorAll('.tile .alert')].some((one) => "
            f"one.querySelector('p.note').textContent.startsWith({said}) && one.querySelector('p:not(.note)').textContent === {said})",
            f"the phone shows title and text of the push of {text!r}")
        tour.console.until(f"document.querySelector('.tile .lines-list').textContent.includes('fetched Note “' + {said})", f"and fetches {text!r}")
        tour.clean(f"a push of {text!r}")
    expect(True, f"{len(ATTACKS)} texts of pushes are text on a phone")


def backups(tour):
    """What a backup is called is in the commands that the page shows."""
    tour.open("backup")
    tour.console.page.run("document.querySelector('#backup-file').focus()")
    command = "document.querySelector('[aria-label=\"the command that verifies\"]').textContent"
    for attack in ATTACKS:
        tour.console.replace(attack)
        tour.console.until(f"document.querySelector('#backup-file').value === {json.dumps(attack)} && {command}.includes({MARK!r})",
                           f"the command names {attack}")
        made = tour.console.page.run(MADE)
        expect_quietly(made is None, f"a backup called {attack}: {made}")
    expect(True, f"{len(ATTACKS)} names of backups are text in the commands")


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
    for attack in dict.fromkeys([*ATTACKS, *NAMES, ORIGIN]):
        # This one would lead the page away.
        if "http-equiv" in attack:
            continue
        tour.console.page.run(put % json.dumps(attack))
        if tour.console.page.run(f"{FOUND} === null"):
            missed.append(attack)
        tour.console.page.run("document.querySelectorAll('#attack, [data-attack], data-attack').forEach((one) => one.remove()); null")
    tour.console.until("window.wasAttacked === true", "a script runs then")
    # Two are text in any case. The console draws its body anew, so it is beside that.
    texts_anyway = [attack for attack in dict.fromkeys([*ATTACKS, *NAMES]) if "<" not in attack]
    expect(missed == texts_anyway, f"without it all are found but {missed}, and a script of theirs runs")


def write(server, provider):
    """What strangers write; the end of their share's URL."""
    watch = subprocess.Popen([server.binary, "push", "tail", "--user", "alice", "--device", ATTACKS[0], "--data", server.folder],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until(lambda: MARK in server.tool("devices", "list", "--user", "alice"), "the device has its name")
    stranger = Stranger(server)
    stranger.writes()
    until(lambda: MARK in server.tool("push", "log", "--json", "--user", "alice"), "pushes are in the log")
    watch.terminate()
    watch.wait(timeout=120)
    sign_up(server, provider)
    return stranger.share_name()


def main():
    options = arguments().parse_args()
    if not is_there():
        return
    provider = Provider()
    extra = ["--oidc-discovery", provider.discovery, "--oidc-client-id", Provider.CLIENT, "--oidc-client-secret", Provider.SECRET,
             "--oidc-name", ATTACKS[0], "--push-allow", HOOKS]
    with browsing(options, lambda folder: Server(options.brume, f"{folder}/data", extra=extra).start()) as (server, browser, folder):
        provider.redirect = f"{server.values['BRUME_URL']}/_brume/signin/callback"
        visit(server, browser, provider, write(server, provider))
        tour = Tour(server, browser, folder, options.pictures)
        tour.console.do("Page.addScriptToEvaluateOnNewDocument", source=RUNS)
        tour.console.do("Page.reload")
        tour.sign_in()
        tour.walk(of_strangers(server))
        files(tour)
        phone(tour)
        tour.walk(LINKS)
        Writer(server).writes()
        tour.walk(OF_OPERATORS)
        backups(tour)
        # Browsers ask for it by themselves, and the policy of pages without a picture refuses.
        found = [line for line in browser.complaints() if "/favicon.ico" not in line]
        expect(not found, f"the browser complained about nothing {found or ''}")
        expect(not provider.problems, f"and the provider about nothing {provider.problems or ''}")
        control(tour)


if __name__ == "__main__":
    main()
