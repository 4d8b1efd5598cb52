"""The states that every page of the console has besides its content: loading, failed and retried, forbidden. What the
server answers is replaced in the page, so that each page sees each answer."""
from brume_server import expect

ID = "0DDBA11E-0000-4000-8000-000000000001"
# Before the page's own scripts: the mode is kept in the tab, so that it holds from the first call on.
INJECTED = """(() => {
  const real = window.fetch;
  window.fetch = (address, options) => {
    const { match, kind } = JSON.parse(sessionStorage.getItem("test.mode") ?? "{}");
    if (!match || !String(address).includes(match)) return real(address, options);
    if (kind === "loading") return new Promise(() => {});
    const [status, code, reason] = kind === "forbidden"
      ? [403, "ACCESS_DENIED", "an operator with the role 'full' can do this"]
      : [500, "INTERNAL_ERROR", "the store does not answer"];
    const body = JSON.stringify({ uuid: "%s", serverErrorCode: code, reason });
    return Promise.resolve(new Response(body, { status, headers: { "content-type": "application/json" } }));
  };
})()""" % ID

# Where, and the call whose answer the page shows. Devices shows no list of the server's.
PAGES = [
    ("start", "admin/status"), ("records/public/-/_defaultZone/Whistles", "admin/records/query"), ("zones/alice", "admin/zones"),
    ("schema", "admin/schema?"), ("schema?tab=roles", "admin/schema?"), ("trace?record=x", "admin/trace"),
    ("push", "admin/push/log"), ("faults", "admin/faults"), ("users", "admin/users"), ("users?tab=tokens", "admin/tokens"),
    ("users?tab=keys", "admin/keys"), ("users?tab=apns", "admin/apns"), ("users?tab=webhooks", "admin/webhooks"),
    ("users?tab=operators", "admin/operators"), ("logs", "admin/logs"), ("logs?tab=audit", "admin/audit"),
    (f"logs?request={ID}", "admin/logs"), ("usage", "admin/usage?"), ("usage", "admin/usage/storage"),
]


def walk(console, place):
    """Each page in each state; ends with the server's own answers."""
    console.do("Page.addScriptToEvaluateOnNewDocument", source=INJECTED)
    for address, match in PAGES:
        _load(console, f"{place}/{address}", match, "loading")
        _until(console, address, "loading", "document.querySelector('main .loading[role=status]') !== null")
        _load(console, f"{place}/{address}", match, "forbidden")
        console.see_text("Your role does not allow this")
        _load(console, f"{place}/{address}", match, "error")
        _until(console, address, "error", f"""(() => {{
          const failed = document.querySelector("main [role=alert]");
          return failed?.innerText.includes("the store does not answer") && failed.querySelector("a")?.hash.includes("{ID}");
        }})()""")
        console.page.run("sessionStorage.removeItem('test.mode')")
        console.push("Retry")
        _until(console, address, "what came after a retry", "document.querySelector('main .failed') === null")
    expect(True, f"{len(PAGES)} pages and tabs: loading, forbidden, failed with the request's ID, and a retry by key")


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
