"""The console in headless Chromium, used as somebody who has a keyboard and a screen reader: keys go in, the
accessibility tree comes out. Standard library only."""
import argparse
import base64
import contextlib
import os
import tempfile

import chromium

from brume_server import expect

STATUS = "the server responded with a status of %d"

KEYS = {"Enter": ("Enter", 13, "\r"), "Tab": ("Tab", 9, ""), "Escape": ("Escape", 27, ""), "ArrowDown": ("ArrowDown", 40, ""),
        "ArrowUp": ("ArrowUp", 38, ""), "ArrowRight": ("ArrowRight", 39, ""), "ArrowLeft": ("ArrowLeft", 37, ""),
        "Home": ("Home", 36, ""), "End": ("End", 35, ""), "PageUp": ("PageUp", 33, ""), "PageDown": ("PageDown", 34, ""), "Space": ("Space", 32, " "),
        "F8": ("F8", 119, "")}
SHIFT, CONTROL = 8, 2
# A page may be there before all that it says is.
COUNTED = """(() => {
  const real = window.fetch;
  window.callsUnderWay = 0;
  window.fetch = (...call) => {
    window.callsUnderWay += 1;
    return real(...call).finally(() => (window.callsUnderWay -= 1));
  };
})()"""
NAME = """(() => {
  const at = document.activeElement;
  if (!at || at === document.body) return "";
  const label = at.labels?.[0]?.innerText;
  return (at.getAttribute("aria-label") || label || at.innerText || at.getAttribute("title") || "").trim();
})()"""

# What the console's policy forbids.
PROVOKED = {
    "a picture of another origin": "document.body.append(Object.assign(new Image(), { src: 'https://elsewhere.invalid/a.png' }))",
    "a script in the page": """{ const script = document.createElement("script");
        script.append("window.ranInline = true"); document.body.append(script); }""",
}


