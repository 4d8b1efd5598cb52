#!/usr/bin/env python3
"""Types what the pages for newcomers say, in order, and compares what comes with what the pages show.

usage: pages.py --brume PATH [PAGE ...]

All are typed at one development server that was fresh at first, as a reader does who keeps it, one after the other, and in
one folder that looks like a checkout. What it knows of a page:

  ```sh             typed into the first terminal; every command must succeed
  ```sh terminal-2  typed into a second terminal, and not waited for
  ```sh elsewhere   not typed: it needs what is not here, such as another machine. Such blocks are counted
  ```sh kotlinc     typed where a program of that name is; so with other names
  ```text           what the block before must have printed (also text terminal-2): `…` stands for anything in a
                    line, a line with nothing else for any lines
  ```text browser FILE   what Chromium must show of that file
  ```python, js, kotlin   a file, named in the first line's comment
"""
import argparse
import concurrent.futures
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import chromium
from brume_server import Server, expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# In the order in which they lead from one to the next.
PAGES = ["README.md", "docs/first-hour.md", "docs/languages/curl.md", "docs/languages/python.md",
         "docs/languages/kotlin.md"]
# Its demo has servers of its own and takes as long as the pages that follow, which do not meet what it saves.
LONG = "README.md"
SHOWN = "127.0.0.1:8787"
FILES = ("python", "js", "kotlin")
NOT_HERE = ("swift", "toml", "json")


def blocks(text):
    """The page's blocks: language, note, lines, number of the first line."""
    found, opening, lines = [], None, []
    for number, line in enumerate(text.split("\n"), 1):
        if opening is None and line.startswith("```"):
            opening, lines = (line[3:].split(" ", 1) + [""])[:2] + [number], []
        elif line == "```" and opening is not None:
            found.append((opening[0], opening[1], lines, opening[2]))
            opening = None
        elif opening is not None:
            lines.append(line)
    return found


def pattern(lines):
    """What a shown output allows."""
    each = []
    for line in lines:
        if line.strip() == "…":
            each.append(r"(?:.*\n)*?")
        else:
            each.append(".*?".join(re.escape(part) for part in line.rstrip().split("…")) + r"[ \t]*\n")
    return re.compile("".join(each))


