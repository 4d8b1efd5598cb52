"""Every endpoint, asked by every kind of caller about things that he may see, may not see and that are not there:
each answer is compared with a policy that people can read, `matrix/policy.txt`. How: docs/internals/security.md.

usage: authorization.py --brume PATH [--store memory] [--show PROBE]
"""
import argparse
import concurrent.futures
import fnmatch
import tempfile
import time

from matrix import fields, leaks, operators, ours, records, routes, zones
from matrix.cells import cells
from matrix.policy import Policy
from matrix.verdicts import clearance, normal, disclosed, word
from matrix.world import World

# Fewer would mean that probes, principals or images got lost.
FEWEST = 5000
PROBES = records.PROBES + zones.PROBES + ours.PROBES + operators.PROBES + zones.LAST


def ask(world, some):
    """Each principal's cells in their order; several principals at once."""
    by_principal = {}
    for cell in some:
        by_principal.setdefault(cell.principal, []).append(cell)
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda own: [cell.ask(world) for cell in own], by_principal.values()))


class Judge:
    """Compares answers with the policy."""

    def __init__(self, world, policy):
        self.world, self.policy, self.texts, self.missing = world, policy, clearance(world), {}

    def compare(self, all_cells):
        self.missing = {(cell.probe.name, cell.principal, cell.database): cell
                        for cell in all_cells if cell.image in ("missing", "nobody", "noshare")}
        return [problem for cell in all_cells for problem in self.problems(cell)]

    def problems(self, cell):
        found = [f"{cell.name}: the answer has '{secret}', which is not for this reader: {cell.answer}"
                 for secret in disclosed(cell, self.texts)]
        rule, got = self.policy.rule(cell), word(cell, self.world)
        if rule is None:
            return [*found, f"{cell.name}: no rule of policy.txt fits; the answer is {got}: {cell.answer}"]
        if rule.outcomes == ["as-missing"]:
            missing = self.missing[cell.probe.name, cell.principal, cell.database]
            if normal(cell) != normal(missing):
                found.append(f"{cell.name}: {rule}; but it differs from what is not there:\n    {cell.answer}\n    {missing.answer}")
        elif got not in [outcome.replace("+", " ") for outcome in rule.outcomes]:
            found.append(f"{cell.name}: got {got}; {rule}\n    {cell.answer}")
        return found


def untouched(policy, all_cells, before, after):
    """Records that a refused request changed all the same."""
    problems = []
    for cell in all_cells:
        operation = cell.probe.name.partition(":")[2]
        name = records.target(cell.image, operation, cell.principal, cell.database)
        rule = policy.rule(cell)
        if not cell.probe.name.startswith("records/modify") or name not in before or rule is None:
            continue
        if not {"done", "gone"} & set(rule.outcomes) and before[name] != after[name]:
            problems.append(f"{cell.name}: the answer was {cell.answer}, and yet the record changed")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True)
    parser.add_argument("--store", default="memory")
    parser.add_argument("--show", help="print the answers of these probes (a pattern)")
    parser.add_argument("--most", type=int, default=40, help="how many problems to print")
    arguments = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        world = World(arguments.brume, folder, arguments.store)
        try:
            problems = run(world, arguments)
        finally:
            world.server.stop()
    print(f"  {time.monotonic() - began:.0f} s")
    for problem in problems[:arguments.most]:
        print(f"  FAILED: {problem}")
    if problems:
        raise SystemExit(f"FAILED: {len(problems)} cells are not as the policy says")


def run(world, arguments):
    policy, names = Policy(), list(world.principals)
    images = {image for probe in PROBES for some in probe.images.values() for image in some}
    listed = (routes.routes(), PROBES, names, images)
    problems = policy.unlisted(*listed) + leaks.unlisted(policy, *listed)
    zones.make(world, names)
    made = records.make(world, names)
    ours.make(world)
    operators.make(world)
    world.finish()
    before, all_cells = records.tags(world, made), cells(PROBES, names)
    ask(world, [cell for cell in all_cells if not cell.probe.last])
    after = records.tags(world, made)
    ask(world, [cell for cell in all_cells if cell.probe.last])
    judge = Judge(world, policy)
    problems += judge.compare(all_cells)
    problems += untouched(policy, all_cells, before, after)
    problems += [f"decides no cell: {rule}" for rule in policy.rules if rule.uses == 0]
    known = fields.Fields()
    problems += known.problems(all_cells) + known.unused()
    if arguments.show:
        for cell in all_cells:
            if fnmatch.fnmatchcase(cell.probe.name, arguments.show):
                print(f"{cell.name}: {word(cell, world)}\n    {cell.answer}")
    print(f"  {len(all_cells)} cells: {len(PROBES)} probes of {len(policy.endpoints)} endpoints, {len(names)} principals, "
          f"{len(images)} images, {len(policy.rules)} rules; {known.count} fields")
    if len(all_cells) < FEWEST:
        problems.append(f"{len(all_cells)} cells are fewer than {FEWEST}")
    # After the judgement, because it spoils the answers.
    problems += leaks.missed(judge, all_cells)
    problems += unfound_change(policy, all_cells, before, after)
    problems += leaks.unlisted_field(known, all_cells)
    return problems


def unfound_change(policy, all_cells, before, after):
    """Control: a record that a refused request changed has to be found."""
    name = records.target("own", "forceDelete", "other", "public")
    found = untouched(policy, all_cells, before, {**after, name: "planted"})
    return [] if found else [f"control: a change of {name} was not found"]


if __name__ == "__main__":
    main()
