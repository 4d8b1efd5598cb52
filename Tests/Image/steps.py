"""Carries out a stage's instructions in its root, as an image's builder would."""
import os
import pathlib
import shutil
import subprocess

import dockerfile
from dockerfile import Refused
from roots import proxies, say


class Build:
    """One stage: its root, and what its instructions said about the image's container."""

    def __init__(self, stage, root, environment):
        self.stage, self.root = stage, root
        self.environment = {**environment, "HOME": "/root"}
        self.folder, self.user = "/", "0:0"
        self.entrypoint, self.command, self.health = [], [], None
        self.volumes, self.ports = [], []

    def carry_out(self, context, others):
        for step in self.stage.instructions:
            say(f"{self.stage.name}, line {step.line}: {step}")
            self.step(step, context, others)

    def step(self, step, context, others):
        match step.name:
            case "RUN":
                subprocess.run(
                    self.enter(dockerfile.command(step.value), passing=proxies()), check=True)
            case "COPY":
                self.copy(step, context, others)
            case "ENV":
                self.environment |= dockerfile.assignments(step.value)
            case "WORKDIR":
                self.folder = str(pathlib.PurePosixPath(self.folder) / step.value)
                self.inside(self.folder).mkdir(parents=True, exist_ok=True)
            case "USER":
                self.user = step.value
            case "ENTRYPOINT":
                self.entrypoint = dockerfile.command(step.value)
            case "CMD":
                self.command = dockerfile.command(step.value)
            case "VOLUME":
                self.volumes += step.value.split()
            case "EXPOSE":
                self.ports += [int(port) for port in step.value.split()]
            case "HEALTHCHECK":
                self.health = step
            case _:
                raise Refused(f"Tests/Image cannot carry out {step.name}; teach it in steps.py")

    def enter(self, words, passing=None):
        """The words that run a command in the root, as the stage's user, with its variables only."""
        variables = {**(passing or {}), **self.environment}
        return [
            "chroot", f"--userspec={self.user}", "--groups=", str(self.root), "/usr/bin/env", "-i",
            "-C", self.folder, *(f"{name}={text}" for name, text in variables.items()), *words]

    def copy(self, step, context, others):
        *sources, goal = step.value.split()
        if len(sources) != 1:
            raise Refused(f"line {step.line}: Tests/Image copies one source at a time")
        target = self.inside(goal)
        origin = step.options.get("from")
        if origin is not None and origin not in others:
            raise Refused(f"line {step.line}: no stage before is named {origin}")
        below = dockerfile.Context(others[origin].root) if origin else context
        files = list(below.files(sources[0].strip("/")))
        if not files:
            raise Refused(
                f"line {step.line}: {sources[0]} is not there, or .dockerignore leaves it out")
        for path, file in files:
            place = target / path if str(path) != "." else target
            if str(path) == "." and goal.endswith("/"):
                place = target / file.name
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, place, follow_symlinks=False)
            os.chown(place, 0, 0, follow_symlinks=False)

    def inside(self, path):
        """Where a path of the image is for us, relative ones from its working folder."""
        whole = os.path.normpath(f"/{self.folder}/{path}" if not path.startswith("/") else path)
        return pathlib.Path(str(self.root) + "/" + whole.lstrip("/"))
