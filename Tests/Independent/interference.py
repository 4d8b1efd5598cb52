"""Two servers with one difference: in one there are records that the watchers may not see. Every answer, every page,
every error and every push has to be the same; what is not is in `matrix/promised.txt`. How: docs/internals/security.md.

usage: interference.py --brume PATH [--store memory]
"""
import argparse
import concurrent.futures
import fnmatch
import json
import pathlib
import re
import tempfile
import time

from matrix.answers import Answer
from matrix.twins import WATCHERS, Story, Twin
from matrix.watching import GONE, Device, Watcher, reads, repeats, takes, writes

NAMED = "n00-hidden-1 under a name that is taken"
PROMISED = pathlib.Path(__file__).with_name("matrix") / "promised.txt"
# Drawn or counted anew by every server: whether there is one is compared, not which.
DRAWN = {"uuid", "timestamp", "added", "syncToken", "metaSyncToken", "continuationMarker", "participantId", "nid", "downloadURL",
         "receipt", "url", "redirectURL"}
# The same among headers; the length follows from what was drawn, and a token is renewed by the clock.
DRAWN_HEADERS = {"date", "content-length", "x-apple-request-uuid", "x-apple-cloudkit-web-auth-token"}


def watched(world):
    """Everything that the watchers were answered, and what repeated requests are answered when they come anew."""
    watchers = [Watcher(world, name) for name in WATCHERS]
    for watcher in watchers:
        repeats(watcher, "at first")
    everybody(reads, watchers)
    devices = [Device(watcher) for watcher in watchers if watcher.principal.user]
    Story(world).play()
    for device in devices:
        device.finish()
    Story(world).take_away()
    for watcher in watchers:
        repeats(watcher, GONE)
        writes(watcher)
    everybody(reads_again, watchers)
    for watcher in watchers:
        takes(watcher)
    return ({(watcher.name, question): answer for watcher in watchers for question, answer in watcher.answers.items()},
            {(watcher.name, question): answer for watcher in watchers for question, answer in watcher.fresh.items()})


def everybody(step, watchers):
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(step, watchers))


def reads_again(watcher):
    """After all that was saved and deleted, by everybody and everywhere."""
    before, watcher.answers = watcher.answers, {}
    reads(watcher, limits=(7,))
    watcher.answers = {**before, **{f"at the end, {question}": answer for question, answer in watcher.answers.items()}}


class Normal:
    """Answers without what every server draws for itself."""

    def __init__(self, world):
        self.names = {value: f"<{name}>" for name, value in world.users.items()}
        self.names.update({value: f"<address of {name}>" for name, value in world.shares.guids.items()})
        self.pattern = re.compile("|".join(re.escape(name) for name in self.names))

    def text(self, answer):
        if answer is None:
            return "not asked: another page before it was the last"
        if answer.json is None:
            return f"{answer.status} {answer.text}"
        text = json.dumps(self.value(answer.json, self.ranks(answer.json)), sort_keys=True)
        text = self.pattern.sub(lambda match: self.names[match[0]], text)
        text = re.sub(r"state=[^\"]+|change tag '[^']*'|\b[0-9A-F]{8}-[0-9A-F-]{27}\b|_[0-9a-f]{32}", "<drawn>", text)
        return f"{answer.status} {text}"

    def head(self, answer):
        """The headers, as a text like any answer; none of what a watcher noted for himself."""
        headers = answer.headers or {} if answer is not None else {}
        return f"{200 if headers else ''} " + json.dumps({name: headers[name] for name in sorted(headers)
                                                          if name not in DRAWN_HEADERS})

    def ranks(self, body):
        """Change tags number the changes of a database; that they rise from record to record is compared."""
        tags = set()
        self.collect(body, tags)
        return {tag: f"tag {rank}" for rank, tag in enumerate(sorted(tags, key=lambda tag: int(tag, 36)))}

    def collect(self, value, tags):
        if isinstance(value, dict):
            for key, inner in value.items():
                if key == "recordChangeTag":
                    tags.add(inner)
                self.collect(inner, tags)
        elif isinstance(value, list):
            for inner in value:
                self.collect(inner, tags)

    def value(self, value, ranks):
        if isinstance(value, dict):
            return {key: "<drawn>" if key in DRAWN else ranks[inner] if key == "recordChangeTag" else self.value(inner, ranks)
                    for key, inner in value.items()}
        return [self.value(inner, ranks) for inner in value] if isinstance(value, list) else value


def taken(question):
    """All that whoever takes the name of a hidden record is answered; as Normal has it."""
    match = re.fullmatch(r"\w+ (\S+) under a name that is taken in (\S+)", question)
    if not match:
        return None
    name, place = match.groups()
    zone = {"ownerRecordName": "_defaultOwner", "zoneName": "_defaultZone", "zoneType": "DEFAULT_ZONE"} if place == "public" \
        else {"ownerRecordName": "<creator>", "zoneName": place, "zoneType": "REGULAR_CUSTOM_ZONE"}
    return "200 " + json.dumps({"records": [{
        "brume": {"ckErrorCode": 10, "code": "accessDenied"}, "recordName": name, "serverErrorCode": "ACCESS_DENIED",
        "reason": f"record '{name}' cannot be saved: the name is taken; choose another", "zoneID": zone}]}, sort_keys=True)


