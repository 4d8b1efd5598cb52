"""Operators on the console: what they have typed stays theirs, a form is sent once, and a browser's session that is begun
anew or ended is noticed."""
import json

from brume_server import expect
from console_page import STATUS
from console_pages_keys import place

PASSWORD = "a password that is long enough"
SIGN_IN = "/_brume/console/signin"


def once(tour):
    """Two clicks are one token; Esc keeps what was typed, Close does not."""
    console = tour.console
    tour.begin("users", "?tab=tokens", "clicked-twice")
    console.page.run("""(() => { const send = document.querySelector(".inspector [type=submit]"); send.click(); send.click(); })()""")
    console.see_text("clicked-twice may call now")
    made = json.loads(tour.admin(f"tokens?{place(tour)}"))["tokens"]
    expect([token["name"] for token in made].count("clicked-twice") == 1, "a double click makes one token")
    tour.begin("users", "?tab=tokens", "half done")
    console.press("Escape")
    console.until("document.querySelector('.inspector') === null", "Esc closes the form")
    tour.begin("users", "?tab=tokens")
    expect(_name(console) == "half done", "Esc keeps what was typed into a form")
    console.page.run("document.querySelector('.inspector [aria-label=Close]').click()")
    console.until("document.querySelector('.inspector') === null", "Close closes it")
    tour.begin("users", "?tab=tokens")
    expect(_name(console) == "", "and Close forgets it")
    console.press("Escape")


def _name(console):
    # The page may be drawing it anew.
    console.until("document.querySelector('.inspector input') !== null", "the form has a field for a name")
    return console.page.run("document.querySelector('.inspector input').value")


def session(tour):
    """A browser's session: back at the address that was opened, renewed elsewhere, and ended."""
    console = tour.console
    for name in ("nina", "otto"):
        _post(console, "operators", {"name": name, "password": PASSWORD}, "{ authorization: `Bearer ${sessionStorage.getItem('brume.admin')}` }")
    # What was under way when the session ended is answered so as well.
    tour.browser.expects(STATUS % 401, "/_brume/admin/")
    _sign_out(console)
    console.page.run(f"location.hash = {tour.place + '/zones/alice'!r}")
    _sign_in(console, "nina")
    console.see("heading", "Zones and shares")
    expect(console.page.run("location.hash") == f"{tour.place}/zones/alice", "who signs in comes to the address that was opened")
    _stays(tour)
    tour.browser.expects(STATUS % 403, "/_brume/admin/tokens")
    _post(console, "session", {"name": "nina", "password": PASSWORD})
    tour.begin("users", "?tab=tokens", "of-nina")
    console.press("Enter")
    console.see_text("of-nina may call now")
    expect(True, "a session that is begun anew in another tab is taken up")
    _post(console, "session", {"name": "otto", "password": PASSWORD})
    tour.begin("users", "?tab=tokens", "not-for-otto")
    console.press("Enter")
    console.see_text("otto is signed in here now, nina no longer")
    made = json.loads(tour.admin(f"tokens?{place(tour)}"))["tokens"]
    expect("not-for-otto" not in [token["name"] for token in made] and _name(console) == "",
           "when it is somebody else's, nothing is changed, and nothing typed is left to them")
    _sign_out(console)
    expect(console.page.run("fetch('/_brume/admin/session').then((answer) => answer.status)") == 401, "signing out ends the session")
    console.page.run(f"location.hash = {tour.place + '/start'!r}; location.reload()")
    tour.sign_in()


def _stays(tour):
    """Who would take the right to change from oneself is asked before."""
    console = tour.console
    tour.open("users", "?tab=operators")
    console.see("cell", "nina")
    console.page.run("""[...document.querySelectorAll("main tbody tr")].find((row) => row.cells[0].innerText === "nina")
      .querySelector("button").click()""")
    console.focused("Type ")
    console.see_text("You can change nothing on this server from then on")
    console.escape()
    roles = {person["name"]: person["role"] for person in json.loads(tour.admin("operators"))["operators"]}
    expect(roles["nina"] == "full", "an operator does not become one who only reads by one click")


def _post(console, path, body, headers="{}"):
    """A call as another tab makes it."""
    status = console.page.run(f"""fetch("/_brume/admin/{path}", {{ method: "POST", headers: {headers},
      body: {json.dumps(json.dumps(body))} }}).then((answer) => answer.status)""")
    if status != 200:
        raise SystemExit(f"FAILED: {path}: {status}")


def _sign_out(console):
    console.page.run("document.querySelector('[aria-label^=\"Sign out \"]').click()")
    console.focused("Or an admin token")


def _sign_in(console, name):
    """On the page of its own."""
    console.page.run(f"document.querySelector('main a[href={json.dumps(SIGN_IN)}]').click()")
    console.until(f"location.pathname === {SIGN_IN!r} && document.getElementById('form')?.hidden === false", "the page to sign in")
    for field, text in (("name", name), ("password", PASSWORD)):
        console.page.run(f"document.getElementById({field!r}).value = {text!r}")
    console.page.run("document.getElementById('form').requestSubmit()")


WALKS = [once, session]
