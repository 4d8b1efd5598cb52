#!/usr/bin/env python3
"""What `make dist` makes, on a machine that has nothing: the archive is unpacked in a bare Debian root, where the program
serves and passes `doctor` within a minute. The steps of Deploy/action and of the formula are carried out too.

usage: sudo Tests/Image/dist.py [--archive FILE] [--debug]

Without an archive it runs scripts/dist first, which is a release build. Needs root and debootstrap.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

import yaml

from roots import mount_system

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
OURS = "--in-a-namespace-of-its-own"
# Homebrew's names for folders, as far as the formula uses them.
STUB = '''
require "fileutils"
class Formula
  def self.desc(*) = nil
  def self.homepage(*) = nil
  def self.license(*) = nil
  def self.version(text = nil) = text ? @version = text : @version
  def self.on_linux = yield
  def self.on_intel = (yield if RUBY_PLATFORM.start_with?("x86_64"))
  def self.on_arm = (yield if RUBY_PLATFORM.start_with?("aarch64"))
  def self.url(text = nil) = text ? @url = text : @url
  def self.sha256(text = nil) = text ? @sha256 = text : @sha256
  def self.service(&) = nil
  def self.test(&block) = block ? define_method(:run_test, &block) : nil
  Folder = Struct.new(:path) do
    def install(*names) = names.each { |name| FileUtils.mkdir_p(path); FileUtils.cp(name, path) }
    def to_s = path
  end
  { bin: "bin", man1: "share/man/man1", bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d", pkgshare: "share/brume" }.each do |name, place|
    define_method(name) { Folder.new(File.join(ENV.fetch("PREFIX"), place)) }
  end
  def version = self.class.version
  def shell_output(command) = `#{command}`
  def assert_match(part, text) = text.include?(part) || abort("#{text} has no #{part}")
end
load ARGV[0]
puts Brume.url, Brume.sha256
formula = Brume.new
formula.install
formula.run_test
'''


class Checks:
    failures = 0

    def that(self, sentence, is_so, details=""):
        print(("ok     " if is_so else "FAILED ") + sentence + ("" if is_so else f" {details}"), flush=True)
        self.failures += not is_so
        return is_so


def archive_is_whole(checks, out, path):
    sums = dict(reversed(line.split()) for line in (out / "SHA256SUMS").read_text().splitlines())
    result = subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=out)
    checks.that("the checksums are those of the files", result.returncode == 0 and path.name in sums)
    with tarfile.open(path) as tar:
        names = {name.split("/", 1)[1] for name in tar.getnames()}
    wanted = {"bin/brume", "LICENSE", "share/brume/brume.service", "share/man/man1/brume.1",
              "share/bash-completion/completions/brume"}
    checks.that("the archive has program, licence, unit, manual and completions", wanted <= names, wanted - names)
    bill = json.loads(next(out.glob("*.cdx.json")).read_text())
    parts = {part["name"] for part in bill["components"]}
    checks.that("the bill of materials names what is linked, with versions and licences",
                {"hummingbird", "swift-nio", "grdb.swift", "swift-nio-ssl"} <= parts
                and all(part["version"] and part["licenses"] for part in bill["components"]), parts)
    return sums[path.name]


def serves_in_a_bare_root(checks, path, folder):
    root = folder / "bare"
    subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root,
                    os.environ.get("DEBIAN_MIRROR", "http://deb.debian.org/debian")],
                   check=True, stdout=subprocess.DEVNULL)
    mount_system(root)
    begun = time.monotonic()
    subprocess.run(["tar", "--extract", "--strip-components", "1", "--directory", root / "usr/local", "--file", path], check=True)
    libraries = subprocess.run(["chroot", root, "ldd", "/usr/local/bin/brume"], capture_output=True, text=True).stdout
    missing = [line.strip() for line in libraries.splitlines() if "not found" in line]
    checks.that("a bare Debian has all that the program asks for", not missing, missing)
    environment = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "BRUME_DATA": "/root/data"}
    server = subprocess.Popen(["chroot", root, "brume", "serve", "--port", "0"], env=environment, stdout=subprocess.DEVNULL)
    try:
        while time.monotonic() - begun < 60:
            if subprocess.run(["chroot", root, "brume", "status", "--ready"], env=environment, capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        doctor = subprocess.run(["chroot", root, "brume", "doctor"], env=environment, capture_output=True, text=True)
        took = time.monotonic() - begun
        store = subprocess.run(["chroot", root, "brume", "serve", "--data", "/root/other", "--store", "postgres://brume@127.0.0.1/x"],
                               env=environment, capture_output=True, text=True)
        checks.that("a store in PostgreSQL, whose library is not there, is refused with 69 and what to install",
                    store.returncode == 69 and "libpq5" in store.stderr, store.stderr)
        checks.that(f"unpacked, it serves and passes doctor in {took:.1f} s", doctor.returncode == 0 and took < 60, doctor.stdout)
    finally:
        server.terminate()
        checks.that("and ends with 0", server.wait(timeout=30) == 0)


def action_steps_work(checks, path, digest, folder):
    """As GitHub would: each step in a shell of its own, inputs in its environment."""
    action = yaml.safe_load((ROOT / "Deploy/action/action.yml").read_text())
    inputs = {"archive": path.as_uri(), "sha256": digest, "users": "mary-ann,alice"}
    runner = folder / "runner"
    runner.mkdir()
    environment = {**os.environ, "RUNNER_TEMP": str(runner), "GITHUB_PATH": str(runner / "path"), "GITHUB_ENV": str(runner / "env")}
    for step in action["runs"]["steps"]:
        own = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda match: inputs[match[1]], value)
               for name, value in step.get("env", {}).items()}
        result = subprocess.run(["bash", "-c", step["run"]], env={**environment, **own}, capture_output=True, text=True)
        checks.that(f"action: {step['name']}", result.returncode == 0, result.stdout + result.stderr)
    wrong = {**environment, "ARCHIVE": path.as_uri(), "HASH": "0" * 64}
    refused = subprocess.run(["bash", "-c", action["runs"]["steps"][0]["run"]], env=wrong, capture_output=True)
    checks.that("action: an archive with another hash is refused", refused.returncode != 0)
    variables = dict(line.split("=", 1) for line in (runner / "env").read_text().splitlines() if "=" in line)
    program = pathlib.Path((runner / "path").read_text().strip()) / "brume"
    checks.that("action: the variables of clients are set, for each user",
                {"BRUME_URL", "BRUME_USER_TOKEN_ALICE", "BRUME_USER_TOKEN_MARY_ANN"} <= set(variables), sorted(variables))
    checks.that("action: the first user is the one for clients that name none",
                variables["BRUME_USER_TOKEN"] == variables.get("BRUME_USER_TOKEN_MARY_ANN"), sorted(variables))
    status = json.loads((runner / "brume/data/server.json").read_text())
    answer = subprocess.run(["curl", "--silent", "--fail", variables["BRUME_URL"] + "/_brume/health/ready"], capture_output=True)
    checks.that("action: the server answers", answer.returncode == 0)
    os.kill(status["pid"], 15)
    return program


def formula_installs(checks, out, path, folder):
    if not shutil.which("ruby"):
        return print("not tried: the formula (ruby is not installed)")
    stub, prefix, source = folder / "stub.rb", folder / "prefix", folder / "source"
    stub.write_text(STUB)
    source.mkdir()
    subprocess.run(["tar", "--extract", "--strip-components", "1", "--directory", source, "--file", path], check=True)
    result = subprocess.run(["ruby", stub, out / "brume.rb"], cwd=source, env={**os.environ, "PREFIX": str(prefix)},
                            capture_output=True, text=True)
    checks.that("the formula installs program, manual and completions, and its test passes",
                result.returncode == 0 and (prefix / "bin/brume").exists(), result.stdout + result.stderr)
    checks.that("with the archive's address", path.name in result.stdout, result.stdout)


def inside(arguments, folder):
    out = pathlib.Path(arguments.archive).resolve().parent if arguments.archive else ROOT / ".build/dist"
    if not arguments.archive:
        subprocess.run([ROOT / "scripts/dist", "--out", out, "--url", "https://example.org/brume",
                        *(["--debug"] if arguments.debug else [])], check=True)
    path = pathlib.Path(arguments.archive).resolve() if arguments.archive else next(out.glob("*.tar.gz"))
    checks = Checks()
    digest = archive_is_whole(checks, out, path)
    serves_in_a_bare_root(checks, path, folder)
    action_steps_work(checks, path, digest, folder)
    formula_installs(checks, out, path, folder)
    return 1 if checks.failures else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--archive")
    parser.add_argument("--debug", action="store_true")
    parser.add_argument(OURS, dest="ours")
    arguments = parser.parse_args()
    if arguments.ours:
        raise SystemExit(inside(arguments, pathlib.Path(arguments.ours)))
    folder = tempfile.mkdtemp(prefix="brume-dist-", dir=os.environ.get("TMPDIR", "/var/tmp"))
    try:
        # What is mounted is mounted in there only, so that removing the folder touches nothing else; and what still runs ends.
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable,
                               *sys.argv, OURS, folder])
    finally:
        shutil.rmtree(folder)
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