class Promised:
    """The differences that are promised, each with what may be answered where something is hidden."""

    ANSWERS = {"any": lambda question, answer: True, "taken": lambda question, answer: answer == taken(question)}

    def __init__(self):
        lines = [line.split("#")[0].strip() for line in PROMISED.read_text().splitlines()]
        self.lines = [[column.strip() for column in line.split("|")] for line in lines if line]
        self.used = set()

    def allows(self, watcher, question, answer):
        for number, (watchers, pattern, kind, _, _) in enumerate(self.lines):
            if watcher in watchers.split() and fnmatch.fnmatchcase(question, pattern) and self.ANSWERS[kind](question, answer):
                self.used.add(number)
                return True
        return False

    def stale(self):
        return [f"promised.txt: this makes no difference (any more): {' | '.join(line)}"
                for number, line in enumerate(self.lines) if number not in self.used]


def differences(one, two, promised):
    """Questions whose answers differ, and are not promised to."""
    found = []
    for key in sorted(set(one) | set(two)):
        first, second = one.get(key, "not asked"), two.get(key, "not asked")
        if first != second and not promised.allows(*key, first):
            found.append(f"{key[0]}: {key[1]}\n    with hidden records:    {first[:1500]}\n    without hidden records: {second[:1500]}")
    return found


def remembered(answers, anew):
    """Repeated requests whose records are out of sight, and which are not judged like new ones."""
    found = [] if anew else ["no request was repeated"]
    return found + [f"{key[0]}: {key[1]}\n    repeated: {answers[key]}\n    anew:     {text}"
                    for key, text in anew.items() if answers[key] != text]


# MARK: Controls

def leaks(answers):
    """Answers of the world with hidden records, each with a leak, and where it is."""
    def first(wanted, change):
        for (watcher, question), text in answers.items():
            if fnmatch.fnmatchcase(question, wanted) and text.startswith("200"):
                spoilt = change(text)
                if spoilt != text:
                    return {**answers, (watcher, question): spoilt}
        return answers

    yield "a marker behind the last page", first("query none of Own in public, 5*", lambda text: text[:-1] + ', "continuationMarker": "<drawn>"}')
    yield "a page that is one short", first("query all of World in public, 5*", lambda text: text.replace('"n01-world"', '""'))
    yield "a record on create", first("refer to what is hidden by VALIDATE in public", lambda text: text + '{"serverRecord": {}}')
    yield "another reason", first("look up n03-hidden-0 in Trails", lambda text: text.replace("not found", "not for you"))
    yield "who took a name", first(f"create {NAMED} in public", lambda text: text.replace("is taken", "is the creator's"))
    yield "a record with a name that is taken", first(
        f"create {NAMED} in public", lambda text: text.replace('choose another"', 'choose another", "serverRecord": {}'))
    yield "another code for a name that is taken", first(
        f"create {NAMED} in Trails", lambda text: text.replace("ACCESS_DENIED", "CONFLICT"))
    yield "an answer that was remembered", first("update swing with an ID when*", lambda text: text.replace("NOT_FOUND", ""))
    yield "one push more", {**answers, ("other", "push 99"): '200 {"ck": {}}'}
    yield "a higher badge", first("push 3", lambda text: text.replace('"badge": ', '"badge": 1'))
    yield "a tag out of order", first("look all up in public", lambda text: text.replace('"tag 1"', '"tag 2"'))
    yield "a header more", first("headers of look up n03-hidden-0 in Trails", lambda text: text[:-1] + ', "retry-after": "1"}')
    yield "more to come", first("changes of Trails, 200*", lambda text: text.replace('"moreComing": false', '"moreComing": true'))


def missed(answers, without, anew):
    problems = []
    for name, spoilt in leaks(answers):
        found = count(spoilt, without, anew) > count(answers, without, anew)
        print(f"  planted and {'found' if found else 'NOT FOUND'}: {name}")
        if not found:
            problems.append(f"control '{name}' was not found")
    return problems


def count(answers, without, anew):
    return len(differences(answers, without, Promised())) + len(remembered(answers, anew))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--store", default="memory")
    parser.add_argument("--most", type=int, default=30, help="how many problems to print")
    arguments = parser.parse_args()
    began = time.monotonic()
    answers, anew = {}, {}
    for hidden in (True, False):
        with tempfile.TemporaryDirectory() as folder:
            world = Twin(arguments.brume, folder, arguments.store, hidden)
            try:
                (given, fresh), normal = watched(world), Normal(world)
                answers[hidden] = {key: normal.text(answer) for key, answer in given.items()}
                answers[hidden].update({(watcher, f"headers of {question}"): normal.head(answer)
                                        for (watcher, question), answer in given.items()})
                anew.update({key: normal.text(answer) for key, answer in fresh.items()})
            finally:
                world.server.stop()
    promised = Promised()
    problems = differences(answers[True], answers[False], promised) + remembered(answers[True], anew)
    print(f"  {len(answers[True])} answers compared, of {len(WATCHERS)} watchers; {len(promised.used)} promised differences")
    problems += promised.stale() + missed(answers[True], answers[False], anew)
    print(f"  {time.monotonic() - began:.0f} s")
    for problem in problems[:arguments.most]:
        print(f"  FAILED: {problem}")
    if problems:
        raise SystemExit(f"FAILED: {len(problems)} answers show what is hidden, or are not as matrix/promised.txt says")


if __name__ == "__main__":
    main()
