"""What is sent and counted, on the console: what is cut from a push that is too large, and the charts of errors, answer times and
pushes with their numbers in tables, which can be copied."""
import json

from brume_server import Listener, Refused, expect
from console_operating import until
from console_pages_edits import answered_by

LONG = 5000
# The first token of the database's changes, and of those of the zone Walked, is too old.
EXPIRED = """(() => {
  const real = window.fetch;
  window.expired = [];
  window.fetch = async (address, options) => {
    const kind = /private.changes.(database|zone)/.exec(address)?.[1];
    const { syncToken, zones: [zone] = [] } = kind ? JSON.parse(options.body) : {};
    const isOld = kind === "zone" ? zone.syncToken && zone.zoneID.zoneName === "Walked" : syncToken;
    if (!isOld || window.expired.includes(kind)) return real(address, options);
    window.expired.push(kind);
    const error = { serverErrorCode: "BAD_REQUEST", reason: "the token is too old", brume: { code: "changeTokenExpired" } };
    const [status, answer] = kind === "zone" ? [200, { zones: [{ ...zone, ...error }] }] : [400, error];
    return new Response(JSON.stringify(answer), { status, headers: { "content-type": "application/json" } });
  };
})()"""
WALKED = {"zoneName": "Walked"}


def cut(tour):
    """What does not fit into a payload is said before it is sent, and is what the device then gets."""
    console = tour.console
    watch = Listener(tour.server.client("alice", "watch"))
    watch.listen()
    until(lambda: "watch" in tour.server.tool("devices", "list", "--user", "alice"), "the device is not known")
    tour.again("push")
    console.tab_to("Text")
    console.replace("é" * LONG)
    console.see_text(f"of its {LONG:,} characters".replace(",", ""))
    said = console.page.run("document.querySelector('.composer summary').innerText")
    kept = int(said.split("the text is cut to ")[1].split()[0])
    size, most = (int(said.split(" bytes")[0].split(" · ")[1].split(" of ")[at]) for at in (0, 1))
    expect(0 < kept < LONG and size <= most == 4096, f"what was cut is said: {said}")
    console.page.run("document.querySelector('.composer summary').focus()")
    console.press("Enter")
    console.until("document.querySelector('.composer details').open", "the payload is unfolded")
    tour.done("push-cut", "what was cut from a push that is too large")
    console.page.run("document.querySelector('#field-text').focus()")
    console.press("Enter")
    console.see_text("In the mailboxes of")
    expect(watch.wait_until(lambda events: any(_body(event).startswith("é") for event in events), 60), "it is sent by Enter")
    body = next(_body(event) for event in watch.events if _body(event).startswith("é"))
    expect(len(body) == kept, f"and has the {kept} characters that were said")
    console.page.run("document.querySelector('#field-text').focus()")
    console.replace("short")
    console.until("!document.querySelector('.composer summary').innerText.includes('cut')", "nothing is cut from a short one")


def _body(event):
    alert = event.get("aps", {}).get("alert")
    return (alert.get("body") or "") if isinstance(alert, dict) else (alert or "")


