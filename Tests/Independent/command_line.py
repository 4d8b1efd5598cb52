"""The command line as shells, man and systemd see it: completion in a real bash, the manual page, SIGHUP, and which
server commands inside `brume exec` reach.

Python's standard library only. What only some machines have (groff, man, mandoc, zsh, fish) is used where it is, and
named where not.
"""
import argparse
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from brume_server import expect

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}


def run(binary, *arguments, **variables):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, env={**CLEAN, **variables}, timeout=60)


def completed(script, *words):
    """What bash offers at the end of a line, by the script's own function."""
    line = " ".join(words)
    program = f"""
source {script}
COMP_WORDS=({' '.join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
COMP_LINE='{line}'; COMP_POINT={len(line)}
_brume brume '{words[-1]}' '{words[-2]}'
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    result = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True, env=CLEAN)
    if result.stderr:
        raise SystemExit(f"bash: {result.stderr}")
    return set(result.stdout.split())


def setting_flags(binary):
    return set(re.findall(r"^ +(--[a-z-]+)(?: |$)", run(binary, "serve", "--help").stdout.split("OPTIONS, also")[1], re.M)) - {"--version", "--help"}


def test_completions(binary, folder):
    print("== completions")
    scripts = {}
    for shell in ("bash", "zsh", "fish"):
        outcome = run(binary, "completions", shell)
        scripts[shell] = os.path.join(folder, f"brume.{shell}")
        with open(scripts[shell], "w") as file:
            file.write(outcome.stdout)
        if shutil.which(shell):
            read = subprocess.run([shell, "-n", scripts[shell]], capture_output=True, text=True)
            expect(read.returncode == 0 and not read.stderr, f"{shell} reads its script {read.stderr[:200]}")
        else:
            print(f"  not judged: {shell} is not installed, so nobody read its script")
    bash = scripts["bash"]
    expect(completed(bash, "brume", "rec") == {"records"}, "bash completes a command")
    expect(completed(bash, "brume", "records", "qu") == {"query"}, "and the command in it")
    expect(completed(bash, "brume", "records", "query", "--wh") == {"--where"}, "and its option")
    expect({"--database", "--data"} == completed(bash, "brume", "records", "query", "--dat"), "and all that begin so")
    expect(completed(bash, "brume", "import", "cloudkit", "--web") == {"--web-auth-token-file"}, "also below `import`")
    offered = completed(bash, "brume", "serve", "--")
    missing = setting_flags(binary) - offered
    expect(len(offered) > 40 and not missing, f"serve has all of its settings: {missing}")
    expect(completed(bash, "brume", "serve", "--limits", "t") == {"tiny"}, "with their values")
    expect(setting_flags(binary) <= completed(bash, "brume", "config", "show", "--"), "so has config show")
    fish, zsh = open(scripts["fish"]).read(), open(scripts["zsh"]).read()
    for flag in setting_flags(binary):
        if f"-l '{flag[2:]}'" not in fish or f"{flag}[" not in zsh:
            raise SystemExit(f"FAILED: {flag} is missing for fish or zsh")
    wrong = run(binary, "completions", "tcsh")
    expect(wrong.returncode == 64 and "bash, zsh or fish" in wrong.stderr, "another shell is refused")


def leaves(command, path=()):
    path = (*path, command["commandName"])
    yield path, command
    for child in command.get("subcommands", []):
        if child.get("shouldDisplay", True) and child["commandName"] != "help":
            yield from leaves(child, path)


def test_manual(binary, folder):
    print("== manual page")
    page = run(binary, "manual").stdout
    expect(page.isascii(), "the page is ASCII")
    plain = page.replace("\\-", "-").replace("\\fB", "").replace("\\fR", "").replace("\\fI", "")
    sections = dict(part.split("\n", 1) for part in re.split(r"^\.S[SH] ", plain, flags=re.M)[1:])
    shared = sections["SERVER OPTIONS"] + sections["COMMON OPTIONS"]
    described = json.loads(run(binary, "--experimental-dump-help").stdout)["command"]
    commands = flags = 0
    for path, command in leaves(described):
        if len(path) == 1:
            continue
        title = " ".join(path)
        found = [text for name, text in sections.items() if name == f'"{title}"' or name.startswith(f'"{title} ')]
        own = [text for name, text in sections.items() if re.fullmatch(f'"{re.escape(title)}( [^a-z]*)?"', name)]
        if not found or not own:
            raise SystemExit(f"FAILED: '{title}' is not in the page")
        commands += 1
        for argument in command.get("arguments", []):
            for name in argument.get("names", []) if argument["shouldDisplay"] else []:
                flag = ("--" if name["kind"] == "long" else "-") + name["name"]
                flags += 1
                if not re.search(rf"^({re.escape(flag)}|.*, {re.escape(flag)})( |,|$)", own[0] + shared, re.M):
                    raise SystemExit(f"FAILED: {flag} of '{title}' is not in the page")
    expect(commands > 60 and flags > 400, f"{commands} commands with {flags} options are in it")
    missing = {flag for flag in setting_flags(binary) if not re.search(rf"^{flag}( |$)", sections['"brume serve"'], re.M)}
    expect(not missing, f"so are all settings: {missing}")
    file = os.path.join(folder, "brume.1")
    with open(file, "w") as text:
        text.write(page)
    readers = [["groff", "-man", "-ww", "-Tutf8", "-z", file], ["mandoc", "-Tlint", "-Wwarning", file],
               ["man", "--warnings=w", "-l", file]]
    for reader in readers:
        if not shutil.which(reader[0]):
            print(f"  not judged: {reader[0]} is not installed")
            continue
        read = subprocess.run(reader, capture_output=True, text=True, env={**CLEAN, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
        words = read.stderr + (read.stdout if reader[0] == "mandoc" else "")
        expect(read.returncode == 0 and not words, f"{reader[0]} reads it without a warning {words[:300]}")
        if reader[0] == "man":
            # Names may be bold: overstruck.
            shown = re.sub(r".\x08|\x1b\[[0-9;]*m", "", read.stdout)
            expect("brume import cloudkit" in shown and "--web-auth-token-file" in shown, "and shows it")


class Reloaded:
    """A server with a configuration file, and its log."""

    def __init__(self, binary, folder):
        self.file, self.log = os.path.join(folder, "brume.json"), os.path.join(folder, "log")
        self.write({"log": {"level": "info"}})
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--dev", "--port", "0", "--store", "memory", "--marks", "none", "--config", self.file,
                 "--data", os.path.join(folder, "data")], stdout=subprocess.PIPE, stderr=log, text=True, env=CLEAN)
        self.url = None
        for line in self.process.stdout:
            if line.startswith("BRUME_URL="):
                self.url = line.strip().split("=", 1)[1]
            if line.startswith("Stop with"):
                break
        self.lines = 0

    def write(self, settings):
        with open(self.file, "w") as file:
            file.write(settings if isinstance(settings, str) else json.dumps(settings))

    def wait(self, text):
        """The first new line of the log with a text."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            lines = open(self.log).read().split("\n")[self.lines:]
            for number, line in enumerate(lines):
                if text in line and number < len(lines) - 1:
                    self.lines += number + 1
                    return line
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode}")
            time.sleep(0.02)
        raise SystemExit(f"FAILED: the log has no line with '{text}': {open(self.log).read()[-2000:]}")

    def reload(self, settings, answer):
        self.write(settings)
        self.process.send_signal(signal.SIGHUP)
        return self.wait(answer)

    def asks(self, path):
        return urllib.request.urlopen(self.url + path).status

    def logs_requests(self, path):
        """Whether a request is logged: the line is written before the answer is sent."""
        self.asks(f"/_brume/health/live?{path}")
        return "request.path" in "".join(open(self.log).read().split("\n")[self.lines:])


