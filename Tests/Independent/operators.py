"""The operators' page in a real browser: the first operator, signing in, an invitation, development's link.

Looks at what only a browser can show: that the cookie is out of reach of scripts, that the policy holds, that the
link's secret does not stay in the address, that fields have labels and the cursor is where it has to be.
"""
import argparse
import json
import os
import sys
import tempfile

import chromium
from brume_server import Server
from signin import Checks

PASSWORD = "correct horse"


def is_at(browser, page, path):
    browser.wait(lambda: page.run("location.pathname") == path and page.run("document.readyState") == "complete")


def fill(page, **fields):
    for field, text in fields.items():
        page.run(f"document.getElementById({json.dumps(field)}).value = {json.dumps(text)}")
    page.run("document.getElementById('form').requestSubmit()")


def opened(browser, address):
    """A page of a link, when it has taken the secret out of its address."""
    page = browser.page("about:blank")
    browser.call("Page.enable", {}, page.session)
    browser.call("Page.navigate", {"url": address}, page.session)
    return page


def first_operator(checks, browser, server):
    url, link = server.values["BRUME_URL"], server.tool("operator", "link")
    page = opened(browser, link)
    browser.wait(lambda: page.run("!document.getElementById('form').hidden"))
    checks.that("the secret does not stay in the address", page.run("location.hash") == "")
    checks.that("the page asks for the first operator", "first operator" in page.run("document.title"))
    checks.that("the cursor is in the name", page.run("document.activeElement.id") == "name")
    checks.that("each field has a label", page.run(
        "[...document.querySelectorAll('input')].every((field) => field.labels.length === 1)"))
    checks.that("messages are read aloud", page.run("document.getElementById('message').getAttribute('role')") == "status")
    checks.that("the policy refuses markup from texts", page.run(
        "(() => { try { document.body.innerHTML = '<b>x</b>'; return false; } catch { return true; } })()"))
    fill(page, name="ada", password=PASSWORD, again="another")
    browser.wait(lambda: "differ" in page.run("document.getElementById('message').textContent"))
    fill(page, name="ada", password=PASSWORD, again=PASSWORD)
    is_at(browser, page, "/_brume/console/")
    who = page.run("fetch('/_brume/admin/session').then((answer) => answer.json())")
    checks.that("the first operator is signed in", who["operator"] == {"name": "ada", "role": "full"}, str(who))
    checks.that("no script sees the cookie", "brume" not in page.run("document.cookie"))
    post = "fetch('/_brume/admin/users', {method: 'POST', body: '{\"name\": \"carol\"}', headers: %s})" \
        ".then((answer) => answer.status)"
    checks.that("nothing changes without the CSRF token", page.run(post % "{}") == 403)
    checks.that("with it, it does", page.run(post % json.dumps({"X-Brume-CSRF": who["csrf"]})) == 200)
    end = "fetch('/_brume/admin/session/end', {method: 'POST', headers: {'X-Brume-CSRF': %s}})" \
        ".then((answer) => answer.status)"
    checks.that("signing out works", page.run(end % json.dumps(who["csrf"])) == 200)
    status = page.run("fetch('/_brume/admin/session').then((answer) => answer.status)")
    checks.that("and holds at once", status == 401)
    page.close()
    again = opened(browser, link)
    browser.wait(lambda: "was used" in again.run("document.getElementById('message').textContent"))
    checks.that("a used link leads to signing in", "Sign in" in again.run("document.title"))
    fill(again, name="ada", password="wrong")
    browser.wait(lambda: "wrong password" in again.run("document.getElementById('message').textContent"))
    checks.that("what is wrong is marked", again.run(
        "document.getElementById('password').getAttribute('aria-invalid')") == "true")
    fill(again, name="ada", password=PASSWORD)
    is_at(browser, again, "/_brume/console/")
    browser.go(again, f"{url}/_brume/openapi")
    checks.that("the API's page has its own style, and the console's sizes and colours", again.run(
        "[...document.styleSheets].filter((sheet) => sheet.cssRules.length > 0).length") == 2)
    again.close()


def invited(checks, browser, server):
    """Who is invited chooses a password and is in, with the rights that were meant; the link is good once."""
    link = server.tool("operator", "invitation", "create", "cleo", "--read-only").strip()
    page = opened(browser, link)
    browser.wait(lambda: page.run("!document.getElementById('form').hidden"))
    checks.that("an invitation's secret does not stay in the address", page.run("location.hash") == "")
    lead = page.run("document.getElementById('lead').textContent")
    checks.that("the page says as whom and to what", "as cleo" in lead and "may look at everything" in lead, lead)
    checks.that("the name is the invitation's", page.run(
        "[document.getElementById('name').value, document.getElementById('name').readOnly]") == ["cleo", True])
    checks.that("the cursor is in the password", page.run("document.activeElement.id") == "password")
    fill(page, password="short", again="short")
    browser.wait(lambda: "8" in page.run("document.getElementById('message').textContent"))
    checks.that("a password that cannot be is said at its field", page.run("document.activeElement.id") == "password")
    fill(page, password=PASSWORD, again=PASSWORD)
    is_at(browser, page, "/_brume/console/")
    who = page.run("fetch('/_brume/admin/session').then((answer) => answer.json())")
    checks.that("who was invited is signed in, with that role", who["operator"] == {"name": "cleo", "role": "read-only"}, str(who))
    page.close()
    again = opened(browser, link)
    browser.wait(lambda: "was used" in again.run("document.getElementById('message').textContent"))
    checks.that("a used invitation leads to signing in", "Sign in" in again.run("document.title"))
    checks.that("where a name can be typed", not again.run("document.getElementById('name').readOnly"))
    again.close()


def development(checks, browser, server):
    page = opened(browser, server.tool("operator", "link"))
    is_at(browser, page, "/_brume/console/")
    who = page.run("fetch('/_brume/admin/session').then((answer) => answer.json())")
    checks.that("development's link signs in at once", who["operator"]["name"] == "development", str(who))
    page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    program = chromium.find()
    if not program:
        print("operators: no Chromium here; scripts/prepare installs Debian's package 'chromium'")
        sys.exit(1)
    checks, browser = Checks(), chromium.Chromium(program)
    with tempfile.TemporaryDirectory() as folder:
        for is_development, play in [(False, first_operator), (False, invited), (True, development)]:
            place = os.path.join(folder, play.__name__)
            server = Server(arguments.brume, place, store="memory", dev=is_development).start()
            try:
                play(checks, browser, server)
            finally:
                server.stop()
    browser.end()
    for failure in checks.failed:
        print(f"FAILED: {failure}")
    print(f"operators: {checks.count - len(checks.failed)} of {checks.count} checks")
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
