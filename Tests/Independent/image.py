#!/usr/bin/env python3
"""The container image's steps, as far as they need neither root nor a network nor a release build: what a builder would
copy is a whole package, the packages that are installed have their names, and the program knows the words that start it and
ask for its health. `make image-test` carries all of it out in bare roots.

usage: image.py --brume PATH
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

from brume_server import expect, skip

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.append(str(ROOT / "Tests/Image"))
import dockerfile  # noqa: E402 (its folder is known only now)


def stages():
    """The builder's and the image's."""
    build, image = dockerfile.stages((ROOT / "Deploy/Dockerfile").read_text())
    return build, image


def values(stage, name):
    return [step.value for step in stage.instructions if step.name == name]


# MARK: The build

def copy_context(stage, goal, without=""):
    """What the stage's COPY steps give it, into an empty folder."""
    context = dockerfile.Context(ROOT)
    for source, place in (value.split() for value in values(stage, "COPY")):
        if source == without:
            continue
        for below, file in context.files(source):
            target = goal / place / (below if str(below) != "." else (file.name if place.endswith("/") else ""))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target, follow_symlinks=False)


def described(folder):
    """The package as SwiftPM sees it there; what it says if it sees none."""
    # A build may be under way in the package's own build folder.
    with tempfile.TemporaryDirectory() as scratch:
        answer = subprocess.run(["swift", "package", "--package-path", folder, "--scratch-path", scratch, "describe",
                                 "--type", "json"], capture_output=True, text=True)
    return (json.loads(answer.stdout), "") if answer.returncode == 0 else (None, answer.stderr)


def sources(package):
    """Tests are not built there; a source of theirs may be a link to an example's."""
    return {target["name"]: target["sources"] for target in package["targets"] if target["type"] != "test"}


def check_package(stage):
    here, trouble = described(ROOT)
    expect(here is not None, f"the package describes itself{' ' + trouble[:500] if trouble else ''}")
    with tempfile.TemporaryDirectory() as folder:
        copy_context(stage, pathlib.Path(folder))
        there, trouble = described(folder)
        expect(there is not None, f"what the image's builder copies is a package{' ' + trouble[:500] if trouble else ''}")
        names = [{target["name"] for target in package["targets"]} for package in (here, there)]
        expect(names[0] == names[1], f"with all {len(names[0])} targets")
        files, copied = sources(here), sources(there)
        expect(files == copied, f"and all {sum(map(len, files.values()))} sources of those that are no tests")
    with tempfile.TemporaryDirectory() as folder:
        copy_context(stage, pathlib.Path(folder), without="Tests")
        expect(described(folder)[0] is None, "control: without one of the copied folders it is none")
    build = " ".join(values(stage, "RUN"))
    products = {product["name"] for product in here["products"]}
    expect(set(re.findall(r"--product (\S+)", build)) <= products, "the product that is built is one of the package's")


def check_installed(*both):
    """Names of packages change from one release of Debian to the next: only the image's own can tell."""
    with open("/etc/os-release", encoding="utf-8") as file:
        release = dict(line.strip().split("=", 1) for line in file if "=" in line)
    wanted = sorted(name for stage in both for value in values(stage, "RUN")
                    for found in re.findall(r"apt-get install ([^&]+)", value)
                    for name in found.split() if not name.startswith("-"))
    code = release.get("VERSION_CODENAME", "")
    knows = shutil.which("apt-cache") and subprocess.run(
        ["apt-cache", "show", "tzdata"], capture_output=True).returncode == 0
    if not knows or not all(code and code in image for image in (stage.image for stage in both)):
        return skip(f"whether Debian has {' '.join(wanted)}")
    missing = [name for name in wanted
               if subprocess.run(["apt-cache", "show", name], capture_output=True).returncode != 0]
    return expect(wanted and not missing, f"Debian has the packages {' '.join(wanted)}{f', not {missing}' if missing else ''}")


# MARK: The container

def free_port():
    with socket.socket() as any_socket:
        any_socket.bind(("127.0.0.1", 0))
        return any_socket.getsockname()[1]


def check_running(brume, stage, folder):
    variables = dockerfile.assignments(" ".join(values(stage, "ENV")))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
    environment |= {**variables, "BRUME_DATA": folder, "BRUME_PORT": str(free_port())}
    start = dockerfile.command(values(stage, "ENTRYPOINT")[0]) + dockerfile.command(values(stage, "CMD")[0])
    health = dockerfile.command(values(stage, "HEALTHCHECK")[0].removeprefix("CMD "))
    expect([start[0], health[0]] == ["brume", "brume"], "the image starts the program, and asks it for its health")

    def is_healthy():
        return subprocess.run([brume, *health[1:]], env=environment, capture_output=True, timeout=60).returncode == 0

    expect(not is_healthy(), "before the server runs the health check fails")
    server = subprocess.Popen([brume, *start[1:]], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while not (ready := is_healthy()) and server.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        expect(ready, "the image's words and variables start the server, and the health check succeeds")
        server.send_signal(signal.SIGTERM)
        expect(server.wait(timeout=60) == 0, "it ends by itself when it is stopped")
    finally:
        if server.poll() is None:
            server.kill()
    expect(not is_healthy(), "then the health check fails")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brume", required=True, type=os.path.abspath)
    brume = parser.parse_args().brume
    build, image = stages()
    check_package(build)
    if sys.platform.startswith("linux"):
        check_installed(build, image)
    with tempfile.TemporaryDirectory() as folder:
        check_running(brume, image, folder)


if __name__ == "__main__":
    main()
