"""The command line from another machine: every command that asks a server is typed, by its own examples, in a folder that
has nothing of that server, with --url and --admin-token alone. First with a token that may only read: what is not refused
reads. And what a table says, `--json` says too: both are typed and compared. The list of commands comes from the program.

usage: elsewhere.py --brume PATH
"""
import argparse
import datetime
import json
import os
import re
import shutil
import signal
import tempfile

from brume_server import expect
from command_line import ELSEWHERE, ENDS, Desk, commands, examples, in_order, type_example

# Commands that ask no running server, or that of a program's own variables, and why they need no address.
NO_SERVER = {
    "serve": "is one", "exec": "starts one", "demo": "starts one", "config show": "shows settings", "version": "of the program",
    "completions": "of the program", "manual": "of the program", "migrate": "opens two stores", "bench matching": "has a store of its own",
    "bench apns": "stands in for Apple", "conformance": "is a client, with what clients have"}
# Lines about this machine's folder or files.
LOCAL = ("--data", "--deep", "--verify")
# Columns that are made for people: of what else the object has.
MADE = {"logs": {"by", "milliseconds"}, "zones list": {"position", "changed", "shared"}}
# What grows by being asked for, or has lines for programs only: the rows themselves are not compared.
GROWS = {"logs", "audit list", "usage show"}
# Not a table of equal rows; its words are compared.
WORDS = {"status": lambda object: [object["url"], object["store"]], "clock show": lambda object: [timer["name"] for timer in object["timers"]],
         "doctor": lambda object: [object["what"], object["text"]]}
FORBIDDEN = "may only read"


def flags(command):
    return {argument["preferredName"]["name"] for argument in command.get("arguments", []) if argument.get("preferredName")}


class Away(Desk):
    """A desk in another folder than its server's."""

    def __init__(self, binary, folder, server):
        super().__init__(binary, folder)
        self.home, self.token = server, None
        self.url = re.search(r"^BRUME_URL=(\S+)", server.must("brume status --format env"), re.M).group(1)

    def must(self, line):
        return self.home.must(line)

    def placed(self, line, *more):
        """The line with the address, before whatever the shell does with its output."""
        words = " ".join(["", *more, "--url", self.url, "--admin-token", self.token])
        if "$(" in line:
            return line.replace("--format env", "--format env" + words)
        command, *rest = line.split(" > ")
        return " > ".join([command + words, *rest])


def test_options(binary):
    print("== every command that asks a server")
    known = dict(commands(binary))
    asking = [name for name, command in known.items() if name not in NO_SERVER]
    missing = [name for name in asking if not {"data", "url", "admin-token"} <= flags(known[name])]
    expect(len(asking) > 65 and not missing, f"{len(asking)} commands take --data, --url and --admin-token: {missing}")
    gone = [name for name in NO_SERVER if name not in known]
    expect(not gone, f"and the others are known: {gone}")


def is_table(text):
    first = text.split("\n", 1)[0]
    return not first.startswith("{") and re.search(r"\S  +\S", first) is not None


