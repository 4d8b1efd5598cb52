#!/usr/bin/env python3
"""`brume demo` fails when a push does not come, and when one comes twice: a fault of its own server sees to that. That it
succeeds without one, pages.py shows.

usage: demo.py --brume PATH
"""
import argparse
import concurrent.futures
import glob
import os
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.realpath(parser.parse_args().brume)
    with concurrent.futures.ThreadPoolExecutor(2) as demos:
        lost, twice = demos.map(lambda fault: play(brume, fault), ["dropPush", "duplicatePush"])
    expect(lost[0] != 0 and "demo failed" in lost[1], f"a demo whose pushes are lost fails: {lost[1].strip()}")
    expect(twice[0] != 0 and "demo failed" in twice[1], f"one whose pushes come twice fails too: {twice[1].strip()}")


if __name__ == "__main__":
    main()
