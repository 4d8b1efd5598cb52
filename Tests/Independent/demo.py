#!/usr/bin/env python3
"""`brume demo` fails when a push does not come, and when one comes twice: a fault of its own server sees to that. That it
succeeds without one, pages.py shows. However it ends, its server ends with it, and it is no other's.

usage: demo.py --brume PATH
"""
import argparse
import concurrent.futures
import glob
import json
import os
import signal
import subprocess
import tempfile
import time

from brume_server import expect


def play(brume, fault):
    """Status and errors of a demo during which pushes are lost, or come twice."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        demo = subprocess.Popen([brume, "demo"], env={**os.environ, "TMPDIR": folder}, text=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        try:
            meet(brume, folder, fault, demo)
            _, words = demo.communicate(timeout=180)
        finally:
            demo.kill()
        return demo.returncode, words


def meet(brume, folder, fault, demo):
    """Adds the fault as soon as the demo's server takes it. Whatever was pushed before is as documented."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and demo.poll() is None:
        for data in glob.glob(os.path.join(folder, "brume-demo-*")):
            added = subprocess.run([brume, "faults", "add", fault, "--count", "1000", "--data", data], capture_output=True)
            if added.returncode == 0:
                return
        time.sleep(0.02)
    raise SystemExit(f"FAILED: the demo's server took no fault ({demo.poll()})")


def begun(brume, folder, **options):
    """A demo that has a server, and the server's process."""
    demo = subprocess.Popen([brume, "demo"], env={**os.environ, "TMPDIR": folder}, text=True,
                            stderr=subprocess.DEVNULL, **options)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for file in glob.glob(os.path.join(folder, "brume-demo-*", "server.json")):
            with open(file) as text:
                return demo, json.load(text)["pid"]
        time.sleep(0.02)
    demo.kill()
    raise SystemExit("FAILED: the demo's server did not start")


def left(folder, server):
    """What is there of a demo that has ended."""
    running = os.path.exists(f"/proc/{server}")
    return glob.glob(os.path.join(folder, "brume-demo-*")) + ([f"process {server}"] if running else [])


def test_ends(brume):
    """However it ends, it leaves nothing."""
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            demo, server = begun(brume, folder, stdout=subprocess.DEVNULL)
            demo.send_signal(number)
            status = demo.wait(timeout=60)
            expect(status == 128 + number and not left(folder, server), f"{number.name} ends all of it: {status} {left(folder, server)}")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        demo, server = begun(brume, folder, stdout=subprocess.PIPE)
        demo.stdout.close()
        status = demo.wait(timeout=180)
        expect(status == 1 and not left(folder, server), f"so does a reader that goes: {status} {left(folder, server)}")


def test_elsewhere(brume):
    """What surrounds it leads to no other server."""
    surroundings = {"BRUME_STORE": "postgres://brume@127.0.0.1:1/production", "BRUME_CONFIG": "/never.json",
                    "BRUME_BASE_URL": "http://127.0.0.1:1", "BRUME_URL": "http://127.0.0.1:1", "BRUME_CLOCK": "manual"}
    demo = subprocess.run([brume, "demo", "--only", "Anti"], env={**os.environ, **surroundings}, capture_output=True, text=True,
                          timeout=180)
    expect(demo.returncode == 0 and "of 1 scenarios hold" in demo.stdout, f"a demo has its own server {demo.stderr}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.realpath(parser.parse_args().brume)
    with concurrent.futures.ThreadPoolExecutor(2) as demos:
        lost, twice = demos.map(lambda fault: play(brume, fault), ["dropPush", "duplicatePush"])
    expect(lost[0] != 0 and "demo failed" in lost[1], f"a demo whose pushes are lost fails: {lost[1].strip()}")
    expect(twice[0] != 0 and "demo failed" in twice[1], f"one whose pushes come twice fails too: {twice[1].strip()}")
    test_ends(brume)
    test_elsewhere(brume)


if __name__ == "__main__":
    main()