def charts(tour):
    """Calls that are refused, that fail, and pushes that are taken and not: each is in its chart and its table."""
    console = tour.console
    _calls(tour)
    tour.again("usage", "?span=hour")
    for title in ("Requests", "Answer times", "Pushes"):
        console.until(f"""(() => {{ const summary = document.querySelector('[aria-label="{title}"] summary');
          summary?.focus(); return summary !== null && document.activeElement === summary; }})()""", f"{title} has the focus")
        console.press("Enter")
        console.see("table", title)
    # The page is live: it gets to what the server has counted by now.
    def agrees():
        usage = tour.usage = json.loads(tour.admin("usage?span=hour"))
        return (_column(tour, "Requests", 2) == _counts(usage, "refused") and _column(tour, "Requests", 3) == _counts(usage, "failed")
                and _column(tour, "Pushes", 1) == _counts(usage, "pushes")
                and _column(tour, "Pushes", 2) == _counts(usage, "failedPushes"))
    until(agrees, f"the tables have other numbers than the server: {tour.usage['total']}")
    total = tour.usage["total"]
    expect(total["refused"] >= 3 and total["failed"] >= 1 and total["pushes"] >= 1 and total["failedPushes"] >= 1,
           f"errors and pushes are in the tables, as the server counts them: {total}")
    console.see("image", f"{total['refused']} refused, {total['failed']} failed")
    console.see("image", f"{total['failedPushes']} not taken")
    console.see("image", "Half of the requests took at most")
    for title, kinds in (("Requests", ("c-wait", "c-bad")), ("Answer times", ("c-accent",)), ("Pushes", ("c-info", "c-bad"))):
        for kind in kinds:
            drawn = console.page.run(f"document.querySelector('[aria-label=\"{title}\"] svg .{kind}') !== null")
            expect(drawn, f"{title}: {kind} is drawn")
    times = console.page.run("[...document.querySelectorAll('[aria-label=\"Answer times\"] tbody td.right')].map((one) => one.innerText)")
    expect(times and all(time.split()[-1] in ("ms", "s") or time == "–" for time in times),
           f"answer times are numbers in a table: {times}")
    tour.done("usage-errors", "errors, answer times and pushes as charts, with their numbers")


def _column(tour, title, at):
    """The numbers of a column of a chart's table, summed up."""
    return tour.console.page.run(f"""[...document.querySelectorAll('[aria-label="{title}"] tbody tr')].reduce((sum, row) =>
      sum + Number(row.cells[{at}].innerText.replaceAll("\\u202f", "")), 0)""")


def _counts(usage, name):
    return sum(step[name] for step in usage["usage"])


def _calls(tour):
    tour.usage = {"total": None}
    bob = tour.server.client("bob", "mac")
    for _ in range(3):
        try:
            bob.call("records/query", {"query": {"recordType": 7}})
        except Refused:
            pass
    tour.server.tool("faults", "add", "error", "--code", "6", "--on", "fetchRecords", "--user", "bob")
    try:
        bob.call("records/lookup", {"records": [{"recordName": "x"}]})
    except Refused:
        pass
    # Nobody listens there.
    hook = tour.server.tool("webhook", "add", "https://localhost:1/nobody").split()[0]
    tour.save("for-nobody", text="x")
    until(lambda: '"retry"' in tour.server.tool("push", "log", "--json", "--device", hook), "the webhook is not called")
    tour.server.tool("webhook", "remove", hook)


def copied(tour):
    """All numbers go into another program by one key."""
    console = tour.console
    tour.browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    tour.again("usage", "?span=hour")
    def agrees():
        console.push("Copy as CSV")
        console.see_text("Copied the numbers")
        head, *lines = [line.split(",") for line in console.page.run("navigator.clipboard.readText()").split("\n")]
        usage = json.loads(tour.admin("usage?span=hour"))
        tour.lines = [dict(zip(head, line)) for line in lines]
        names = ("refused", "failed", "pushes", "failedPushes", "saved")
        tour.copied = [sum(int(line[name]) for line in tour.lines) for name in names], [_counts(usage, name) for name in names]
        return tour.copied[0] == tour.copied[1]
    try:
        until(agrees, "what is copied has other numbers than the server")
    except SystemExit as error:
        raise SystemExit(f"{error}: {tour.copied}")
    expect(len(tour.lines) == 60, "what is copied has a line for each minute, with the numbers of the server")
    expect(any(line["p95"] for line in tour.lines) and tour.lines[0]["time"].endswith("Z"),
           "with answer times, and times that programs read")