def arguments():
    """What all tests of the console are called with."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--pictures", help="a folder for screenshots")
    return parser


@contextlib.contextmanager
def browsing(options, start):
    """What `start` makes of a folder of its own (a server, or what has one and stops it), a browser and the folder."""
    if options.pictures:
        os.makedirs(options.pictures, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        started = start(folder)
        browser = chromium.Chromium(chromium.find())
        try:
            yield started, browser, folder
        finally:
            browser.end()
            started.stop()


def is_there():
    """Whether this machine has a browser; says so if not."""
    if chromium.find() is None:
        print("  skipped: no Chromium on this machine")
    return chromium.find() is not None


class ConsolePage:
    def __init__(self, browser, url):
        self.browser = browser
        self.url = url
        self.page = browser.page(url)
        for domain in ("Runtime", "Log", "Accessibility"):
            self.do(domain + ".enable")
        self.size(1280, 800)

    def do(self, method, **parameters):
        return self.browser.call(method, parameters, self.page.session)

    def size(self, width, height):
        self.do("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def colours(self, scheme):
        self.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme},
                                                        {"name": "prefers-reduced-motion", "value": "reduce"}])

    # Keys

    def press(self, name, modifiers=0):
        key, code, text = KEYS.get(name, (name, ord(name.upper()) if len(name) == 1 else 0, name if not modifiers else ""))
        event = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        self.do("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.do("Input.dispatchKeyEvent", type="keyUp", **event)

    def type(self, text):
        self.do("Input.insertText", text=text)

    def replace(self, text):
        """Types over what a field has."""
        self.press("a", CONTROL)
        self.page.run("document.activeElement.select?.()")
        self.type(text)

    def tab_to(self, name, most=90):
        """Presses Tab until the focus is on what is called so; fails if the keyboard does not get there."""
        for _ in range(most):
            self.press("Tab")
            found = self.page.run(NAME)
            if found == name or found.split("\n")[0] == name:
                return
        raise SystemExit(f"FAILED: the keyboard does not reach '{name}' on {self.page.run('location.hash')}")

    def focused(self, name):
        """Waits until the focus is on what is called so: a form that has just opened, for instance."""
        self.browser.wait(lambda: self.page.run(NAME).startswith(name))

    def escape(self):
        """Closes a dialog, and waits until it is gone: keys of the page do nothing before."""
        self.press("Escape")
        self.browser.wait(lambda: not self.page.run("document.querySelector('dialog') !== null"))

    def done_with_secret(self):
        self.push("Done")
        self.until("document.querySelector('dialog') === null", "the secret is gone with Done")

    def push(self, name):
        self.tab_to(name)
        self.press("Enter")

    def choose(self, label, value):
        """Sets a picker as its keys do: by the text of an option."""
        self.tab_to(label)
        self.type_ahead(value)

    def type_ahead(self, value):
        self.page.run(f"""(() => {{ const at = document.activeElement;
          const option = [...at.options].find((option) => option.text === {value!r} || option.value === {value!r});
          at.value = option.value; at.dispatchEvent(new Event("change", {{ bubbles: true }})); }})()""")

    # What is seen

    def tree(self):
        """Role and name of everything that assistive technology gets."""
        nodes = self.do("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes
                if not node.get("ignored") and "role" in node]

    def has(self, role, name):
        return any(found == role and name in text for found, text in self.tree())

    def see(self, role, name):
        try:
            self.browser.wait(lambda: self.has(role, name))
        except SystemExit:
            here = [pair for pair in self.tree() if pair[0] not in ("InlineTextBox", "none", "generic")]
            raise SystemExit(f"FAILED: no {role} '{name}' at {self.page.run('location.hash')}; there is {here}"[:3000])

    def see_text(self, text):
        try:
            self.browser.wait(lambda: text in self.text())
        except SystemExit:
            raise SystemExit(f"FAILED: '{text}' is not on {self.page.run('location.hash')}: {self.text()}"[:3000])

    def until(self, script, what):
        """Waits until something is so in the page."""
        try:
            self.browser.wait(lambda: self.page.run(script))
        except SystemExit:
            raise SystemExit(f"FAILED: {what}: not at {self.page.run('location.hash')}, where the focus is on "
                             f"'{self.page.run(NAME)}': {self.text()}"[:3000])

    def text(self):
        return self.page.run("document.body.innerText")

    def open(self, address):
        """Goes to an address of the console, as a link does."""
        self.page.run(f"location.hash = {address!r}")
        self.until("document.querySelector('h1') !== null && !document.querySelector('.loading')", f"{address} is shown")

    @contextlib.contextmanager
    def counting(self):
        """The page, loaded anew, counts its calls as long as this lasts: `settled` waits for them."""
        script = self.do("Page.addScriptToEvaluateOnNewDocument", source=COUNTED)["identifier"]
        self.do("Page.reload")
        yield
        self.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)

    def settled(self, script="document.querySelector('main')?.innerText"):
        """What a script finds in the page when no call is under way and it does not change any more."""
        ready = "document.querySelector('main h1') !== null && !document.querySelector('main .loading') && window.callsUnderWay === 0"
        last = None
        def still():
            nonlocal last
            now = self.page.run(script) if self.page.run(ready) else None
            last, before = now, last
            return now is not None and now == before
        self.browser.wait(still)
        return last

    def lacks(self):
        """What a page must have for everybody and has not."""
        return self.page.run("""(() => {
          const lacks = [];
          const need = (selector, count) => {
            if (document.querySelectorAll(selector).length !== count) lacks.push(`${count} of ${selector}`);
          };
          need("main", 1); need("nav", 1); need("header.bar", 1); need("h1", 1);
          if (!document.title.includes("Brume")) lacks.push("a title");
          for (const table of document.querySelectorAll("table"))
            if (!table.caption && !table.ariaLabel) lacks.push("a caption");
          for (const element of document.querySelectorAll("button, a, input, select, textarea")) {
            const name = element.ariaLabel || element.labels?.[0]?.textContent.trim() || element.textContent.trim() || element.title;
            if (!name) lacks.push("a name for " + element.outerHTML.slice(0, 80));
            const box = element.getBoundingClientRect();
            if (element.matches("button, select") && box.width > 0 && (box.width < 24 || box.height < 20)) lacks.push("room for " + name);
          }
          const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
          if (new Set(ids).size !== ids.length) lacks.push("different IDs");
          if (document.documentElement.scrollWidth > innerWidth) lacks.push("no scrolling sideways");
          return lacks;
        })()""")

    # What the browser complains of

    def signs_in(self):
        """Before somebody signs in there is no session, which the browser reports."""
        self.browser.expects(STATUS % 401, "/_brume/admin/session")

    def complains_of_nothing(self):
        """No violation of the policy and no error, in all that this browser has shown. What is provoked then, is found."""
        found = self.browser.complaints()
        expect(not found, f"the browser complained about nothing {found or ''}")
        for what, script in PROVOKED.items():
            self.page.run(script + "; null")
            self.browser.wait(self.browser.complaints)
            found = self.browser.complaints()
            expect(all(line.startswith("security: ") for line in found), f"but finds {what}, when there is one")
            self.browser.problems.clear()
        expect(self.page.run("window.ranInline") is None, "and the script did not run")

    def shoot(self, folder, name):
        """Screenshots in light and dark, if a folder is wanted."""
        if not folder:
            return
        # What was just said is not the page's; it goes by itself after some seconds.
        self.page.run("document.querySelector('.said').style.display = 'none'")
        for scheme in ("light", "dark"):
            self.colours(scheme)
            data = self.do("Page.captureScreenshot", format="png")["data"]
            with open(os.path.join(folder, f"{name}-{scheme}.png"), "wb") as file:
                file.write(base64.b64decode(data))
        self.colours("light")
        self.page.run("document.querySelector('.said').style.display = ''")
