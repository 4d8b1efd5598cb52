"""Runs what was built as its container would run: as the image's user, first of its processes, without
a network, on a root that nobody may write to except in its volumes.
"""
import ctypes
import fcntl
import os
import pathlib
import signal
import socket
import struct
import subprocess
import time

import dockerfile
from roots import mount_system, run

# Ours: as long as `docker stop` waits before it kills.
STOP_SECONDS = 10
START_SECONDS = 60


def leave_the_network():
    """Only the loopback interface remains, for us and for what we start."""
    clone_newnet = 0x40000000
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(clone_newnet) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    (get_flags, set_flags, up) = (0x8913, 0x8914, 1)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        asked = fcntl.ioctl(any_socket, get_flags, struct.pack("16sh14x", b"lo", 0))
        flags = struct.unpack("16sh14x", asked)[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", flags | up))


class Container:
    def __init__(self, build, folder):
        self.build, self.process, self.id = build, None, None
        self.protect(build.root, build.volumes, pathlib.Path(folder))

    @staticmethod
    def protect(root, volumes, folder):
        """A volume begins as what the image has in its place."""
        for number, volume in enumerate(volumes):
            run("cp", "-a", f"{root}{volume}", folder / f"volume-{number}")
        run("mount", "--bind", root, root)
        mount_system(root)
        run("mount", "-o", "remount,bind,ro", root)
        for number, volume in enumerate(volumes):
            run("mount", "--bind", folder / f"volume-{number}", f"{root}{volume}")

    def start(self):
        words = self.build.enter(self.build.entrypoint + self.build.command)
        # Its own /proc: libdispatch looks its threads up there, and ends the process for another's.
        self.process = subprocess.Popen([
            "unshare", "--pid", "--fork", "--kill-child", f"--mount-proc={self.build.root}/proc",
            *words])
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        while not (found := children.read_text().split()):
            time.sleep(0.01)
        self.id = int(found[0])

    def execute(self, *words):
        """As `docker exec`: (exit status, what was printed)."""
        done = subprocess.run(
            self.inside(list(words)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def inside(self, words):
        """The words that run a command beside the server, or in a container that does not run."""
        joins = [] if self.process is None or self.process.poll() is not None else [
            "nsenter", f"--target={self.id}", "--pid", "--mount"]
        return [*joins, *self.build.enter(words)]

    def is_healthy(self):
        """The image's own check, once, within its own time."""
        check = self.build.health
        name, _, value = check.value.partition(" ")
        assert name == "CMD", f"HEALTHCHECK {check.value}"
        limit = dockerfile.seconds(check.options.get("timeout", "30s"))
        asked = subprocess.Popen(
            self.inside(dockerfile.command(value.strip())), start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return asked.wait(limit) == 0
        except subprocess.TimeoutExpired:
            self.end(asked)
            return False

    @staticmethod
    def end(asked):
        """Kills a command with all that it started. What it leaves behind is ours to reap: a container
        whose first process ended waits for it."""
        os.killpg(asked.pid, signal.SIGKILL)
        asked.wait()
        while True:
            try:
                os.waitpid(-asked.pid, 0)
            except ChildProcessError:
                return

    def becomes_healthy(self):
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if self.is_healthy():
                return True
            time.sleep(0.1)
        return False

    def state(self):
        """Whether it still runs, or how it ended."""
        status = self.process.poll()
        return "it runs" if status is None else f"it ended with {status}"

    def user(self):
        """The user and group that the server runs as: all four kinds of each."""
        lines = pathlib.Path(f"/proc/{self.id}/status").read_text().splitlines()
        return {
            line.split(":")[0]: set(line.split()[1:]) for line in lines
            if line.startswith(("Uid:", "Gid:"))}

    def signal(self, number):
        os.kill(self.id, number)

    def stop(self):
        """The exit status after `docker stop`; None if it had to be killed."""
        self.signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            return None

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()
