"""The states that every page of the console has besides its content: loading, failed and retried, forbidden. What the
server answers is replaced in the page, so that each page sees each answer. And answers that come late, when somebody has
gone elsewhere."""
import json

from brume_server import expect

ID = "0DDBA11E-0000-4000-8000-000000000001"
# Before the page's own scripts: the mode is kept in the tab, so that it holds from the first call on.
INJECTED = """(() => {
  const real = window.fetch;
  window.fetch = (address, options) => {
    const { match, kind } = JSON.parse(sessionStorage.getItem("test.mode") ?? "{}");
    // A dollar sign is the end of the address.
    if (!match || !`${address}$`.includes(match)) return real(address, options);
    if (kind === "loading") return new Promise(() => {});
    const [status, code, reason] = kind === "forbidden"
      ? [403, "ACCESS_DENIED", "an operator with the role 'full' can do this"]
      : [500, "INTERNAL_ERROR", "the store does not answer"];
    const body = JSON.stringify({ uuid: "%s", serverErrorCode: code, reason });
    return Promise.resolve(new Response(body, { status, headers: { "content-type": "application/json" } }));
  };
})()""" % ID

# Where, and the call whose answer the page shows.
PAGES = [
    ("start", "admin/status"), ("records/public/-/_defaultZone/Whistles", "admin/records/query"), ("zones/alice", "admin/zones"),
    ("schema", "admin/schema?"), ("schema?tab=roles", "admin/schema?"), ("trace?record=x", "admin/trace"),
    ("push", "admin/push/log"), ("faults", "admin/faults"), ("users", "admin/users"), ("users?tab=tokens", "admin/tokens"),
    ("users?tab=keys", "admin/keys"), ("users?tab=apns", "admin/apns"), ("users?tab=webhooks", "admin/webhooks"),
    ("users?tab=operators", "admin/operators"), ("logs", "admin/logs"), ("logs?tab=audit", "admin/audit"),
    (f"logs?request={ID}", "admin/logs"), ("usage", "admin/usage?"), ("usage", "admin/usage/storage"),
    ("devices", "admin/users"), ("backup", "admin/backups/restore"),
]

# Parts of pages that ask on their own: the page stands, and the part shows its state. Of a user with a zone and a device.
PARTS = [
    ("zones/alice/Notebook", "admin/shares"), ("users/alice", "admin/devices"), ("faults", "_brume/admin/clock"),
    ("faults", "admin/log?"), ("usage", "admin/usage/storage/history"), ("push", "admin/push/log"),
    ("users?tab=operators", "admin/operators/tokens"),
    ("schema", "environment=production"),
]
# What is asked for by a button: the state stands beside it, and the button is the retry.
ASKED = [
    ("zones/alice?tab=token", "tokens/decode", "Token", "Read it"),
    ("zones/alice?tab=deletions", "deletions/forget", "Older than, in days", "Count them"),
]


