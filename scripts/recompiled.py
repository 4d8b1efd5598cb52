"""A program of the package with some of its modules compiled once more, with other flags than the ordinary debug build has; all
other objects are taken from that as they are. An optimised program is there in a third of the time of a release build, which
would compile what we use of others too."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# What the ordinary build is told about its own objects.
ALONE = {
    "-emit-dependencies", "-emit-module", "-incremental", "-enable-batch-mode", "-serialize-diagnostics",
    "-parseable-output", "-emit-objc-header", "-Onone",
}
# What it writes beside objects; an index of one file for each source does not go with one object for all.
WITH_VALUE = {"-emit-module-path", "-output-file-map", "-emit-objc-header-path", "-index-store-path"}


class Program:
    """`product` is its name in Package.swift, or `brumePackageTests`; `modules` gives the flags of each module that is compiled
    once more, if the product has it. Several products share the objects of one folder."""

    def __init__(self, product, folder, modules):
        self.product, self.modules = product, modules
        self.folder = os.path.join(HERE, ".build", folder)
        self.path = os.path.join(self.folder, product)

    def build(self, jobs, is_built=False, more_to_link=lambda compiler: []):
        """`is_built`: the ordinary build is there. It is not asked for, which would wait until nobody else builds or tests."""
        begin = time.monotonic()
        if not is_built:
            swift = os.environ.get("SWIFT", "swift")
            # With other flags than it has, all would be compiled again.
            flags = os.environ.get("BUILD_FLAGS", "").split()
            subprocess.run([swift, "build", *flags, "--product", self.product], cwd=HERE, check=True, stdout=subprocess.DEVNULL)
        os.makedirs(self.folder, exist_ok=True)
        compiles, link = self.commands()
        self.path = os.path.join(self.folder, os.path.basename(link[link.index("-o") + 1]))
        objects = self.objects(link)
        self.modules = {module: flags for module, flags in self.modules.items()
                        if any(f"/{module}.build/" in path for path in objects)}
        stale = [module for module in self.modules if not self.is_fresh(module, compiles[module])]
        with ThreadPoolExecutor(jobs) as pool:
            for module, seconds in zip(stale, pool.map(lambda m: self.compile(m, compiles[m]), stale)):
                print(f"  {module:16} {seconds:6.1f} s", flush=True)
        if stale or not os.path.exists(self.path) or self.is_older_than(link):
            self.link(link, objects, more_to_link(link[0]))
        print(f"built in {time.monotonic() - begin:.0f} s", flush=True)

    def commands(self):
        """The arguments with which SwiftPM compiled each module, and linked the program."""
        compiles, link = {}, None
        with open(os.path.join(HERE, ".build/debug.yaml"), encoding="utf-8") as manifest:
            for line in manifest:
                found = re.match(r"\s*args: (\[.*\])\s*$", line)
                if not found or '"-module-name"' not in line:
                    continue
                arguments = json.loads(found.group(1))
                module = arguments[arguments.index("-module-name") + 1]
                if "-emit-module-path" in arguments:
                    compiles[module] = arguments
                elif "-emit-executable" in arguments and module == self.product.replace("-", "_"):
                    link = arguments
        if link is None:
            sys.exit(f".build/debug.yaml does not say how {self.product} is linked; build it with swift build")
        return compiles, link

    def object_of(self, module):
        return os.path.join(self.folder, module + ".o")

    def compile(self, module, arguments):
        kept, skip = [], False
        for argument in arguments:
            if skip:
                skip = False
            elif argument in WITH_VALUE:
                skip = True
            elif argument not in ALONE and not re.fullmatch(r"-j\d+", argument):
                kept.append(argument)
        begin = time.monotonic()
        self.run(f"{module} cannot be compiled", kept + self.modules[module] + [
            "-whole-module-optimization", "-suppress-warnings", "-o", self.object_of(module)])
        # The compiler leaves an object as it is, with its time, if the new one is the same.
        os.utime(self.object_of(module))
        return time.monotonic() - begin

    def is_fresh(self, module, arguments):
        """Whether nothing that the module is made of is newer than its object."""
        made = self.object_of(module)
        if not os.path.exists(made):
            return False
        sources = next(a[1:] for a in arguments if a.startswith("@"))
        folder = os.path.dirname(os.path.dirname(sources)) + "/Modules"
        inputs = open(sources, encoding="utf-8").read().split("\n") + [
            f"{folder}/{other}.swiftmodule" for other in self.modules]
        age = os.path.getmtime(made)
        return all(os.path.getmtime(path.strip("'\"")) < age for path in inputs
                   if os.path.exists(path.strip("'\"")))

    def is_older_than(self, link):
        plain = link[link.index("-o") + 1]
        return os.path.getmtime(plain) > os.path.getmtime(self.path)

    def listed(self, link):
        return next(a[1:] for a in link if a.startswith("@") and a.endswith("Objects.LinkFileList"))

    def objects(self, link):
        """As they are written there: paths with spaces have quotes."""
        return [path for path in open(self.listed(link), encoding="utf-8").read().split("\n") if path]

    def link(self, link, objects, more):
        """As SwiftPM links it, with the new objects in place of its own."""
        replaced = tuple(f"/{module}.build/" for module in self.modules)
        rest = [path for path in objects if not any(name in path for name in replaced)]
        new_list = os.path.join(self.folder, f"{self.product}.LinkFileList")
        with open(new_list, "w", encoding="utf-8") as file:
            file.write("\n".join(rest + [self.object_of(module) for module in self.modules]))
        arguments = ["@" + new_list if argument == "@" + self.listed(link) else argument for argument in link]
        arguments[arguments.index("-o") + 1] = self.path
        self.run(f"{self.product} cannot be linked", arguments + more)

    def run(self, wrong, arguments):
        run = subprocess.run(arguments, cwd=HERE, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(f"{wrong}:\n{run.stdout[-3000:]}{run.stderr[-3000:]}")
