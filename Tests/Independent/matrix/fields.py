"""Which fields answers may have: `fields.txt` lists objects with their fields, and for each probe what its answer is made of.

A field that it does not list fails the run, as does a listed one that no answer has: nothing gets into an answer that
nobody decided on. What an answer may say of whom is the policy's; this is about what it consists of.
"""
import fnmatch
import pathlib

TABLE = pathlib.Path(__file__).with_name("fields.txt")
# An object whose contents are data: fields and values that users gave.
DATA = "data"


class Shape:
    """Fields by name; for each the objects that may stand under it, none if it has a plain value."""

    def __init__(self, name, text):
        # With a question mark: whether an answer has it depends on the moment.
        self.name, self.is_sometimes, self.fields = name.rstrip("?"), name.endswith("?"), {}
        for word in text.split():
            field, _, inner = word.partition(":")
            self.fields[field] = inner.split("|") if inner else []


class Fields:
    def __init__(self, text=None):
        self.shapes, self.answers, self.used, section = {}, [], set(), None
        for line in (text or TABLE.read_text()).splitlines():
            line = line.split("#")[0].strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif line:
                name, _, fields = line.partition(" :: ")
                shape = Shape(name.strip(), fields)
                if section == "objects":
                    self.shapes[shape.name] = shape
                else:
                    self.answers.append((shape.name.split(), shape))

    @property
    def count(self):
        return sum(len(shape.fields) for shape in [*self.shapes.values(), *(shape for _, shape in self.answers)])

    def of(self, probe):
        """What an answer of a probe may be made of."""
        return [shape for patterns, shape in self.answers if any(fnmatch.fnmatchcase(probe, pattern) for pattern in patterns)]

    def strange(self, value, shapes, path=""):
        """The paths of the fields that none of these objects has."""
        if isinstance(value, list):
            for inner in value:
                yield from self.strange(inner, shapes, path + "[]")
        elif isinstance(value, dict):
            for name, inner in value.items():
                own = [shape for shape in shapes if name in shape.fields]
                self.used.update((shape.name, name) for shape in own)
                objects = {each for shape in own for each in shape.fields[name]}
                if not own:
                    yield f"{path}.{name}".lstrip(".")
                elif DATA not in objects:
                    yield from self.strange(inner, [self.shapes[each] for each in objects], f"{path}.{name}")

    def problems(self, cells):
        found, shapes = {}, {}
        for cell in cells:
            name = cell.probe.name
            if name not in shapes:
                shapes[name] = self.of(name)
            for path in self.strange(cell.answer.json, shapes[name]):
                found.setdefault((path, name), cell)
        return [f"{cell.name}: the answer has the field '{path}', which fields.txt does not list for '{probe}': {cell.answer}"
                for (path, probe), cell in found.items()]

    def unused(self):
        """What the table lists and no answer had."""
        shapes = [*self.shapes.values(), *(shape for _, shape in self.answers)]
        return [f"fields.txt lists '{field}' of '{shape.name}', and no answer has it"
                for shape in shapes if not shape.is_sometimes
                for field in shape.fields if (shape.name, field) not in self.used]