def walk(console, place, pages=PAGES):
    """Each page in each state; ends with the server's own answers."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=INJECTED)["identifier"]
    for address, match in pages:
        _load(console, f"{place}/{address}", match, "loading")
        _until(console, address, "loading", "document.querySelector('main .loading[role=status]') !== null")
        _load(console, f"{place}/{address}", match, "forbidden")
        console.see_text("Your role does not allow this")
        _load(console, f"{place}/{address}", match, "error")
        _until(console, address, "error", f"""(() => {{
          const failed = document.querySelector("main [role=alert]");
          return failed?.innerText.includes("the store does not answer") && failed.querySelector("a")?.hash.includes("{ID}");
        }})()""")
        _retry(console)
        _until(console, address, "what came after a retry", "document.querySelector('main .failed') === null")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    expect(True, f"{len(pages)} pages, tabs and parts: loading, forbidden, failed with the request's ID, and a retry by key")


def _retry(console):
    """By key. The server answers again when the focus is on the button: before, an event that makes the page ask by itself
    would take the button away."""
    console.tab_to("Retry")
    console.page.run("sessionStorage.removeItem('test.mode')")
    console.press("Enter")


def ask(console, place, texts):
    """Forms that only ask, in each state; `texts` is what is typed into their fields."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=INJECTED)["identifier"]
    for address, match, field, button in ASKED:
        def send(kind):
            _load(console, f"{place}/{address}", match, kind)
            console.tab_to(field)
            console.replace(texts[field])
            console.push(button)
        send("loading")
        _until(console, address, "loading", "document.querySelector('main form .loading[role=status]') !== null")
        for kind, words in (("forbidden", "an operator with the role 'full' can do this"), ("error", "the store does not answer")):
            send(kind)
            _until(console, address, kind, f"""(() => {{ const wrong = document.querySelector("main form [role=alert]")?.innerText;
              return wrong?.includes({words!r}) && wrong.includes("{ID}") && !document.querySelector("main form .loading"); }})()""")
        console.page.run("sessionStorage.removeItem('test.mode')")
        console.push(button)
        _until(console, address, "the answer", """document.querySelector("main form [role=status]:not(.loading)") !== null
          && document.querySelector("main form [role=alert]") === null""")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    expect(True, f"{len(ASKED)} forms that ask: loading, forbidden, failed with the request's ID, and answered by the same key")


# Parts that are not shown while there is nothing in them.
QUIET = [("users?tab=operators", "operators/invitations"), ("schema", "admin/schema/usage")]


def quiet(console, place):
    """What has failed is said where nothing would stand, and by a button that has to ask for what it copies."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=INJECTED)["identifier"]
    for address, match in QUIET:
        _load(console, f"{place}/{address}", match, "error")
        _until(console, address, "error", """[...document.querySelectorAll("main [role=alert]")].some((one) =>
          one.innerText.includes("the store does not answer"))""")
        _retry(console)
        _until(console, address, "what came after a retry", "document.querySelector('main .failed') === null")
    _load(console, f"{place}/start?client=browser", "admin/status", "loading")
    _until(console, "start", "loading", "document.querySelector('[aria-label=Connect] .loading') !== null")
    expect("has no API token" not in console.text(), "what the server has is not said before the server has said it")
    _load(console, f"{place}/start", "", "error")
    console.see("region", "Environment")
    console.page.run("""sessionStorage.setItem("test.mode", JSON.stringify({ match: "admin/status", kind: "error" }))""")
    console.push("Copy")
    console.see_text("Nothing is copied: the store does not answer")
    console.page.run("sessionStorage.removeItem('test.mode')")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    console.do("Page.reload")
    console.see("region", "Environment")
    expect(True, "what has failed is said where nothing would stand, and where it would have been copied")


# What a button begins: the state stands beside it, and the button is the retry.
PRESSED = [
    ("backup", "admin/backups$", "Back up", "Fetched at"),
    ("backup", "admin/assets/check", "Check the files", "looked at"),
]


def press(console, place):
    """Buttons that begin something, in each state."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=INJECTED)["identifier"]
    for address, match, button, done in PRESSED:
        _load(console, f"{place}/{address}", match, "loading")
        console.until("document.querySelector('main [role=status]') === null", "nothing is said to go on before it begins")
        console.push(button)
        _until(console, address, "loading", "document.querySelector('main [role=status]') !== null")
        for kind, words in (("forbidden", "an operator with the role 'full' can do this"), ("error", "the store does not answer")):
            _load(console, f"{place}/{address}", match, kind)
            console.push(button)
            _until(console, address, kind, f"""(() => {{ const wrong = document.querySelector("main [role=alert]")?.innerText;
              return wrong?.includes({words!r}) && wrong.includes("{ID}") && !document.querySelector("main .loading"); }})()""")
        console.page.run("sessionStorage.removeItem('test.mode')")
        console.push(button)
        _until(console, address, "what came of it", f"""document.querySelector("main [role=alert]") === null
          && document.querySelector("main").innerText.includes({done!r})""")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    expect(True, f"{len(PRESSED)} buttons that begin something: under way, forbidden, failed with the request's ID, and done by the same key")


