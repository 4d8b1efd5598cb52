#!/usr/bin/env python3
"""`make bench` runs to its end and says all of it in one table.

usage: bench.py --brume PATH-TO-BRUME --bench PATH-TO-BRUMEBENCH

All parts with tiny workloads, so nothing here says how fast anything is. What a machine lacks (mosquitto, nghttpd,
PostgreSQL, Citus) must be a row that says so; a part that fails must be a row too, and the others must go on.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

# How cost grows: each of these at each size, once with the files in the page cache and once after they were dropped.
GROWN = ["equality", "range with a sort", "words", "page of 100 changes", "save of 1 record", "save of 200 records", "loading more"]
SIZES, STATES = [400, 800, 1200], ["files in the page cache", "files dropped from it"]
GROWTH = [f"loading, {start} to {end} records" for start, end in zip([1] + SIZES, SIZES)]
GROWTH += [f"{what}, {size} records, {state}" for size in SIZES for state in STATES for what in GROWN]
GROWTH += ["save beside the building of an index of 1200 records, p99"]
ROWS = [
    "save 1 record, 1 connection", "save 200 records a request", "page of 100 changes",
    "save to the other device's push, p99", "match eq, 1000 subscriptions", "one change to 20 devices",
    "one change delivered to 200 with nobody writing",
    "processor time of a save and its push, with Trace's history",
] + GROWTH
# Where PostgreSQL is installed.
POSTGRES = [
    "PostgreSQL: page of 100 changes",
    "PostgreSQL: save 1 record, 16 connections", "PostgreSQL: save 200 records",
    "PostgreSQL: 16 connections to two nodes", "PostgreSQL: save to push at the other node, p99",
    "PostgreSQL: save to push at the other node without NOTIFY, p99", "SQLite: one save", "PostgreSQL: one delivery",
]


def run(*words):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(words, capture_output=True, text=True, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True, type=os.path.abspath)
    parser.add_argument("--bench", required=True, type=os.path.abspath)
    names = parser.parse_args()
    failures = {}

    def check(sentence, is_so, details):
        print(("ok     " if is_so else "FAILED ") + sentence)
        if not is_so:
            failures[details] = sentence

    status, table, talk = run(names.bench, names.brume, "--tiny")
    lines = table.splitlines()
    check("it ends with 0", status == 0, talk + table)
    check("a tiny run says so", bool(lines) and "TINY" in lines[0], table)
    heads = [line for line in lines if re.match(r"what +ours +baseline +ratio +verdict$", line)]
    check("there is one table", len(heads) == 1, table)
    for name in ROWS:
        check(f"it has the row '{name}…'", any(line.startswith(name) for line in lines), table)
    for name in POSTGRES:
        check(f"it has the row '{name}…', or says that PostgreSQL is missing",
              any(line.startswith(name) for line in lines) or "initdb is not installed" in table, table)
    apns = [line for line in lines if line.lower().startswith("apns")]
    check("the APNs sender is measured, or the row says why not",
          len(apns) == 1 and ("h2load" in apns[0] or "not measured: " in apns[0]), table)

    status, table, talk = run(names.bench, names.brume, "--tiny", "--before", names.brume, "growth", "300")
    check("growth to one size is compared with another build", status == 0, talk + table)
    for name in [row for row in GROWTH if ", 400 records" in row] + ["loading, 1 to 400 records, with before"]:
        name = name.replace("400", "300")
        rows = [line for line in table.splitlines() if line.startswith(name)]
        check(f"the row '{name}…' has both sides and a ratio", len(rows) == 1 and
              re.search(r"  before [0-9.]+ .*  [0-9]+\.[0-9]{2} +(must met|BELOW MUST) \(must 0.97\)$", rows[0]), table)

    status, table, talk = run(names.bench, "/bin/false", "--tiny", "writes", "fanout")
    check("parts that fail end it with 1", status == 1, talk + table)
    check("and each of them is a row",
          len(re.findall(r"(?m)^(writes|fanout 20) +FAILED: the server did not start", table)) == 2,
          talk + table)
    status, table, talk = run(names.bench, names.brume, "writez")
    check("an unknown part is refused", status == 64 and "writez" in talk, talk + table)
    if failures:
        sys.exit("\n" + "\n".join(failures))  # What was printed, once for all that it failed.


if __name__ == "__main__":
    main()
