#!/usr/bin/env python3
"""Generates a TypeScript client from docs/protocol/openapi.yaml, compiles it with programs that use its types, and runs
them against a real server. One of them is that of docs/languages/typescript.md.

usage: generated_typescript.py --brume PATH

Needs openapi-generator-cli (PyPI), Java, Node and a TypeScript compiler; without one of them it says so and is skipped.
"""
import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile

from brume_server import Server, expect, skip

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "languages", "typescript.md")
# Short runs: the time goes into a compiler that makes nothing faster by then.
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"]
OPTIONS = {"target": "es2020", "module": "commonjs", "lib": ["es2020", "dom"], "types": [], "strict": True,
           "skipLibCheck": True,
           # Before TypeScript 4.9, which Debian does not have yet, `"key" in object` says nothing about the object.
           "noImplicitAny": False, "outDir": "made"}


def missing():
    """The first tool that is not here; None if all are."""
    for program in ("java", "node", "tsc"):
        if not shutil.which(program):
            return program
    return None if importlib.util.find_spec("openapi_generator_cli") else "openapi-generator-cli"


def run(command, folder, what, environment=None):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    words = (done.stdout + done.stderr)[-3000:]
    if done.returncode != 0:
        raise SystemExit(f"FAILED: {what}\n{words}")
    return done.stdout


def generate(folder, description):
    jar = os.path.join(os.path.dirname(importlib.util.find_spec("openapi_generator_cli").origin), "openapi-generator.jar")
    # With the description checked: what its own validator refuses, other generators refuse as well.
    return subprocess.run(
        [*JAVA, "-jar", jar, "generate", "-g", "typescript-fetch", "-i", description, "-o", "client",
         "--global-property", "apis,models,supportingFiles,apiDocs=false,modelDocs=false"],
        cwd=folder, capture_output=True, text=True)


def the_page():
    """The page's program, and what the page says that it prints."""
    text = open(PAGE).read()
    program, = re.findall(r"^```ts\n(.*?)^```", text, re.S | re.M)
    printed, = re.findall(r"^```text\n(.*?)^```", text, re.S | re.M)
    return program, printed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.abspath(parser.parse_args().brume)
    if tool := missing():
        return skip(f"{tool} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        made = generate(folder, os.path.join(ROOT, "docs", "protocol", "openapi.yaml"))
        expect(made.returncode == 0, "a client is generated from the description" + made.stderr[-2000:] * (made.returncode != 0))
        shutil.copy(os.path.join(HERE, "typescript", "smoke.ts"), folder)
        program, printed = the_page()
        with open(os.path.join(folder, "trails.ts"), "w") as file:
            file.write(program)
        with open(os.path.join(folder, "tsconfig.json"), "w") as file:
            json.dump({"compilerOptions": OPTIONS, "files": ["smoke.ts", "trails.ts"]}, file)
        run(["tsc", "--project", "."], folder, "the client and what uses it compile")
        expect(True, "the client and what uses it compile")
        server = Server(brume, os.path.join(folder, "data"), store="memory").start()
        try:
            print(run(["node", "made/smoke.js"], folder, "the client works", server.values), end="")
            said = run(["node", "made/trails.js"], folder, "the page's program works", server.values)
            expect(said == printed, f"the page's program prints what the page says{said * (said != printed)}")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
