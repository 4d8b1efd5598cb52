"""A PostgreSQL store is brought back to a moment of the past, by the very lines of docs/operating/postgresql.md: the test reads
them there and types them.

Users save while the base backup is made, go on to two moments and past them; then PostgreSQL is stopped in good order or dies.
It is brought back to the first moment, and then, as if that was the wrong one, to the second. Each time: what was answered before
the moment is there with its contents and tags, files too, and nothing that began after it; every change token of before is
refused, and who held it ends with what the server has; no change tag is given twice, and no ID of a push stands for two changes;
a device has been pushed each record that is there, and is pushed what is new; who came after the moment is unknown; `brume
doctor` finds the one file that was removed since, and nothing when it is put back. In the end PostgreSQL archives what is
written, and a standby can follow.

usage: pitr.py --brume PATH [--seed N] [--control]

With --control lines are left out, and each has to be missed: the one that says that the database is older, the one that keeps to
the timeline, those that take the moment out of the settings, the one that brings the end of the log.
"""
import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

from backup import ZONE, changes, download, upload
from brume_server import Listener, Refused, Server, expect
from moments import PATIENCE, Moment, Person, is_expired, is_pushed, work_together
from postgres import Postgres

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "operating", "postgresql.md")
USERS = ["alice", "bob"]
# Files that no record holds go soon, and the log has the warnings.
EXTRA = ["--asset-address-life", "1", "--asset-sweep", "1", "--log-level", "warning"]
# How many of a device's tokens are tried.
TOKENS = 12


def documented():
    """The blocks of the section in their order, the line for another try, and the command for files."""
    with open(PAGE) as file:
        section = re.search(r"^### A moment of the past\n(.*?)^##", file.read(), re.M | re.S)[1]
    blocks = [re.sub(r"^ {3}", "", block, flags=re.M) for block in re.findall(r"^ *```\n(.*?)^ *```$", section, re.M | re.S)]
    begins = ["archive_mode", "pg_basebackup", "mv ", "psql -c 'ALTER SYSTEM", "psql 'postgres://…'"]
    if len(blocks) != len(begins) or not all(block.startswith(begin) for block, begin in zip(blocks, begins)):
        raise SystemExit(f"FAILED: the section has other blocks than this test types: {blocks}")
    again, files = (re.search(rf"`({command} [^`]*)`", section)[1] for command in ("rm -r", "cp -an"))
    return *blocks, again, files


class Operator:
    """Who types it, with folders of the test in the place of those of the page."""

    def __init__(self, place, postgres, store):
        self.place, self.postgres, self.store, self.tries = place, postgres, store, 0
        self.settings, self.base, self.restore, self.reset, self.older, self.again, self.files = documented()
        for name in ("archive", "backups"):
            os.mkdir(f"{place}/{name}")
            os.chmod(f"{place}/{name}", 0o777)

    def type(self, commands):
        """Answers what is printed."""
        commands = re.sub(r"/(?:archive|backups)\b", lambda found: self.place + found.group(), commands)
        status, said = self.postgres.shell(commands.replace("postgres://…", self.store))
        if status:
            raise SystemExit(f"FAILED: '{commands.strip()}' ended with {status}: {said.strip()}")
        return said.strip()

    def archive(self):
        self.type(f"cat >> \"$PGDATA\"/postgresql.conf <<'END'\n{self.settings}END\n")
        self.postgres.order("end")
        self.postgres.order("start")

    def put_back(self, moment, without):
        """PostgreSQL is stopped. `without`: a word of the line that is left out."""
        lines = self.restore.splitlines()
        if self.tries > 0:
            lines[0] = self.again
        self.tries += 1
        lines = [line for line in lines if without is None or without not in line]
        self.type(re.sub("(?<=recovery_target_time = ')[^']*", moment.time, "\n".join(lines)))

    def bring_back(self, moment, without=None):
        """`without`: the same, or of the block."""
        self.put_back(moment, without)
        self.postgres.order("start")
        recovered = eventually(lambda: self.type("psql -Atc 'SELECT pg_is_in_recovery()'") == "f")
        expect(recovered, f"PostgreSQL is back at {moment.time}")
        for block in (self.reset, self.older):
            if without is None or without not in block:
                self.type(block)

    def archives(self):
        """Whether all that is to be archived is, with what is written now."""
        self.type("psql -Atc 'SELECT pg_switch_wal()'")
        waiting = "psql -Atc \"SELECT name FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'\""
        return eventually(lambda: self.type(waiting) == "")


