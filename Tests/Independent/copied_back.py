"""A data folder that is copied back, in place, under devices that go on with what they know.

Several devices save and follow a zone. In the middle the folder is copied, then more is saved, then the server dies and gets
the copy back. What was saved after the copy is gone, as the operator wanted. But nobody may be misled by it: a token of the
lost time is refused, and its device fetches everything again; a change tag never stands for two contents, so that nobody who
saves with one of the lost time writes over what he has not seen; in the end all devices have what the server has.

`--control` brings the mark back as well that is kept outside of the folder: nobody can notice the copy, the generation stays,
and the same comparison has to find what comes of it.
"""
import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile

from brume_server import Server
from history import SHARED, ZONE, everything, prepare, text_of

DEVICES, STEPS = 4, 40


class Device:
    """It saves with tags that it saw some time ago, and follows the zone by a token."""

    def __init__(self, number, seen):
        self.number, self.seen = number, seen
        self.client, self.token, self.cache, self.count, self.expired = None, None, {}, 0, 0

    def see(self, record):
        name = record["recordName"]
        if record.get("deleted"):
            self.cache.pop(name, None)
            return
        self.cache[name] = (record["recordChangeTag"], text_of(record))
        self.seen.note(name, *self.cache[name])

    def save(self, name):
        if name not in self.cache:
            return self.follow()
        self.count += 1
        (tag, text), mark = self.cache[name], f"d{self.number}.{self.count} "
        answer = self.client.call("records/modify", {"zoneID": ZONE, "operations": [{
            "operationType": "update", "record": {"recordType": "Text", "recordName": name, "recordChangeTag": tag,
                                                  "fields": {"text": {"value": text + mark}}}}]})["records"][0]
        if "serverErrorCode" not in answer:
            self.seen.saved(name, text)
            self.see(answer)
        elif answer["serverErrorCode"] == "CONFLICT":
            self.follow()
        else:
            self.seen.problems.append(f"a save was answered with {answer}")

    def follow(self):
        more = True
        while more:
            zone = {"zoneID": ZONE, **({"syncToken": self.token} if self.token else {})}
            page = self.client.call("changes/zone", {"zones": [zone]})["zones"][0]
            if "serverErrorCode" in page:
                if page.get("brume", {}).get("code") != "changeTokenExpired" or not self.token:
                    raise SystemExit(f"FAILED: a fetch is answered with {page}")
                self.token, self.cache, self.expired = None, {}, self.expired + 1
                continue
            for record in page["records"]:
                self.see(record)
            self.token, more = page["syncToken"], page["moreComing"]


class Seen:
    """What tags stood for, and what the server had before each save."""

    def __init__(self):
        self.contents, self.truth, self.problems = {}, {}, []

    def note(self, name, tag, text):
        before = self.contents.setdefault((name, tag), text)
        if before != text:
            self.problems.append(f"the tag {tag} of {name} stands for ...{before[-20:]!r} and for ...{text[-20:]!r}")

    def saved(self, name, based_on):
        if self.truth[name] != based_on:
            self.problems.append(f"a save of {name} wrote over ...{self.truth[name][-20:]!r} with ...{based_on[-20:]!r}")


class Folder:
    """Copied in place, as rsync or a snapshot of the volume does: the files stay the same ones."""

    def __init__(self, path):
        self.path, self.copy = path, path + ".copy"

    def keep(self):
        shutil.copytree(self.path, self.copy)

    def bring_back(self):
        kept = {os.path.relpath(os.path.join(place, name), self.copy)
                for place, _, names in os.walk(self.copy) for name in names}
        for place, _, names in os.walk(self.path):
            for name in names:
                if os.path.relpath(os.path.join(place, name), self.path) not in kept:
                    os.remove(os.path.join(place, name))
        for name in kept:
            with open(os.path.join(self.copy, name), "rb") as copy, open(os.path.join(self.path, name), "r+b") as file:
                file.truncate()
                shutil.copyfileobj(copy, file)


def work(server, devices, seen, chance, steps):
    reader = server.client("alice", "reader")
    for device in devices:
        device.client = server.client("alice", f"device{device.number}")
    for _ in range(steps):
        seen.truth = everything(reader)
        device, name = chance.choice(devices), f"s{chance.randrange(SHARED)}"
        device.save(name) if chance.random() < 0.7 else device.follow()


def run(brume, seed, hides):
    """Answers what was wrong, and how often a token was refused."""
    chance, seen = random.Random(seed), Seen()
    with tempfile.TemporaryDirectory() as place:
        folders = [Folder(f"{place}/data"), Folder(f"{place}/marks")]
        for folder in folders:
            os.mkdir(folder.path)
        server = Server(brume, folders[0].path, extra=["--marks", folders[1].path]).start()
        try:
            prepare(server)
            devices = [Device(number, seen) for number in range(DEVICES)]
            work(server, devices, seen, chance, STEPS)
            server.kill()
            for folder in folders:
                folder.keep()
            server.start()
            work(server, devices, seen, chance, STEPS)
            for device in devices:
                device.follow()
            server.kill()
            for folder in folders if hides else folders[:1]:
                folder.bring_back()
            server.start()
            work(server, devices, seen, chance, 2 * STEPS)
            for device in devices:
                device.follow()
            final = everything(server.client("alice", "reader"))
        finally:
            with contextlib.suppress(OSError):
                server.kill()
    for device in devices:
        if {name: text for name, (_, text) in device.cache.items()} != final:
            seen.problems.append(f"device {device.number} ends with other records than the server")
    return seen.problems, [device.expired for device in devices]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    print(f"copied back: --seed {options.seed}", flush=True)
    problems, expired = run(options.brume, options.seed, options.control)
    for problem in problems[:5]:
        print("  " + problem)
    if options.control:
        print("found" if problems else "FAILED: a generation that stayed was not found")
        return 0 if problems else 1
    print(f"  tokens refused, by device: {expired}")
    if problems or expired != [1] * DEVICES:
        print("FAILED")
        return 1
    print("nobody was misled: every token of the lost time was refused, no tag was given twice")
    return 0


if __name__ == "__main__":
    sys.exit(main())
