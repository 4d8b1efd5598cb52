"""Runs the long form of every machine (machines.py) one after the other, goes on when one fails, and prints one table.

usage: soak.py [--time 3h] [--only NAME,NAME] [--list]

With `--time` each machine gets its part of it: as many rounds as fit, and never fewer than make sense. The whole output of
each is in .build/soak; what a run is drawn from stands in its first lines.
"""
import argparse
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

from machines import MACHINES, Machine

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A machine that takes this many times its part, and ten minutes more, hangs.
TIMES, MORE = 3, 600


def seconds_of(text):
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not match:
        raise SystemExit(f"soak: '{text}' is no time: 90s, 30m or 3h")
    return float(match[1]) * {"s": 1, "": 1, "m": 60, "h": 3600}[match[2]]


def clock(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def rounds(machine, factor):
    """As many as fit into the machine's part of the time."""
    fitting = (machine.seconds * factor - machine.once) / machine.each
    return max(machine.least, int(fitting)) if factor != 1 else machine.usual


class Run:
    """One machine, run once."""

    def __init__(self, machine, count, first, folder):
        self.machine, self.count, self.result = machine, count, "not run"
        # What it will take by the estimate, until it has been run.
        self.seconds = self.estimate = machine.once + count * machine.each
        self.words = {"n": count, "first": first, "cores": os.cpu_count()}
        self.log = os.path.join(folder, machine.name + ".log")

    def start(self):
        command = shlex.split(self.machine.command.format(**self.words))
        more = {name: value.format(**self.words) for name, value in self.machine.environment.items()}
        with open(self.log, "w", encoding="utf-8") as log:
            print("+", *(f"{name}={value}" for name, value in more.items()), *command, file=log, flush=True)
            # A group of its own: what hangs is ended with all that it started.
            return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT,
                                    env={**os.environ, **more}, start_new_session=True)

    def run(self, more=MORE):
        began, process = time.monotonic(), None
        limit = TIMES * self.estimate + more
        try:
            process = self.start()
            status = process.wait(timeout=limit)
            self.result = f"FAILED ({status})" if status else "nothing run" if self.was_skipped() else "ok"
        except subprocess.TimeoutExpired:
            self.result = f"FAILED (hung for {clock(limit)})"
        except OSError as error:
            self.result = f"FAILED ({error.strerror}: {error.filename})"
        except KeyboardInterrupt:
            self.result = "interrupted"
        finally:
            if process is not None and process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            self.seconds = time.monotonic() - began

    def row(self):
        return (self.machine.name, self.machine.what, f"{self.count} {self.machine.unit}", clock(self.seconds), self.result)

    def was_skipped(self):
        """What it needs is not here: it says so (brume_server.skip, Swift's own tests), and nothing else."""
        with open(self.log, encoding="utf-8", errors="replace") as log:
            text = log.read()
        has_run = re.search(r'(?m)^  ok: |Test "?.* passed after', text.split("Test run with")[0])
        return " skipped: " in text and not has_run

    def last_words(self):
        with open(self.log, encoding="utf-8", errors="replace") as log:
            return [line.rstrip() for line in log][-12:]


def table(runs):
    rows = [("machine", "what", "rounds", "time", "result")] + [run.row() for run in runs]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-" * (sum(widths) + 8), *lines[1:]])


def chosen(names):
    known = {machine.name: machine for machine in MACHINES}
    strange = [name for name in names if name not in known]
    if strange:
        raise SystemExit(f"soak: there is no {', '.join(strange)}; there are {', '.join(known)}")
    return [machine for machine in MACHINES if machine.name in names or not names]


def control():
    """One that fails and one that hangs are named, and the one after them is run all the same."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [Run(Machine(name, name, command, "rounds", 1, 1, each=0.1, once=0), 1, 7, folder) for name, command in [
            ("fails", "sh -c 'exit 3'"), ("hangs", "sleep 600"), ("missing", "/nowhere/{n}"), ("works", "test {first} = 7"),
            ("skips", "echo 'Suite S skipped: no'"), ("lacks", "echo '  skipped: no compiler'"),
            ("half", "echo '  skipped: one part\n  ok: the other'")]]
        for run in runs:
            run.run(more=0.2)
        results = [run.result for run in runs]
    print(table(runs))
    expected = ["FAILED"] * 3 + ["ok", "nothing run", "nothing run", "ok"]
    return 0 if [result.split(" (")[0] for result in results] == expected and "hung" in results[1] else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", default="", help="for how long: 90s, 30m, 3h; without it, as long as all of it takes")
    parser.add_argument("--only", default="", help="some machines, by their names with commas")
    parser.add_argument("--first", type=int, help="the first seed, to do a run again; otherwise drawn")
    parser.add_argument("--list", action="store_true", help="say what there is, and run nothing")
    parser.add_argument("--control", action="store_true", help="show that what fails is named and ends nothing else")
    options = parser.parse_args()
    if options.control:
        return control()
    machines = chosen([name for name in options.only.split(",") if name])
    whole = sum(machine.seconds for machine in machines)
    factor = seconds_of(options.time) / whole if options.time else 1
    first = options.first if options.first is not None else random.SystemRandom().randrange(1, 1 << 30)
    folder = os.path.join(ROOT, ".build", "soak")
    os.makedirs(folder, exist_ok=True)
    runs = [Run(machine, rounds(machine, factor), first, folder) for machine in machines]
    if options.list:
        return print(table(runs))
    print(f"soak: {len(runs)} machines, about {clock(whole * factor)}, --first {first}; logs in .build/soak", flush=True)
    for run in runs:
        print(f"  {time.strftime('%H:%M')} {run.machine.name}: {run.count} {run.machine.unit}", flush=True)
        run.run()
        if run.result not in ("ok", "nothing run"):
            print(f"    {run.result}", *run.last_words(), sep="\n    ", flush=True)
        if run.result == "interrupted":
            break
    text = table(runs)
    with open(os.path.join(folder, "table.txt"), "w", encoding="utf-8") as file:
        print(text, file=file)
    print("\n" + text)
    return 0 if all(run.result in ("ok", "nothing run") for run in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
