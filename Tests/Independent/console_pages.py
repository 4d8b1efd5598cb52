"""Pages of the console on which the other walks only look (docs/operating/console.md), acted on by keyboard alone: what may
call, people, data, the schema, what is sent and counted, and what a page shows while the server does not answer.

usage: console_pages.py --brume PATH [--pictures FOLDER] [--only WALK]
"""
import argparse
import json
import os
import tempfile

import chromium
import console_operating
import console_pages_data
import console_pages_keys
import console_pages_people
import console_pages_schema
import console_pages_sent
import console_pages_states
import console_pages_zones
from brume_server import Server, expect
from other_sides import Apple, Certificates, Receiver

QUOTA = 100_000
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        text STRING QUERYABLE,
        urgent INT64 QUERYABLE SORTABLE,
        GRANT WRITE TO "_creator",
        GRANT WRITE TO editor,
        GRANT CREATE TO "_icloud",
        GRANT READ TO "_world"
    );
"""
WALKS = [*console_pages_keys.WALKS, *console_pages_people.WALKS, *console_pages_data.WALKS,
         *console_pages_zones.WALKS, *console_pages_schema.WALKS,
         *console_pages_sent.WALKS, *console_pages_states.WALKS]


class World:
    """A server, Apple, a program that is called about changes, and their certificates."""

    def __init__(self, binary, folder):
        self.folder = folder
        certificates = Certificates(folder)
        self.apple, self.hooks = Apple(certificates), Receiver(certificates, 200)
        address = f"https://localhost:{self.apple.port}"
        self.server = Server(binary, os.path.join(folder, "data"), extra=[
            "--apns-url", address, "--apns-sandbox-url", address, "--push-trust", certificates.root,
            "--push-allow", "localhost", "--push-timeout", "2", "--user-quota", str(QUOTA)]).start()
        self.file("schema.ckdb", SCHEMA)
        self.server.tool("schema", "import", os.path.join(folder, "schema.ckdb"))

    def file(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)


class Tour(console_operating.Tour):
    """What all walks need: the keyboard's ways through dialogs and tabs."""

    def __init__(self, world, browser, pictures):
        super().__init__(world.server, browser, world.folder, pictures)
        self.apple, self.hooks = world.apple, world.hooks

    def sign_in(self):
        console = self.console
        console.focused("Or an admin token")
        console.type(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.see("heading", "Start")

    def complaints(self):
        """What the browser complained about; that nobody was signed in at first is an answer that it calls a failure."""
        first = ("status of 401 (Unauthorized)", "/_brume/admin/session")
        return [problem for problem in self.browser.problems if not all(part in problem for part in first)]

    def begin(self, page, query, *texts):
        """Opens the form of a page by its key, and types into its fields one after the other."""
        self.open(page, query)
        self.console.page.run("document.activeElement.blur()")
        self.console.press("n")
        self.console.until("document.activeElement.matches('.inspector input')", "the form's first field has the focus")
        for at, text in enumerate(texts):
            if at > 0:
                self.console.press("Tab")
            self.console.type(text)

    def shown_once(self, title):
        """The secret of the dialog that has opened, which is closed; the page has it no more."""
        self.console.see("dialog", title)
        secret = self.console.page.run("document.querySelector('dialog pre').textContent")
        self.console.escape()
        expect(secret not in self.console.page.run("document.documentElement.outerHTML"), f"{title}: shown once, then gone")
        return secret

    def confirm(self, button, word, done):
        """Ends something: the word must be typed, and another one does nothing."""
        console = self.console
        console.push(button)
        console.focused("Type ")
        console.type(word + "x")
        console.press("Enter")
        if not console.has("dialog", ""):
            raise SystemExit(f"FAILED: '{button}' was done after a wrong word")
        console.replace(word)
        console.press("Enter")
        console.see_text(done)

    def cell(self, table, row, column):
        """What a table's cell says; rows are known by a text in them."""
        return self.console.page.run(f"""(() => {{
          const table = [...document.querySelectorAll("table")].find((one) => one.caption?.textContent === {table!r});
          const at = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.trim() === {column!r});
          return [...table.tBodies[0].rows].find((one) => one.textContent.includes({row!r}))?.cells[at].innerText.trim();
        }})()""")

    def see_cell(self, table, row, column, wanted, what):
        """Waits for a cell; `wanted` is its text or a condition on it. The list is asked for again meanwhile."""
        def is_so():
            found = self.cell(table, row, column)
            return found is not None and (wanted(found) if callable(wanted) else found == wanted)
        try:
            self.browser.wait(is_so)
        except SystemExit:
            raise SystemExit(f"FAILED: {what}: '{column}' of '{row}' is {self.cell(table, row, column)!r}")
        expect(True, what)

    def facts(self):
        """Names and values of what is known of the thing beside the table."""
        return self.console.page.run("""Object.fromEntries([...document.querySelectorAll(".inspector .facts > div")].map((pair) =>
          [pair.querySelector("dt").textContent.trim(), pair.querySelector("dd").innerText.trim()]))""")

    def again(self, page, query=""):
        """The page, asked for anew."""
        self.console.do("Page.reload")
        self.open(page, query)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--pictures", help="a folder for screenshots")
    parser.add_argument("--only", help="names of walks with commas between them, for a quick look")
    options = parser.parse_args()
    program = chromium.find()
    if program is None:
        print("  skipped: no Chromium on this machine")
        return
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        world = World(options.brume, folder)
        browser = chromium.Chromium(program)
        try:
            tour = Tour(world, browser, options.pictures)
            tour.sign_in()
            for walk in WALKS:
                if not options.only or walk.__name__ in options.only.split(','):
                    walk(tour)
            complaints = tour.complaints()
            expect(not complaints, f"the browser complained about nothing in all of this {complaints or ''}")
        finally:
            browser.end()
            world.server.stop()


if __name__ == "__main__":
    main()
