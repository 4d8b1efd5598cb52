"""Reads the policy, and says which outcome it promises for a cell.

`policy.txt` names every endpoint with its probes, every principal and every image; then come the rules, of which the
last that fits a cell decides. A name that is not listed, a listed name that is not there, a cell without a rule and a
rule that decides no cell all fail the run. A `*` among the probes of a rule means probes that are not there yet, too: only a
refusal may be promised to those.
"""
import fnmatch
import pathlib
import re

REFUSAL = re.compile(r"[A-Z_]+|HTTP\+4\d\d")
TABLE = pathlib.Path(__file__).with_name("policy.txt")


class Rule:
    def __init__(self, number, columns, groups):
        self.number, self.uses = number, 0
        self.outcomes = columns[0].split()
        self.patterns = [self.expanded(column, groups) for column in columns[1:5]]
        self.page, self.reason = columns[5], columns[6]

    def expanded(self, column, groups):
        found = []
        for name in column.split():
            found += groups[name] if name.startswith("@") else [name]
        return found

    def fits(self, names):
        return all(any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
                   for name, patterns in zip(names, self.patterns))

    def promises_unknown(self):
        """Whether it lets somebody do what nobody has decided on."""
        return any("*" in pattern for pattern in self.patterns[0]) and not all(map(REFUSAL.fullmatch, self.outcomes))

    def __str__(self):
        return f"policy.txt:{self.number}: {' '.join(self.outcomes)} ({self.page}: {self.reason})"


class Policy:
    def __init__(self, text=None):
        self.endpoints, self.groups, self.rules, self.decided = {}, {}, [], {}
        self.listed = {"principals": set(), "images": set()}
        section = None
        for number, line in enumerate((text or TABLE.read_text()).splitlines(), 1):
            line = line.split("#")[0].rstrip()
            if line.startswith("["):
                section = line.strip("[]")
            elif line:
                self._take(section, line, number)

    def _take(self, section, line, number):
        if section == "endpoints":
            name, probes = line.rsplit(":: ", 1)
            if name.strip() in self.endpoints:
                raise SystemExit(f"FAILED: policy.txt:{number}: {name.strip()} is listed twice")
            self.endpoints[name.strip()] = probes.split()
        elif section == "groups":
            name, members = line.split("=")
            self.groups[name.strip()] = [found for member in members.split() for found in self.groups.get(member, [member])]
        elif section == "rules":
            columns = [column.strip() for column in line.split("|")]
            if len(columns) != 7:
                raise SystemExit(f"FAILED: policy.txt:{number}: a rule has seven columns, not {len(columns)}")
            rule = Rule(number, columns, self.groups)
            if rule.promises_unknown():
                raise SystemExit(f"FAILED: policy.txt:{number}: '*' among probes is for refusals; write out which are {columns[0]}")
            self.rules.append(rule)
        else:
            self.listed[section].update(line.split())

    def rule(self, cell):
        names = (cell.probe.name, cell.database, cell.principal, cell.image)
        if names not in self.decided:
            # Few of the rules are about a probe: they are looked for once.
            if cell.probe.name not in self.decided:
                self.decided[cell.probe.name] = [rule for rule in reversed(self.rules) if rule.fits(names[:1])]
            self.decided[names] = next((rule for rule in self.decided[cell.probe.name] if rule.fits(names)), None)
        rule = self.decided[names]
        if rule is not None:
            rule.uses += 1
        return rule

    def unlisted(self, routes, probes, principals, images):
        """What the table does not list, and what it lists that is not there."""
        problems = []
        for route in routes:
            if route.name not in self.endpoints:
                problems.append(f"{route.name} is no endpoint of policy.txt: list it with its probes, and write them")
        for name in sorted(set(self.endpoints) - {route.name for route in routes}):
            problems.append(f"{name} is in policy.txt and not in docs/reference/routes.md")
        written = {}
        for probe in probes:
            written.setdefault(probe.route, []).append(probe.name)
        for name, wanted in self.endpoints.items():
            if sorted(wanted) != sorted(written.get(name, [])):
                problems.append(f"{name}: policy.txt lists {wanted}, written are {written.get(name)}")
        for kind, there in (("principals", principals), ("images", images)):
            problems += [f"{name} is not among the {kind} of policy.txt" for name in sorted(set(there) - self.listed[kind])]
            problems += [f"{name} is among the {kind} of policy.txt and nowhere else"
                         for name in sorted(self.listed[kind] - set(there))]
        return problems
