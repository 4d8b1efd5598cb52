"""Reads a Dockerfile: its stages, their instructions, and what .dockerignore leaves of the context.

Knows what Deploy/Dockerfile uses. Anything else is refused, so that no step is passed over.
"""
import fnmatch
import json
import pathlib
import re
import shlex
from typing import NamedTuple

OPTIONS = {
    "FROM": set(), "RUN": set(), "WORKDIR": set(), "USER": set(), "ENV": set(), "EXPOSE": set(),
    "VOLUME": set(), "ENTRYPOINT": set(), "CMD": set(), "COPY": {"from"},
    "HEALTHCHECK": {"interval", "timeout", "start-period", "retries"},
}


class Refused(Exception):
    """The Dockerfile says something that this reader does not know."""


class Instruction(NamedTuple):
    line: int
    name: str
    options: dict
    value: str

    def __str__(self):
        options = "".join(f"--{key}={value} " for key, value in self.options.items())
        return f"{self.name} {options}{self.value}"


class Stage(NamedTuple):
    image: str
    name: str
    instructions: list


def instructions(text):
    """Each instruction with its first line's number, continued lines joined."""
    start, parts = 0, []
    for number, line in enumerate(text.splitlines(), 1):
        # A comment may stand between continued lines too.
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        start = start if parts else number
        parts.append(line.rstrip().removesuffix("\\").strip())
        if not line.rstrip().endswith("\\"):
            yield instruction(start, " ".join(parts))
            parts = []
    if parts:
        raise Refused(f"line {start} is continued and has no end")


def instruction(line, text):
    name, _, rest = text.partition(" ")
    name, rest, options = name.upper(), rest.strip(), {}
    if name not in OPTIONS:
        raise Refused(f"line {line}: Tests/Image does not know {name}; teach it in dockerfile.py")
    while found := re.match(r"--([a-z-]+)=(\S+)\s+", rest):
        if found[1] not in OPTIONS[name]:
            raise Refused(f"line {line}: Tests/Image does not know {name} --{found[1]}")
        options[found[1]] = found[2]
        rest = rest[found.end():]
    if "$" in rest and name not in ("RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"):
        raise Refused(f"line {line}: Tests/Image puts no variables into {name}")
    return Instruction(line, name, options, rest)


def stages(text):
    found = []
    for each in instructions(text):
        if each.name == "FROM":
            image, *alias = each.value.split()
            if alias and (len(alias) != 2 or alias[0].upper() != "AS"):
                raise Refused(f"line {each.line}: FROM is IMAGE or IMAGE AS NAME")
            found.append(Stage(image, alias[1] if alias else str(len(found)), []))
        elif not found:
            raise Refused(f"line {each.line}: {each.name} stands before FROM")
        else:
            found[-1].instructions.append(each)
    return found


def command(value):
    """The words of a command; the shell's own if it is no list."""
    if value.startswith("["):
        return json.loads(value)
    return ["/bin/sh", "-c", value]


def assignments(value):
    """ENV's pairs."""
    pairs = [word.partition("=") for word in shlex.split(value)]
    if not all(equals for _, equals, _ in pairs):
        raise Refused(f"ENV {value}: write NAME=VALUE")
    return {name: text for name, _, text in pairs}


def seconds(text):
    """A duration like 1m30s."""
    parts = re.findall(r"(\d+)([hms])", text)
    if not parts or "".join(map("".join, parts)) != text:
        raise Refused(f"'{text}' is no duration like 30s or 1m30s")
    return sum(int(number) * {"h": 3600, "m": 60, "s": 1}[unit] for number, unit in parts)


class Context:
    """The files that a build gets: the folder without what .dockerignore names."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        file = self.folder / ".dockerignore"
        lines = [line.strip() for line in file.read_text().splitlines()] if file.exists() else []
        self.rules = [line for line in lines if line and not line.startswith("#")]

    def has(self, path):
        """Whether a path relative to the folder is part of it: the last rule that fits decides."""
        parts = pathlib.PurePosixPath(path).parts
        above = ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        kept = True
        for rule in self.rules:
            pattern = rule.removeprefix("!").strip("/")
            if any(self.fits(pattern, each) for each in above):
                kept = rule.startswith("!")
        return kept

    @staticmethod
    def fits(pattern, path):
        """As Docker matches: a star stays in its folder."""
        (wanted, found) = (pattern.split("/"), path.split("/"))
        if "**" in wanted:
            raise Refused(f".dockerignore: Tests/Image does not know '**' ({pattern})")
        return len(wanted) == len(found) and all(map(fnmatch.fnmatchcase, found, wanted))

    def files(self, source):
        """(path below the source, file) for each file of a COPY's source; '' for a file itself."""
        start = self.folder / source
        if start.is_file():
            if self.has(source):
                yield pathlib.PurePosixPath(), start
            return
        for file in sorted(start.rglob("*")):
            below = file.relative_to(start)
            if (file.is_file() or file.is_symlink()) and self.has((pathlib.PurePosixPath(source) / below)):
                yield below, file