class Past:
    """A busy server, until it and PostgreSQL are stopped, and what everybody knows of it."""

    def __init__(self, brume, place, postgres, chance):
        self.brume, self.place, self.postgres, self.chance = brume, place, postgres, chance
        # As the page says it: the servers' role is no administrator.
        for statement in ("CREATE ROLE served LOGIN PASSWORD 'secret'",
                          "CREATE DATABASE served OWNER served ENCODING 'UTF8' TEMPLATE template0"):
            postgres.order(f"sql {postgres.url} {statement}")
        self.store = postgres.url.replace("brume@", "served@").replace("/postgres", "/served")
        self.operator = Operator(place, postgres, self.store)
        self.operator.archive()
        self.data, self.log, self.kept_files = f"{place}/data", f"{place}/log", f"{place}/old"
        self.server = Server(brume, self.data, store=self.store, extra=EXTRA, log=self.log).start()
        self.people = [Person(self.server, name, chance.random()) for name in USERS]
        self.tablet = Listener(self.server.client("alice", "tablet"))
        self.file = chance.randbytes(50_000)

    def happens(self, dies):
        """Answers three moments; the last is just before the end."""
        alice = self.people[0]
        for name in ("file-kept", "file-gone"):
            alice.save(name, "create", {"file": {"value": upload(alice.other, name.encode() + self.file, name)}}, alice.other)
        end = work_together(self.people)
        self.operator.type(self.operator.base)
        print(f"  the base backup is made after {self.count()} saves", flush=True)
        self.waits(0.3, 1)
        moments = [Moment(self.postgres)]
        self.waits(0.5, 1.5)
        moments.append(Moment(self.postgres))
        self.is_lost(alice)
        moments.append(Moment(self.postgres))
        self.waits(0.3, 0.3)
        problems = end()
        expect(not problems, f"{self.count()} saves were answered {problems or ''}")
        for person in self.people:
            person.follow()
            expect(person.cache == person.truth(), f"{person.name} follows them from token to token")
        expect(eventually(lambda: len(files(self.data)) == 1), "a file that no record holds any more is removed")
        self.stop()
        self.postgres.order("kill" if dies else "end")
        return moments

    def is_lost(self, alice):
        """After the moments: somebody comes, a device comes, a file goes."""
        late = self.server.admin("users", {"name": "late"})["recordName"]
        self.server.values["BRUME_USER_TOKEN_LATE"] = self.server.admin("users/token", {"user": late})["token"]
        self.tablet.thread = self.tablet.listen()
        shutil.copytree(f"{self.data}/assets", f"{self.kept_files}/assets")
        alice.save("file-gone", "forceDelete", client=alice.other)
        self.waits(0.7, 1.5)

    def waits(self, least, most):
        time.sleep(self.chance.uniform(least, most))

    def count(self):
        return sum(len(person.saves) for person in self.people)

    def start(self):
        """Everybody goes on with the credentials, tokens and positions that he has."""
        open(self.log, "w").close()
        values = self.server.values
        self.server.start()
        self.server.values = {**values, "BRUME_URL": self.server.values["BRUME_URL"]}
        for person in self.people:
            for client in person.clients:
                client.connection = None

    def stop(self):
        expect(self.server.stop() == 0, "the server ends in good order")
        for listener in [self.tablet, *(person.phone for person in self.people)]:
            listener.thread.join(PATIENCE)

    def doctor(self, *flags):
        """The status, and what it finds wrong."""
        said = subprocess.run([self.brume, "doctor", "--data", self.data, "--store", self.store, *flags],
                              capture_output=True, text=True)
        return said.returncode, [line for line in said.stdout.splitlines() if line.startswith("wrong")]


def files(data):
    return {name for _, _, names in os.walk(f"{data}/assets") for name in names}