def test_reload(binary, folder):
    print("== SIGHUP")
    server = Reloaded(binary, folder)
    try:
        expect(not server.logs_requests("a"), "at info no request is logged")
        line = server.reload({"log": {"level": "debug"}}, "the settings were read again")
        expect("log.level=debug" in line, f"a changed level is taken: {line[-60:]}")
        server.asks("/_brume/health/live")
        expect("request.path=/_brume/health/live" in server.wait("request.path"), "and requests are logged from then on")
        for bad, text in (({"log": {"level": "loud"}}, "--log-level is 'loud'"), ({"colour": 1}, "colour"),
                          ("{", "cannot be read as JSON"), ({"timeout": {"idle": "many"}}, "timeout")):
            line = server.reload(bad, "are refused; the old ones stay")
            expect(text in line, f"refused: {line.split('error=')[-1]}")
        server.asks("/_brume/health/live")
        server.wait("request.path")
        expect(True, "and debug still holds")
        line = server.reload({"log": {"level": "warning"}, "timeout": {"idle": 80}, "metrics": {"token": "hidden"}},
                             "some changed settings hold from the next start on")
        expect("timeout.idle, metrics.token" in line, f"the others are named: {line[-40:]}")
        expect("hidden" not in open(server.log).read(), "without a secret")
        server.lines = len(open(server.log).read().split("\n")) - 1
        expect(not server.logs_requests("b"), "and warning holds")
        for _ in range(20):
            server.process.send_signal(signal.SIGHUP)
        expect(server.asks("/_brume/health/ready") == 200, "it goes on after many signals")
        server.process.terminate()
        expect(server.process.wait(timeout=15) == 0, "and ends as asked")
    finally:
        if server.process.poll() is None:
            server.process.kill()


def test_exec(binary, folder):
    print("== commands inside exec")
    inside = f"'{binary}' user list; '{binary}' status --format env; '{binary}' user list | grep -c ann; env | grep ^BRUME_"
    outcome = run(
        binary, "exec", "--users", "ann", "--", "env", f"BRUME_DATA={folder}/nowhere", binary, "exec", "--users", "ben",
        "--", "sh", "-c", inside, BRUME_STORE="postgres://brume@127.0.0.1:9/none")
    expect(outcome.returncode == 0, f"a server inside a server's exec: {outcome.stderr}")
    listed, variables = outcome.stdout.split("\n0\n")
    expect("ben" in listed and "BRUME_USER_TOKEN_BEN" in listed, "commands reach the inner one")
    expect("ann" not in listed and "ANN" not in variables, "and nothing leads to the outer")
    expect("BRUME_DATA=" not in variables and "BRUME_STORE=" not in variables, "nor to another folder or store")
    urls = set(re.findall(r"BRUME_URL=(\S+)", outcome.stdout))
    expect(len(urls) == 1, f"one address: {urls}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--brume", required=True)
    binary = os.path.abspath(arguments.parse_args().brume)
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_completions, test_manual, test_reload, test_exec):
            test(binary, folder)
    print("command_line: ok")


if __name__ == "__main__":
    main()
