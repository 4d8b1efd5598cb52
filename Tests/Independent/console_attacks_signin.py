"""The pages that are not the console: where users and operators sign in, where a sign-in ends, and the page of a share. A part of
console_attacks.py."""
import json

from brume_server import expect, expect_quietly
from console_attacks_texts import ATTACKS, MADE, MARK, NAMES, ORIGIN, RUNS
from console_attacks_writers import quoted
from console_page import STATUS, ConsolePage
from matrix.answers import Wire

# What a provider says is cut: of the longest the mark is gone.
SAID = [attack for attack in ATTACKS if MARK in attack[:60]]
# A provider may be asked a hundred times by one address.
FEW = SAID[::5]
SENTENCE = "This address shares something of an app"


class Visitor:
    """Somebody at such a page."""

    def __init__(self, server, browser):
        self.server, self.browser = server, browser
        self.url, self.wire = server.values["BRUME_URL"], Wire(server.address)
        self.page = ConsolePage(browser, "about:blank")
        self.page.do("Page.addScriptToEvaluateOnNewDocument", source=RUNS)
        # Who signs in is nobody yet, and some are refused.
        browser.expects(STATUS % 401, "/_brume/admin/session")
        browser.expects(STATUS % 401, "/_brume/signin/")

    def goes(self, address):
        """Where only what stands behind # differs a browser stays, so it leaves first."""
        self.browser.go(self.page.page, "about:blank")
        self.page.do("Page.navigate", url=address)

    def sees(self, what, *elements):
        """Each of these has an attack as its text, or as what is typed in it, and nothing is made of any."""
        for element in elements:
            at = f"document.getElementById({element!r})"
            self.page.until(f"({at}.value || {at}.textContent).includes({MARK!r}) && !{at}.hidden", f"{what}: {element} shows it")
        made = self.page.page.run(MADE)
        expect_quietly(made is None, f"{what}: an element was made, or a script ran: {made}")

    def clicks(self, element):
        self.page.until(f"document.getElementById({element!r})?.checkVisibility()", f"there is {element}")
        self.page.page.run(f"document.getElementById({element!r}).click()")

    def address(self, token):
        """Where a user signs in whom an app needs."""
        values = self.server.values
        answer = self.wire.ask("GET", f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/public/users/caller?ckAPIToken={token}")
        expect_quietly(answer.status == 421, f"an app is referred to where its user signs in: {answer}")
        return answer.get("redirectURL")


def users(visitor):
    """The app, its origins and the provider may be called anything."""
    for text in ATTACKS:
        token = visitor.server.admin("tokens", {"name": text, "origins": [ORIGIN]})["token"]
        visitor.goes(visitor.address(token))
        visitor.sees(f"signing in to {text}", "app", "receiver", "provider")
    wrong = {"name": ATTACKS[0], "password": ATTACKS[0]}
    visitor.page.page.run("".join(f"document.getElementById({name!r}).value = {json.dumps(text)};" for name, text in wrong.items()))
    visitor.clicks("submit")
    visitor.page.until("document.getElementById('message').textContent.includes('unknown user name')", "a wrong name is refused")
    visitor.sees("a wrong name", "name", "app")
    for parameter in (quoted(ATTACKS[0]), quoted(ATTACKS[2])):
        visitor.browser.expects(STATUS % 400, "/_brume/signin/options")
        visitor.goes(f"{visitor.url}/_brume/signin/?state={parameter}")
        visitor.page.until("document.getElementById('message')?.textContent.includes('not complete')", "an address that is none is said to be none")
        made = visitor.page.page.run(f"{MADE} ?? (document.body.textContent.includes({MARK!r}) || null)")
        expect_quietly(made is None, f"what stands in the address is not on the page: {made}")
    expect(True, f"on the page where users sign in {len(ATTACKS)} names of apps, an origin and the provider's name are text")


def refused(visitor, provider):
    """Why a provider signs nobody in is said in its words."""
    address = visitor.address(visitor.server.values["BRUME_API_TOKEN"])
    for text in SAID:
        provider.refusal = text
        visitor.goes(address)
        visitor.clicks("provider")
        visitor.sees(f"refused with {text}", "message")
        expect_quietly("/callback" in visitor.page.page.run("location.pathname"), "the provider has sent the browser back")
    provider.refusal = None
    expect(True, f"where a sign-in ends {len(SAID)} reasons of a provider are text")


def operators(visitor, provider):
    """Who is invited may be called anything, and so may who is no operator."""
    for name in NAMES:
        visitor.goes(visitor.server.admin("operators/invitations", {"name": f"invited-{name}", "role": "read-only"})["url"])
        visitor.sees(f"the invitation of {name}", "lead", "name", "provider")
    for text in FEW:
        provider.user = {"sub": f"me {text}"}
        visitor.goes(f"{visitor.url}/_brume/console/signin")
        visitor.clicks("provider")
        visitor.sees(f"no operator is {text}", "message")
    expect(True, f"where operators sign in {len(NAMES)} names of who is invited and {len(FEW)} of who is nobody are text")


def shared(visitor, name):
    """The page of a share says the same whatever it is called, so nothing of a share is on it."""
    answers = [visitor.wire.ask("GET", f"/share/{quoted(text)}", headers={"Accept": "text/html"}) for text in [name, *ATTACKS]]
    expect_quietly({answer.status for answer in answers} == {200}, f"each share has a page: {answers}")
    page = answers[0].text
    expect(SENTENCE in page and MARK not in page and {answer.text for answer in answers} == {page},
           f"the page of a share is the same for {len(ATTACKS)} names that are none's, without title and owner")
    for text in (name, ATTACKS[0], ATTACKS[2]):
        visitor.goes(f"{visitor.url}/share/{quoted(text)}")
        visitor.page.until(f"location.pathname.startsWith('/share/') && document.body.innerText.includes({SENTENCE!r})", "the page of a share says its sentence")
        made = visitor.page.page.run(f"{MADE} ?? (document.body.textContent.includes({MARK!r}) || null)")
        expect_quietly(made is None, f"nothing of a share's name is on its page: {made}")


def visit(server, browser, provider, share):
    visitor = Visitor(server, browser)
    users(visitor)
    refused(visitor, provider)
    operators(visitor, provider)
    shared(visitor, share)
    visitor.page.page.close()
