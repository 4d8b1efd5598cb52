#!/usr/bin/env python3
"""Throws generated requests at a server, good and bad ones, and checks the answers against
docs/protocol/openapi.yaml: no 5xx, and no answer outside the description.

usage: openapi.py --brume PATH [--examples N]

Needs schemathesis; it is installed into .build/venv when it is missing.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import urllib.parse
import venv

from brume_server import Server

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = "schemathesis>=4.0,<5"


def schemathesis():
    """The command, installed on first use."""
    folder = os.path.join(ROOT, ".build", "venv")
    command = os.path.join(folder, "bin", "schemathesis")
    if not os.path.exists(command):
        print(f"installing {PACKAGE} into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True)
        subprocess.run([os.path.join(folder, "bin", "pip"), "install", "--quiet", PACKAGE], check=True)
    return command


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    parser.add_argument("--examples", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    command = schemathesis()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(arguments.brume, os.path.join(folder, "data"), store="memory").start()
        try:
            sys.exit(run(command, server, folder, arguments))
        finally:
            server.stop()


def run(command, server, folder, arguments):
    values = server.values
    settings = os.path.join(folder, "schemathesis.toml")
    # The credentials and the container are given, so that what is generated reaches the rules.
    with open(settings, "w") as file:
        file.write(f"""
[parameters]
"path.container" = "{values['BRUME_CONTAINER']}"
"path.environment" = "{values['BRUME_ENVIRONMENT']}"
"query.ckAPIToken" = "{values['BRUME_API_TOKEN']}"
"query.ckWebAuthToken" = "{values['BRUME_USER_TOKEN']}"
""")
    checks = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
    description = os.path.join(ROOT, "docs", "protocol", "openapi.yaml")
    return subprocess.run(
        [command, "--config-file", settings, "run", description, "--url", values["BRUME_URL"],
         "--checks", checks, "--max-examples", str(arguments.examples), "--seed", str(arguments.seed),
         # Operators' calls are all refused without their token, which no generated request gets.
         "--exclude-path-regex", "^/_brume/admin/", "--phases", "examples,fuzzing", "--mode", "all", "--workers", "2",
         "--generation-database", "none", "--suppress-health-check", "all", "--no-color"],
        cwd=folder).returncode


if __name__ == "__main__":
    main()
