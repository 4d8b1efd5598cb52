"""Reads the list of endpoints, which a test of the server compares with its table: docs/reference/routes.md."""
import dataclasses
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/reference/routes.md"
ROW = re.compile(r"^\| ([A-Z, ]+) \| (?:`(/[^`]*)`)? ?\| (\w[\w, ]*) \| (\w[\w, ]*) \|(.*)\|$")


@dataclasses.dataclass(frozen=True)
class Route:
    method: str
    path: str
    access: str

    @property
    def name(self):
        return f"{self.method} {self.path}"


def routes(text=None):
    """One for each method of each line of the tables of endpoints. A line that is not understood ends the run: an endpoint
    that is passed over would be asked by nobody."""
    found, is_endpoints = [], False
    for line in (text or PAGE.read_text()).splitlines():
        if not line.startswith("|") or line.startswith("|---"):
            is_endpoints = is_endpoints and line.startswith("|")
        elif match := ROW.match(line):
            found += [Route(method.strip(), match[2] or "/", match[3]) for method in match[1].split(",")]
        elif is_endpoints:
            raise SystemExit(f"FAILED: {PAGE}: this row is not understood by matrix/routes.py: {line}")
        else:
            is_endpoints = line.startswith("| Method |")
    if len(found) < 50:
        raise SystemExit(f"FAILED: {PAGE} has hardly any rows: can matrix/routes.py still read them?")
    return found