def commands(tour):
    """Names that begin as options do are none in the commands to copy."""
    console = tour.console
    tour.browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    tour.again("trace", "?record=-x&user=alice")
    console.push("Copy as command")
    console.see_text("Copied the command")
    copied = console.page.run("navigator.clipboard.readText()")
    expect(copied.startswith("brume push explain --record=-x --user alice"), f"a name is no option in a command: {copied}")
    tour.open("backup")
    console.tab_to("File")
    console.replace("-monday.brume")
    console.until("document.querySelector('[aria-label=\"the command that verifies\"]')?.textContent.startsWith("
                  "'brume backup --verify ./-monday.brume')", "nor is a file's name")
    console.replace(" ")
    console.until("document.querySelector('[aria-label=\"the command that verifies\"]')?.textContent.startsWith("
                  "'brume backup --verify monday.brume')", "and without a name there is one in the command")


def tokens(tour):
    """A phone whose tokens are too old forgets them, and fetches all."""
    console = tour.console
    _ask(tour, "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": WALKED}}]})
    _save_walked(tour, "first")
    with answered_by(tour, EXPIRED, "devices", "?scene=alice:walker"):
        console.see_text("1 simulated, 1 online")
        tour.server.tool("push", "test", "--user", "alice")
        console.see_text("fetch Walked: 1 changed")
        _save_walked(tour, "second")
        tour.server.tool("push", "test", "--user", "alice")
        console.see_text("fetch Walked: 2 changed")
        expect(console.page.run("window.expired.sort().join()") == "database,zone", "a phone forgets tokens that are too old")
        console.push("Remove walker of alice")
        console.see_text("No phones")


def _save_walked(tour, name):
    _ask(tour, "records/modify", {"zoneID": WALKED, "operations": [
        {"operationType": "create", "record": {"recordType": "Note", "recordName": name, "fields": {}}}]})


def _ask(tour, endpoint, body):
    # Between two calls may be more time than a connection is kept.
    tour.phone.connection = None
    return tour.phone.call(endpoint, body)


def held(tour):
    """What a fault has held back is there, and can be released, when the fault is used up."""
    console = tour.console
    desk = Listener(tour.server.client("alice", "desk"))
    desk.listen()
    until(lambda: "desk" in tour.server.tool("devices", "list", "--user", "alice"), "the device is not known")
    tour.server.tool("faults", "add", "holdPush", "--device", "desk")
    tour.server.tool("push", "test", "--user", "alice", "--text", "for later")
    until(lambda: "held back until" in tour.server.tool("push", "log", "--json", "--device", "desk"), "the push is not held back")
    tour.again("faults")
    console.see_text("Nothing will go wrong")
    console.push("Release held pushes")
    console.see_text("Delivered what was held back: 1 push")
    expect(desk.wait_until(lambda events: any(_body(event) == "for later" for event in events), 60),
           "what was held back comes when it is released, though no fault is left")
    console.push("Release held pushes")
    console.see_text("No push is held back")


# The change that the address names, and the keys that act on the page now.
CHANGE = "import('/_brume/console/core/router.js').then(({ route }) => route.path[0] ?? '')"
KEYS = "import('/_brume/console/core/keyboard.js').then(({ allKeys }) => Object.keys(allKeys()))"


def neighbours(tour):
    """The keys for the changes before and after go through those that a question finds, and are there with a change only."""
    console = tour.console
    for text in ("one", "two", "three"):
        tour.save("changed", text=text)
    tour.again("trace", "?record=changed")
    seen = [""]
    for key in ("[", "[", "]"):
        console.until("document.querySelector('main .figures') !== null", "a change is shown")
        console.press(key)
        console.until(f"{CHANGE}.then((at) => at !== {seen[-1]!r})", f"{key} leads to another change")
        seen.append(console.page.run(CHANGE))
    expect(seen[1] == seen[3] != seen[2], f"the keys go back and forth among the changes of a record {seen}")
    tour.open("trace")
    console.see_text("Save something, then ask for it")
    console.press("[")
    console.press("n")
    console.until("document.activeElement.id === 'field-record-or-request-id'", "another key acts")
    at, keys = console.page.run(CHANGE), console.page.run(KEYS)
    expect(at == "" and "[" not in keys and "n" in keys, f"where no change is shown, they lead nowhere {at} {keys}")


WALKS = [cut, charts, copied, commands, neighbours, tokens, held]
