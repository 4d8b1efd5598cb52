"""The console's page Start (docs/operating/console.md): what to do first on a new server, and its programs. Each text is
copied by its button and used as it is: curl's in a shell, the browser's in Chromium; Swift's is the one that
DocumentationTests compile and run.

usage: console_start.py --brume PATH [--pictures FOLDER]
"""
import json
import os
import re
import subprocess
import textwrap

from brume_server import Server, expect
from console_page import ConsolePage, arguments, browsing, is_there

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COMPILED = os.path.join(ROOT, "Tests", "DocumentationTests", "Snippets.swift")
STEPS = ["Save a first record", "Make a user", "Make an API token for the app", "Subscribe to changes", "Send a test push"]

# Containers stand in such a list too.
NEXT = "[...document.querySelectorAll('.pane')].find((one) => one.innerText.startsWith('Next steps')).querySelector('.steps')"


class Tour:
    def __init__(self, server, browser, folder, pictures):
        self.server, self.browser, self.folder, self.pictures = server, browser, folder, pictures
        self.console = ConsolePage(browser, f"{server.values['BRUME_URL']}/_brume/console/")
        browser.call("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"],
                                                  "origin": server.values["BRUME_URL"]})

    def sign_in(self):
        console = self.console
        console.focused("Or an admin token")
        console.type(json.load(open(os.path.join(self.server.folder, "server.json")))["adminToken"])
        console.press("Enter")
        console.see("heading", "Start")
        console.signs_in()

    def steps(self):
        """The steps, and which of them are done."""
        lines = self.console.page.run(f"[...{NEXT}.children].map((one) => one.querySelector('p').textContent)")
        return {line.removesuffix(", done"): line.endswith(", done") for line in lines}

    def first(self):
        self.console.see("heading", "Next steps")
        self.console.until(f"{NEXT} !== null", "the steps")
        expect(list(self.steps()) == STEPS, "the steps are in the order in which one takes them")
        expect([name for name in STEPS if not self.steps()[name]] == ["Save a first record", "Subscribe to changes", "Send a test push"],
               "a new server says what to do first: save a record; users and a token are there")

    def copied(self, language, count):
        """The texts of a language, each as its button copies it."""
        console = self.console
        console.page.run(f"[...document.querySelectorAll('[aria-label=Client] a')].find((one) => one.text === {language!r}).click()")
        console.until(f"document.querySelectorAll('pre[aria-label={language}]').length === {count}", f"the text of {language}")
        texts = []
        for number in range(count):
            console.page.run("navigator.clipboard.writeText('')")
            console.page.run(f"document.querySelectorAll('pre[aria-label={language}]')[{number}].focus()")
            console.push("Copy the code")
            console.until("navigator.clipboard.readText().then((text) => text !== '')", "something is copied")
            texts.append(console.page.run("navigator.clipboard.readText()"))
        return texts

    def curl(self):
        """Typed into a shell that knows nothing of the server but where the program is."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
        environment["PATH"] = os.path.dirname(os.path.realpath(self.server.binary)) + os.pathsep + environment["PATH"]
        typed = "\n".join(["set -e", *self.copied("curl", 2)])
        result = subprocess.run(["bash", "--norc", "-c", typed], cwd=self.folder, env=environment, capture_output=True, text=True)
        expect(result.returncode == 0, f"curl's text runs {result.stderr if result.returncode else ''}")
        end = result.stdout[result.stdout.rindex('{"records"'):] if '{"records"' in result.stdout else result.stdout
        found = json.loads(end)["records"]
        expect([record["fields"]["title"]["value"] for record in found] == ["hello"], "and finds the record that it has saved")
        self.browser.wait(lambda: self.steps()["Save a first record"])
        expect(True, "which is the first step: it is done")

    def swift(self):
        """What is compiled is between its marks, without the import that its file has."""
        text = self.copied("Swift", 2)[0]
        lines = open(COMPILED).read().split("// Text Sources/BrumeConsole/web/pages/start-programs.js 1\n")[1].split("// End\n")[0]
        expect("import CloudKit\n\n" + textwrap.dedent(lines.rstrip(" ")).rstrip("\n") == text, "Swift's text is one that is compiled and run")

    def in_browser(self):
        console = self.console
        text, = self.copied("Browser", 1)
        # A user's token is made anew for whoever asks.
        secrets = re.findall(r'(?:apiToken|webAuthToken): "([0-9A-Za-z_-]{40,})"', text)
        expect(len(secrets) == 2 and self.server.values["BRUME_API_TOKEN"] in secrets
               and not any(secret in console.text() for secret in secrets),
               "the browser's text has the tokens when it is copied, and not where everybody sees them")
        console.push("Show values")
        console.until(f"document.querySelector('pre[aria-label=Browser]').textContent === {json.dumps(text)}", "what is copied is seen")
        path = os.path.join(self.folder, "notes.html")
        with open(path, "w") as file:
            file.write(text)
        page = self.browser.page("file://" + path)
        self.browser.wait(lambda: page.run("[...document.querySelectorAll('li')].map((one) => one.innerText).join()") == "hello,hello")
        page.close()
        expect(True, "as a file it is a page that saves a record and shows all that there are")
        expect(not (lacks := console.lacks()), f"nothing is cut off {lacks or ''}")
        console.shoot(self.pictures, "start-browser")


def main():
    options = arguments().parse_args()
    if not is_there():
        return
    with browsing(options, lambda folder: Server(options.brume, os.path.join(folder, "data")).start()) as (server, browser, folder):
        tour = Tour(server, browser, folder, options.pictures)
        for walk in (tour.sign_in, tour.first, tour.curl, tour.in_browser, tour.swift):
            walk()
        tour.console.complains_of_nothing()


if __name__ == "__main__":
    main()