def shown(value, cell):
    """A value of --json as a table has it, where it has it as it is."""
    if isinstance(value, list):
        return ",".join(value) or "-"
    if value is None or value == "":
        return "-"
    if isinstance(value, int) and re.fullmatch(r"\d{4}-.*Z", cell):
        return datetime.datetime.fromtimestamp(value // 1000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return str(value)


def texts(value):
    """All texts and numbers in it, however deep."""
    if isinstance(value, (dict, list)):
        return [text for part in (value.values() if isinstance(value, dict) else value) for text in texts(part)]
    return [str(value)]


def compare(name, line, table, text):
    """Whether the lines of --json say what the table does."""
    objects = [json.loads(row) for row in text.splitlines()]
    if name in WORDS:
        missing = [words for object in objects for words in WORDS[name](object) if words not in table]
        expect(objects and not missing, f"{line} --json says what it says {missing}")
        return
    heading, *rows = table.splitlines()
    columns = [(found.group(), found.start()) for found in re.finditer(r"\S+( \S+)*", heading)]
    ends = [start for _, start in columns[1:]] + [None]
    if name in GROWS:
        keys = {key for object in objects for key in object} | MADE.get(name, set())
        full = {column for row in rows for (column, start), end in zip(columns, ends) if row[start:end].strip() != "-"}
        expect(objects and full <= keys, f"{line} --json has the columns of the table: {full - keys}")
        return
    expect(len(objects) == len(rows), f"{line} --json has as many lines as the table: {len(objects)}, {len(rows)}")
    for row, object in zip(rows, objects):
        for (column, start), end in zip(columns, ends):
            cell = row[start:end].strip()
            said = cell in (shown(object.get(column), cell), "-") or column not in object and cell in texts(object)
            if column not in MADE.get(name, set()) and not said:
                raise SystemExit(f"FAILED: {line}: the table has '{cell}' for {column}, and --json {object}")


def test_away(binary, folder):
    print("== from an empty folder, with an address and a token")
    for place in ("home", "away"):
        os.mkdir(os.path.join(folder, place))
    home = Desk(binary, os.path.join(folder, "home"))
    home.start()
    try:
        desk = Away(binary, os.path.join(folder, "away"), home)
        full = home.must("brume operator token create away").strip()
        reading = home.must("brume operator token create away-reading --read-only").strip()
        home.must("brume schema import first.ckdb")
        home.must("brume records create Note zeroth --user alice --set title=Bread")
        shutil.copy(os.path.join(desk.folder, "first.ckdb"), os.path.join(desk.folder, "notes.ckdb"))
        shutil.copy(os.path.join(desk.folder, "first.ckdb"), os.path.join(desk.folder, "key.p8"))
        with open(os.path.join(desk.folder, "key.p8"), "w") as file:
            file.write("".join(home.must("brume key create other").splitlines(True)[1:]))
        home.must("brume key revoke other")
        known, options = examples(binary), dict(commands(binary))
        reads, changes, compared = set(), set(), set()
        for name in in_order(known):
            if name in NO_SERVER:
                continue
            for line in known[name]:
                if name in ELSEWHERE or any(word in line for word in LOCAL) or line.startswith("env "):
                    continue
                # A stream makes a token for its user, and ends when it is interrupted.
                desk.token = full if name == "push tail" else reading
                outcome = desk.type(desk.placed(line)) if name not in ("push tail", "log then") else None
                refused = outcome is not None and outcome.returncode == 77 and FORBIDDEN in outcome.stderr
                if refused:
                    changes.add(name)
                    desk.token = full
                if outcome is None or refused:
                    status, said = type_example(desk, name, desk.placed(line))
                else:
                    status, said = outcome.returncode, outcome.stdout
                if status not in ENDS.get(name, {0}):
                    raise SystemExit(f"FAILED: {desk.placed(line)}: {status} {said[-2000:]} {outcome.stderr if outcome else ''}")
                if refused:
                    continue
                reads.add(name)
                if outcome is None or "--json" in line or not is_table(outcome.stdout):
                    continue
                expect("json" in flags(options[name]), f"{name} prints a table, and takes --json")
                compare(name, line, outcome.stdout, desk.type(desk.placed(line, "--json")).stdout)
                compared.add(name)
        whole = desk.type("brume backup --verify tuesday.brume")
        said = texts(json.loads(desk.type("brume backup --verify tuesday.brume --json").stdout))
        rows = [row.split("  ", 1) for row in whole.stdout.splitlines()]
        # Whole, made and what it continues are for people, or in another form.
        missing = [row for row in rows if row[0] not in ("made", "continues", "assets", "whole") and row[1].strip() not in said]
        expect(len(rows) > 15 and not missing, f"brume backup --verify --json says what it says {missing}")
        expect(not os.path.exists(os.path.join(desk.folder, "brume-data")), "nothing of a server is there")
        expect(len(reads) > 25 and len(changes) > 30, f"{len(reads)} commands read with a token that may only read, {len(changes)} need one for all")
        expect(not reads & changes - {"backup"}, f"and each of them always {reads & changes}")
        expect(len(compared) > 15, f"{len(compared)} tables say what --json says: {sorted(compared)}")
    finally:
        home.server.terminate()
        home.server.wait(timeout=120)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--brume", required=True)
    binary = os.path.abspath(arguments.parse_args().brume)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    test_options(binary)
    with tempfile.TemporaryDirectory() as folder:
        test_away(binary, folder)
    print("elsewhere: ok")


if __name__ == "__main__":
    main()
