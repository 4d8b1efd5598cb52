"""Which fields answers may have: `fields.txt` lists each with the probes in whose answers it may stand, and a field that
it does not list fails the run, as does a line that nothing needs. So nothing gets into an answer that nobody decided on.

A field is written as its path: `records[].fields.*.value`. What stands under `fields` has the names that users gave, and
is written as `*`, as is each name that is data.
"""
import fnmatch
import pathlib

TABLE = pathlib.Path(__file__).with_name("fields.txt")
# Objects whose keys are data.
OPEN = {"fields", "extra"}


def paths(value, prefix=""):
    """The fields of a body."""
    if isinstance(value, dict):
        is_open = prefix.rpartition(".")[2] in OPEN
        for name, inner in value.items():
            path = f"{prefix}.{'*' if is_open else name}".lstrip(".")
            yield path
            # The value of a record's field is the user's.
            if not path.endswith("fields.*.value"):
                yield from paths(inner, path)
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, prefix + "[]")


class Fields:
    def __init__(self, text=None):
        self.patterns, self.used = {}, set()
        for number, line in enumerate((text or TABLE.read_text()).splitlines(), 1):
            line = line.split("#")[0].strip()
            if line:
                path, probes = (column.strip() for column in line.split("|"))
                self.patterns[path] = probes.split()

    def problems(self, cells):
        found = {}
        for cell in cells:
            for path in set(paths(cell.answer.json)):
                pattern = next((p for p in self.patterns.get(path, []) if fnmatch.fnmatchcase(cell.probe.name, p)), None)
                if pattern is None:
                    found.setdefault((path, cell.probe.name), cell)
                self.used.add((path, pattern))
        return [f"{cell.name}: the answer has the field '{path}', which fields.txt does not list for '{probe}': {cell.answer}"
                for (path, probe), cell in found.items()]

    def stale(self):
        """What the table lists and no answer has."""
        return [f"fields.txt lists '{path}' for '{pattern}', and no answer has it" for path, patterns in self.patterns.items()
                for pattern in patterns if (path, pattern) not in self.used]


def written(cells):
    """The table as the answers are, to begin with: read it before it is kept."""
    probes = {}
    for cell in cells:
        for path in set(paths(cell.answer.json)):
            probes.setdefault(path, set()).add(cell.probe.name)
    return [f"{path} | {' '.join(sorted(names))}" for path, names in sorted(probes.items())]
