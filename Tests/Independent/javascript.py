"""The JavaScript client as a stranger gets it from the server: in Node, its types, and in a browser.

usage: javascript.py --brume PATH
"""
import argparse
import http.client
import os
import re
import shutil
import subprocess
import tempfile

import tabs
from brume_server import Server, expect

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "javascript.md")


def get(server, path, headers=()):
    connection = http.client.HTTPConnection(*server.address, timeout=120)
    connection.request("GET", path, headers=dict(headers))
    answer = connection.getresponse()
    return answer, answer.read()


def load(server, folder):
    """Puts the client beside the tests, under the names by which Node takes it for a module."""
    for name, kind, goal in (("brume.js", "text/javascript", "brume.mjs"), ("brume.d.ts", "text/plain", "brume.d.mts")):
        path = f"/_brume/client/{name}"
        answer, body = get(server, path, {"Origin": "https://elsewhere.example"})
        expect(answer.status == 200 and answer.headers["Content-Type"].startswith(kind), f"{name} is served")
        expect(answer.headers["Access-Control-Allow-Origin"] in ("*", "https://elsewhere.example"),
               f"a page of any origin may load {name}")
        again, nothing = get(server, path, {"If-None-Match": answer.headers["ETag"]})
        expect(again.status == 304 and nothing == b"", f"a browser that has {name} is not sent it again")
        with open(os.path.join(folder, goal), "wb") as file:
            file.write(body)
    answer, _ = get(server, "/_brume/client/other.js")
    expect(answer.status == 404, "there is no other file")


def quick_start(server):
    """The page's code, in order, with this server's address and credentials."""
    code = "\n".join(re.findall(r"^```js\n(.*?)^```", open(PAGE).read(), re.S | re.M))
    values = server.values
    for shown, real in (("http://127.0.0.1:8787/_brume/client/brume.js", "./brume.mjs"),
                        ("http://127.0.0.1:8787", values["BRUME_URL"]), ("API_TOKEN", values["BRUME_API_TOKEN"]),
                        ("USER_TOKEN", values["BRUME_USER_TOKEN_ALICE"])):
        expect(shown in code, f"the page names {shown[:40]}")
        code = code.replace(shown, real)
    return code


def run(command, folder, environment=None, what=None):
    result = subprocess.run(command, cwd=folder, env={**os.environ, **(environment or {})},
                            capture_output=True, text=True, timeout=600)
    if result.returncode != 0:
        raise SystemExit(f"FAILED: {what}\n{failed_of(result.stdout)[-6000:]}\n{result.stderr[-2000:]}")
    expect(True, what)


def failed_of(output):
    """The tests of Node that failed, which others may follow by the hundred; all of it if none says so."""
    return "".join(re.findall(r"^ *not ok .*?(?=^ *(?:not )?ok |^1\.\.|\Z)", output, re.M | re.S)) or output


def in_node(server, folder):
    with open(os.path.join(folder, "quick-start.mjs"), "w") as file:
        file.write(quick_start(server))
    run(["tsc", "-p", "."], folder, what="the types accept every use and refuse the wrong ones")
    # First, as a reader has it: a field's type is that of its first value.
    run(["node", "quick-start.mjs"], folder, what="the code of docs/javascript.md runs")
    tests = sorted(name for name in os.listdir(folder) if name.endswith(".test.mjs"))
    run(["node", "--test", *tests], folder, server.values, what=f"Node: {', '.join(tests)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    arguments = parser.parse_args()
    for program in ("node", "tsc"):
        if not shutil.which(program):
            raise SystemExit(f"javascript: no '{program}' here; scripts/prepare tests installs it")
    with tempfile.TemporaryDirectory() as data, tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(HERE, "javascript"), folder, dirs_exist_ok=True)
        server = Server(arguments.brume, data, "memory").start()
        try:
            load(server, folder)
            in_node(server, folder)
        finally:
            server.stop()
    with tempfile.TemporaryDirectory() as data:
        tabs.play(arguments.brume, data)


if __name__ == "__main__":
    main()