# Answers of calls that match are read, and handed over when the test says so.
HELD = """(() => {
  const real = window.fetch;
  window.heldAnswers = [];
  window.fetch = async (address, options = {}) => {
    const [match, method] = JSON.parse(sessionStorage.getItem("test.held") ?? "[]");
    const answer = await real(address, options);
    if (!match || !String(address).includes(match) || (options.method ?? "GET") !== method) return answer;
    const { ok, status, headers } = answer, text = await answer.text();
    return new Promise((resolve) => heldAnswers.push(() => resolve(
      { ok, status, headers, text: async () => text, json: async () => JSON.parse(text) })));
  };
})()"""
RELEASE = "heldAnswers.splice(0).forEach((release) => release())"


def late(console, place, tool):
    """Answers that come when somebody has gone to another page."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=HELD)["identifier"]
    hold(console, "admin/status", "GET")
    console.browser.go(console.page, console.url)
    console.do("Page.reload")
    console.browser.wait(lambda: console.page.run("heldAnswers.length > 0"))
    # The answer is there after the address has changed, and before the browser says so.
    console.page.run(f"location.hash = '{place}/schema'; {RELEASE}; sessionStorage.removeItem('test.held')")
    console.see("heading", "Schema")
    expect(console.page.run("location.hash") == f"{place}/schema",
           "who leaves before the server has said its container is not led back to Start")
    hold(console, "admin/tokens", "POST")
    console.open(f"{place}/users?tab=tokens&new=1")
    console.focused("Name")
    console.type("late")
    console.press("Enter")
    console.browser.wait(lambda: console.page.run("heldAnswers.length > 0"))
    console.open(f"{place}/zones/alice")
    console.see("table", "Zones of alice")
    console.page.run(RELEASE)
    console.see_text("late may call now")
    expect(console.page.run("location.hash") == f"{place}/zones/alice" and "late" in tool("token", "list"),
           "nor who leaves while something is made, which is made all the same")
    console.page.run("sessionStorage.removeItem('test.held')")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


# Calls of users never end, and the time after which one is given up is over at once.
NEVER = """(() => {
  const [realFetch, realTimeout] = [window.fetch, window.setTimeout];
  window.setTimeout = (body, time, ...rest) => realTimeout(body, time === 70000 ? 0 : time, ...rest);
  window.fetch = (address, options = {}) => String(address).includes("admin/users")
    ? new Promise((_, refuse) => options.signal.addEventListener("abort", () => refuse(options.signal.reason)))
    : realFetch(address, options);
})()"""


def never(console, place):
    """A call that has no end is given up: a page that refreshes itself would wait for it for good."""
    script = console.do("Page.addScriptToEvaluateOnNewDocument", source=NEVER)["identifier"]
    console.page.run(f"location.hash = '{place}/users'")
    console.do("Page.reload")
    _until(console, "users", "that the server does not answer",
           """document.querySelector("main [role=alert]")?.innerText.includes("does not answer")""")
    console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)
    console.do("Page.reload")
    console.see_text("alice")
    expect(True, "a call that has no end is given up, with words")


def hold(console, match, method):
    console.page.run(f"sessionStorage.setItem('test.held', {json.dumps(json.dumps([match, method]))})")


def _load(console, address, match, kind):
    console.page.run(f"""sessionStorage.setItem("test.mode", JSON.stringify({{ match: {match!r}, kind: {kind!r} }}))""")
    console.page.run(f"location.hash = {address!r}")
    console.do("Page.reload")
    _until(console, address, "title", "document.querySelector('main h1') !== null")


def _until(console, address, what, script):
    try:
        console.browser.wait(lambda: console.page.run(script))
    except SystemExit:
        raise SystemExit(f"FAILED: {address} does not show: {what}; it shows {console.text()}"[:2000])
