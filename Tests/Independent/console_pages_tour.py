"""The ways of the keyboard that the walks of console_pages.py share: forms, dialogs that ask, secrets shown once, tables."""
import json
import os

import console_operating
from brume_server import expect


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
        return [problem for problem in self.browser.complaints() if not all(part in problem for part in first)]

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
        # Twice: browsers close a dialog with the second one whatever the page says.
        for _ in range(2):
            self.console.press("Escape")
        self.console.until("document.querySelector('dialog[open] pre') !== null", "a secret stays until Done")
        self.console.done_with_secret()
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

    def facts(self, last):
        """Names and values of what is known of the thing beside the table, when the one named is among them."""
        self.console.until(f"""[...document.querySelectorAll(".inspector .facts dt")].some((one) =>
          one.textContent.trim() === {last!r})""", f"'{last}' is shown")
        return self.console.page.run("""Object.fromEntries([...document.querySelectorAll(".inspector .facts > div")].map((pair) =>
          [pair.querySelector("dt").textContent.trim(), pair.querySelector("dd").innerText.trim()]))""")

    def again(self, page, query=""):
        """The page, asked for anew."""
        self.console.do("Page.reload")
        self.open(page, query)
