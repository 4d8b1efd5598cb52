#!/usr/bin/env python3
"""Builds the container image without Docker and runs it: each instruction of the Dockerfile is carried
out in bare Debian roots, then the server is started there as a container would start it.

usage: sudo Tests/Image/run.py [DOCKERFILE]

Needs root, debootstrap and a network for Debian's packages; takes as long as a release build. Roots
are made under $TMPDIR (/var/tmp), some gigabytes, and removed. DEBIAN_MIRROR names another mirror.
"""
import http.client
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

import dockerfile
from container import Container, leave_the_network
from dockerfile import Refused
from roots import Roots
from steps import Build

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = "--in-a-namespace-of-its-own"


def build(file, folder):
    """Carries out all stages; answers the last one, which is the image."""
    (context, roots, done) = (dockerfile.Context(ROOT), Roots(folder), {})
    for stage in dockerfile.stages(file.read_text()):
        root, environment = roots.make(stage.image, stage.name)
        done[stage.name] = Build(stage, root, environment)
        done[stage.name].carry_out(context, done)
    return done[stage.name]


class Checks:
    failures = 0

    def that(self, sentence, is_so, details=""):
        print(("ok     " if is_so else "FAILED ") + sentence + ("" if is_so else f" {details}"), flush=True)
        self.failures += not is_so
        return is_so


def answers(port, address):
    """The status of the readiness endpoint at one of this machine's addresses."""
    connection = http.client.HTTPConnection(address, port, timeout=10)
    try:
        connection.request("GET", "/_brume/health/ready", headers={"Host": f"localhost:{port}"})
        return connection.getresponse().status
    except OSError as error:
        return str(error)
    finally:
        connection.close()


def check(image, folder):
    leave_the_network()
    (checks, container) = (Checks(), Container(image, folder))
    checks.that("the image has a health check, a volume and a port",
                bool(image.health and image.volumes and image.ports))
    checks.that("before the server runs the health check fails", not container.is_healthy())

    container.start()
    if not checks.that("the server starts, and the health check succeeds", container.becomes_healthy(),
                       container.state()):
        return checks.failures
    owner = dict(zip(("Uid", "Gid"), map(lambda name: {name}, image.user.split(":"))))
    checks.that("it runs as the image's user, which is not root",
                container.user() == owner and "0" not in image.user.split(":"),
                f"{container.user()} {image.user}")
    for port in image.ports:
        # 127.0.0.2 is nobody's default: the server listens everywhere, or the port is of no use.
        status = answers(port, "127.0.0.2")
        checks.that(f"it answers at port {port} on every address", status == 200, str(status))
    made = container.execute("brume", "user", "create", "alice")
    checks.that("commands inside of the container work", made[0] == 0, made[1])

    container.signal(signal.SIGSTOP)
    checks.that("while the server hangs the health check fails", not container.is_healthy())
    container.signal(signal.SIGCONT)
    checks.that("afterwards it succeeds", container.becomes_healthy())
    status = container.stop()
    checks.that("the server ends by itself when it is stopped", status == 0, str(status))
    checks.that("then the health check fails", not container.is_healthy())

    container.start()
    checks.that("it starts again on its volume", container.becomes_healthy())
    listed = container.execute("brume", "user", "list")
    checks.that("which kept its data", listed[0] == 0 and "alice" in listed[1], listed[1])
    container.kill()
    checks.that("killed, the health check fails", not container.is_healthy())
    container.start()
    checks.that("and it starts once more", container.becomes_healthy())
    container.stop()
    return checks.failures


def inside(folder, file):
    try:
        image = build(file, pathlib.Path(folder))
    except Refused as error:
        sys.exit(f"{file}: {error}")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{file}: a step ended with {error.returncode}")
    failures = check(image, folder)
    sys.exit(f"{failures} checks failed" if failures else 0)


def main():
    if sys.argv[1:2] == [OURS]:
        return inside(sys.argv[2], pathlib.Path(sys.argv[3]))
    file = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "Deploy/Dockerfile").resolve()
    missing = [name for name in ("debootstrap", "unshare", "chroot", "mount") if not shutil.which(name)]
    if os.geteuid() != 0 or missing:
        sys.exit(f"Tests/Image/run.py needs root{''.join(', ' + name for name in missing)}")
    folder = tempfile.mkdtemp(prefix="brume-image-", dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        # What is mounted is mounted in there only, so that removing the folder touches nothing else.
        done = subprocess.run([
            "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable,
            os.path.abspath(__file__), OURS, folder, str(file)])
        sys.exit(done.returncode)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