def eventually(condition, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


class Verdict:
    """What is said of a store that was brought back. A control names its problems by their first word."""

    def __init__(self):
        self.problems = []

    def check(self, condition, word, what, found=""):
        if condition:
            print(f"  ok: {word}: {what}", flush=True)
        else:
            self.problems.append(f"{word}: not so: {what} {found}")

    def words(self):
        return {problem.partition(":")[0] for problem in self.problems}


def judge(past, moment, only_contents=False, patience=PATIENCE):
    verdict = Verdict()
    past.start()
    try:
        for person in past.people:
            judge_contents(person, moment, verdict)
        if only_contents:
            return verdict
        with open(past.log) as file:
            said = file.read()
        verdict.check("the generation is raised" in said and "restored" in said, "log",
                      "it says that the generation is raised, and why", said[-200:])
        judge_files(past, verdict)
        judge_late(past, verdict)
        for person in past.people:
            judge_tags(person, moment, verdict)
        for person in past.people:
            judge_tokens(person, verdict)
        judge_pushes(past, verdict, patience)
        status, found = past.doctor("--deep")
        verdict.check(status == 0, "doctor", "with --deep it finds nothing", found)
    finally:
        past.stop()
    return verdict


def judge_contents(person, moment, verdict):
    states, found = person.states(moment), person.truth()
    missing = [name for name, allowed in states.items() if found.get(name) not in allowed]
    strange = [name for name in found if name not in states]
    verdict.check(not missing, "saved", f"what {person.name} had saved, in {len(states)} records, is as it was", missing[:3])
    verdict.check(not strange, "later", f"and {person.name} has nothing that came later", strange[:3])
    # The device that saves knows what it sees.
    person.present = {name: tag for name, (_, tag) in found.items() if not name.startswith("file")}


def judge_files(past, verdict):
    alice = past.people[0]
    status, found = past.doctor()
    if len(files(past.data)) == 1:
        verdict.check(status == 1 and len(found) == 1 and "1 files have lost their bytes" in found[0], "files",
                      "doctor finds the one that was removed since", found)
        command = past.operator.files.replace("FOLDER/", f"{past.data}/").replace("OLD/", f"{past.kept_files}/")
        subprocess.run(command, shell=True, check=True)
        status, found = past.doctor()
    verdict.check(status == 0, "files", "doctor misses none", found)
    for name in ("file-kept", "file-gone"):
        [record] = alice.other.call("records/lookup", {"zoneID": ZONE, "records": [{"recordName": name}]})["records"]
        verdict.check("fields" in record and download(record) == name.encode() + past.file, "files", f"{name} has its bytes")


def judge_late(past, verdict):
    try:
        past.server.client("late", "phone").call("zones/list", {})
        said = "an answer"
    except Refused as refusal:
        said = str(refusal)
    verdict.check("AUTHENTICATION_" in said, "late", "who came after the moment is nobody", said)


def judge_tags(person, moment, verdict):
    """As many saves as were lost, and more: positions of the lost time are used again if nothing keeps from it."""
    lost = [save for save in person.saves if save.began > moment.after]
    given = {save.tag for save in person.saves if save.tag}
    changed = [save for save in lost if save.tag and save.name in person.present]
    if changed:
        answer = person.send(changed[-1].name, "update", "by who saw the lost time", changed[-1].tag)
        is_conflict = answer.get("serverErrorCode") == "CONFLICT"
        verdict.check(is_conflict, "conflict", "a save with a tag of the lost time is one", answer)
    before = len(person.saves)
    for _ in range(len(lost) + 10):
        person.work()
    person.save(f"note-new-{before}", "create")
    new = person.saves[before:]
    twice = {save.tag for save in new} & given
    verdict.check(not twice, "tags", f"none of {len(new)} that {person.name} is given was given before", sorted(twice)[:3])


def judge_tokens(person, verdict):
    tokens = person.random.sample(person.tokens, min(TOKENS, len(person.tokens)))
    good = [token for token in tokens if not is_expired(changes(person.reader, token)[0])]
    verdict.check(not good, "tokens", f"{len(tokens)} that {person.name} held are expired", f"but {len(good)} are not")
    refusals = person.refusals
    person.follow()
    truth = person.truth()
    skipped = [name for name in truth if person.cache.get(name) != truth[name]]
    kept = [name for name in person.cache if name not in truth]
    verdict.check(person.refusals == refusals + 1, "refused", f"{person.name}'s device has to fetch everything, once")
    verdict.check(not skipped, "skipped", f"none of {len(truth)} records that the server has", skipped[:3])
    verdict.check(not kept, "kept", "none that it has not", kept[:3])
    before = person.token
    person.save(f"other-afterwards-{len(person.saves)}", "create")
    new, _ = changes(person.reader, before)
    is_all = list(new) == [person.saves[-1].name]
    verdict.check(is_all, "afterwards", "a new token brings what is new, and nothing else", list(new)[:3])


def judge_pushes(past, verdict, patience):
    """Devices go on from the positions that they have."""
    for listener in [past.tablet, *(person.phone for person in past.people)]:
        listener.thread = listener.listen()
    for person in past.people:
        there = {name for name in person.truth() if is_pushed(name)}
        arrived = eventually(lambda: there <= person.pushed(), patience)
        verdict.check(arrived, "pushes", f"each of {len(there)} records of {person.name}'s was pushed",
                      sorted(there - person.pushed())[:3])
        records = {}
        for event in person.phone.events:
            records.setdefault(event["ck"]["nid"], set()).add(event["ck"]["qry"]["rid"])
        twice = [sorted(names) for names in records.values() if len(names) > 1]
        verdict.check(not twice, "identities", f"each of {len(records)} IDs of pushes is that of one change", twice[:3])
    alice = past.people[0]
    name = f"note-for-tablet-{len(alice.saves)}"
    alice.save(name, "create")
    arrived = eventually(lambda: name in {event["ck"]["qry"]["rid"] for event in past.tablet.events}, patience)
    verdict.check(arrived, "pushes", "a device that came after the moment is pushed what is new")


def follows(past):
    """Whether a standby that is made now is one still when the primary has saved something."""
    port = past.postgres.answer("standby")
    past.postgres.order(f"sql {past.postgres.url} CREATE TABLE after_the_moment ()")
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        is_standby = past.operator.type(f"psql -p {port} -Atc 'SELECT pg_is_in_recovery()'") == "t"
        has_it = past.operator.type(f"psql -p {port} -Atc \"SELECT to_regclass('after_the_moment')\"") != ""
        if has_it or not is_standby:
            return has_it and is_standby
        time.sleep(0.1)
    return False


def run(past):
    dies = past.chance.random() < 0.5
    first, second, _ = past.happens(dies)
    print(f"  PostgreSQL {'died' if dies else 'was stopped'}", flush=True)
    past.operator.bring_back(first)
    problems = judge(past, first).problems
    if not problems:
        past.postgres.order("end")
        print("  that was the wrong moment", flush=True)
        past.operator.bring_back(second)
        problems = judge(past, second).problems
    if not problems:
        expect(past.operator.archives(), "what is written now is archived")
        expect(follows(past), "a standby of it follows")
    return problems


def show(verdict):
    for problem in verdict.problems:
        print(f"  found: {problem}", flush=True)


def control(past):
    first, second, third = past.happens(dies=True)
    past.operator.bring_back(first, without="copied-back")
    # A server whose folder is still there would notice.
    os.remove(f"{past.data}/postgres.mark")
    # Nothing is waited for that may be lost.
    found = judge(past, first, patience=2)
    show(found)
    expect({"log", "tags", "tokens", "skipped", "kept"} <= found.words(), "control: a database that nobody said was older")
    past.postgres.order("end")
    past.operator.bring_back(second, without="recovery_target_timeline")
    found = judge(past, second, only_contents=True)
    show(found)
    expect("saved" in found.words(), "control: the timeline of the first try in the place of the old one")
    past.postgres.order("end")
    past.operator.bring_back(second, without="RESET")
    expect(not follows(past), "control: a standby that has the moment in its settings, and takes writes")
    past.postgres.order("end")
    # If it was not written full before the end, it is not there anyway.
    past.operator.type(f"cd /archive; for file in *; do expr $file '<' {third.file} >/dev/null || rm $file; done")
    past.operator.put_back(third, without="pg_wal")
    _, said = past.postgres.shell(f"timeout {PATIENCE} postgres -c max_connections=400 -c listen_addresses=127.0.0.1 "
                                  "-c unix_socket_directories=")
    expect("recovery ended before configured recovery target was reached" in said,
           "control: a moment that PostgreSQL cannot reach without the end of its log")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--control", action="store_true")
    options = parser.parse_args()
    print(f"a moment of the past: --seed {options.seed}", flush=True)
    # Small files of the log: there are more of them, and less to copy.
    postgres, problems = Postgres("--wal-segsize=1"), []
    try:
        with tempfile.TemporaryDirectory(prefix="brume-pitr-") as place:
            # PostgreSQL is another user if this is root.
            os.chmod(place, 0o755)
            past = Past(os.path.realpath(options.brume), place, postgres, random.Random(options.seed))
            try:
                if options.control:
                    control(past)
                else:
                    problems = run(past)
            finally:
                if past.server.process.poll() is None:
                    past.server.kill()
    finally:
        postgres.stop()
    for problem in problems:
        print("  " + problem)
    if problems:
        print("FAILED")
    elif not options.control:
        print("nothing of before the moments is lost, and nobody is misled by what came after them")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