class Terminal:
    """A shell that stays, as a person's does."""

    def __init__(self, folder, environment):
        self.process = subprocess.Popen(
            ["bash", "--norc"], cwd=folder, env=environment, text=True, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
        self.count, self.lines, self.seen = 0, queue.Queue(), ""
        threading.Thread(target=self._read, daemon=True).start()
        self.type("set -o pipefail; set -E; trap 'failed=$BASH_COMMAND' ERR")

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def type(self, text):
        self.process.stdin.write(text + "\n")
        self.process.stdin.flush()

    def run(self, text):
        """What a block prints, and the command in it that failed, if one did."""
        self.count += 1
        mark = f"-- end of block {self.count}:"
        self.type(f"failed=\n{text}\nprintf '\\n%s%s\\n' '{mark}' \"$failed\"")
        return self.until(lambda seen: mark in seen, 120, f"the block does not end:\n{text}").split("\n" + mark)

    def until(self, condition, seconds, what):
        """What was printed since the last time, once `condition` holds for it."""
        deadline = time.monotonic() + seconds
        while not condition(self.seen):
            try:
                line = self.lines.get(timeout=max(0.01, deadline - time.monotonic()))
            except queue.Empty:
                raise SystemExit(f"FAILED: {what}\n{self.seen}")
            if line is None:
                raise SystemExit(f"FAILED: the shell has ended\n{self.seen}")
            self.seen += line
        seen, self.seen = self.seen, ""
        return seen

    def end(self):
        os.killpg(self.process.pid, 15)
        self.process.wait()


class Reader:
    """Somebody who types one page."""

    def __init__(self, page, server, folder, environment):
        self.page, self.server, self.folder, self.environment = page, server, folder, environment
        self.first, self.second = Terminal(folder, environment), None
        self.printed = ""
        self.counts = {"typed": 0, "compared": 0, "files": 0, "elsewhere": 0, "skipped": 0}

    def where(self, line):
        return f"{self.page}:{line}"

    def real(self, lines):
        """A block with this server's address in the place of the usual one."""
        return "\n".join(lines).replace(SHOWN, "%s:%d" % self.server.address)

    def read(self, text):
        for language, note, lines, line in blocks(text):
            if language == "sh":
                self.type(note, lines, line)
            elif language == "text":
                self.compare(note, lines, line)
            elif language in FILES and note != "elsewhere":
                self.write(lines, line)
            elif language in FILES + ("",) + NOT_HERE:
                self.counts["elsewhere"] += language in FILES
            else:
                raise SystemExit(f"FAILED: {self.where(line)}: this test does not know a block of '{language}'")

    def type(self, note, lines, line):
        if note == "elsewhere":
            self.counts["elsewhere"] += 1
        elif note == "terminal-2":
            self.second = self.second or Terminal(self.folder, self.environment)
            self.second.type(self.real(lines))
            self.counts["typed"] += 1
        elif note and not shutil.which(note, path=self.environment["PATH"]):
            self.counts["skipped"] += 1
            self.printed = None
        else:
            self.printed, failed = self.first.run(self.real(lines))
            if failed.strip():
                raise SystemExit(f"FAILED: {self.where(line)}: {failed.strip()}\n{self.printed}")
            self.counts["typed"] += 1

    def compare(self, note, lines, line):
        shown = pattern(self.real(lines).split("\n"))
        missing = f"{self.where(line)}: the page shows what does not come"
        if note == "terminal-2":
            self.second.until(shown.search, 30, missing)
        elif note.startswith("browser "):
            if not self.look(note.split(" ")[1], shown):
                return
        elif self.printed is None:
            return
        elif not shown.fullmatch(self.printed.strip("\n") + "\n"):
            raise SystemExit(f"FAILED: {missing}. It is:\n{self.printed}")
        self.counts["compared"] += 1

    def look(self, name, shown):
        """Opens a page of the folder in a browser, if there is one."""
        program = chromium.find()
        if program is None:
            self.counts["skipped"] += 1
            return False
        browser = chromium.Chromium(program)
        try:
            page = browser.page("file://" + os.path.join(self.folder, name))
            browser.wait(lambda: shown.search(page.run("document.body.innerText") + "\n"))
        finally:
            browser.end()
        return True

    def write(self, lines, line):
        named = re.match(r"(?:#|//) ([\w.]+)", lines[0])
        if not named:
            raise SystemExit(f"FAILED: {self.where(line)}: the first line must name the file")
        with open(os.path.join(self.folder, named[1]), "w") as file:
            file.write(self.real(lines) + "\n")
        self.counts["files"] += 1

    def end(self):
        for terminal in (self.first, self.second):
            if terminal:
                terminal.end()


def environment_of(folder):
    """No variable of ours; programs of this Python first, because a page may name them."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
    return {**kept, "PATH": os.path.dirname(sys.executable) + os.pathsep + kept["PATH"], "HOME": folder,
            "PYTHONDONTWRITEBYTECODE": "1"}


def play(brume, pages):
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        folder = os.path.join(home, "brume")
        os.makedirs(os.path.join(folder, ".build"))
        os.symlink(os.path.dirname(brume), os.path.join(folder, ".build", "debug"))
        for name in ("docs", "Examples"):
            os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
        server = Server(brume, os.path.join(folder, "brume-data")).start()
        beside = [page for page in pages if page == LONG]
        try:
            with concurrent.futures.ThreadPoolExecutor(2) as readers:
                rows = [beside, [page for page in pages if page not in beside]]
                # The first failure is raised here.
                list(readers.map(lambda row: [read(page, server, folder, environment_of(home)) for page in row], rows))
        finally:
            server.stop()


def read(page, server, folder, environment):
    reader = Reader(page, server, folder, environment)
    try:
        with open(os.path.join(ROOT, page)) as file:
            reader.read(file.read())
    finally:
        reader.end()
    counts = ", ".join(f"{count} {what}" for what, count in reader.counts.items() if count)
    expect(reader.counts["typed"] > 0, f"{page}: {counts}")


def checks_itself():
    """A page that shows what does not come must fail."""
    shown = pattern(["one", "…", "t…e"])
    expect(shown.fullmatch("one\ntwo\nthree\n") and shown.fullmatch("one\nthe\n"), "… stands for what it should")
    expect(not shown.fullmatch("one\n") and not shown.fullmatch("one\nthree\nfour\n"), "and for nothing else")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("pages", nargs="*", default=PAGES)
    options = parser.parse_args()
    checks_itself()
    brume = os.path.realpath(options.brume)
    play(brume, options.pages)


if __name__ == "__main__":
    main()
