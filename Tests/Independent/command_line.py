"""The command line as shells, man and systemd see it: completion in a real bash, the manual page, SIGHUP, and which
server commands inside `brume exec` reach. And as people type it: every command by its own examples
(Sources/brume/Manual/Examples.swift), with wrong flags, and without a server; the list comes from the program, so a
command that nobody tries fails here.

Python's standard library only. What only some machines have (groff, man, mandoc, zsh, fish) is used where it is, and
named where not.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.request

from brume_server import expect

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}


def run(binary, *arguments, **variables):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, env={**CLEAN, **variables}, timeout=120)


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
    every_flag(binary, scripts)
    wrong = run(binary, "completions", "tcsh")
    expect(wrong.returncode == 64 and "bash, zsh or fish" in wrong.stderr, "another shell is refused")


def every_flag(binary, scripts):
    """Each option of each command, in each of the scripts, behind its own command."""
    known = {name: set(flags(command)) for name, command in commands(binary)}
    known["serve"] |= setting_flags(binary)
    known["config show"] |= setting_flags(binary)
    offered = {"fish": fish_flags(scripts["fish"]), "zsh": zsh_flags(scripts["zsh"])}
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        lines = threads.map(lambda name: completed(scripts["bash"], "brume", *name.split(), "--"), known)
        offered["bash"] = dict(zip(known, lines))
    for shell, found in offered.items():
        missing = {name: sorted(wanted - found.get(name, set())) for name, wanted in known.items() if not wanted <= found.get(name, set())}
        expect(not missing, f"{shell} knows every option of {len(known)} commands, {sum(map(len, known.values()))} in all {missing or ''}")


def flags(command):
    """The long options of a command, as the parser knows them."""
    for argument in command.get("arguments", []):
        for name in argument.get("names", []):
            if argument["shouldDisplay"] and name["kind"] == "long":
                yield "--" + name["name"]


def fish_flags(script):
    found = {}
    for command, names in re.findall(r"""^complete -c 'brume' -n '[a-z_]+ "brume ([^"]*)"[^']*'(.*?)(?: -d |$)""", open(script).read(), re.M):
        found.setdefault(command, set()).update("--" + name for name in re.findall(r"-l '([a-z0-9-]+)'", names))
    return found


def zsh_flags(script):
    """What stands before the explanation of each option, in the function of its command."""
    found = {}
    for name, body in re.findall(r"^_brume_([a-z_]+)\(\) \{\n(.*?)^\}", open(script).read(), re.M | re.S):
        specs = re.search(r"arg_specs=\(\n(.*?)^ +\)$", body, re.M | re.S)
        heads = [line.split("[")[0] for line in specs.group(1).split("\n")] if specs else []
        found[name.replace("_", " ")] = set(re.findall(r"--[a-z0-9-]+", " ".join(heads)))
    return found


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

    def __init__(self, binary, folder, store="memory"):
        self.file, self.log = os.path.join(folder, "brume.json"), os.path.join(folder, "log")
        self.write({"log": {"level": "info"}})
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [binary, "serve", "--dev", "--port", "0", "--store", store, "--marks", "none", "--config", self.file,
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
        deadline = time.monotonic() + 120
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
        expect(server.process.wait(timeout=120) == 0, "and ends as asked")
    finally:
        if server.process.poll() is None:
            server.process.kill()


def test_end_between(binary, folder):
    """SIGTERM when a restored server has ended and the next one is not there yet, or has just come: none is left."""
    print("== SIGTERM while the server starts anew")
    data, backup = os.path.join(folder, "restored"), os.path.join(folder, "between.backup")
    address = os.path.join(data, "server.json")
    for attempt in range(3):
        server = subprocess.Popen([binary, "serve", "--dev", "--port", "0", "--marks", "none", "--data", data],
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=CLEAN)
        for line in server.stdout:
            if line.startswith("Stop with"):
                break
        if attempt == 0:
            made = run(binary, "backup", backup, "--data", data)
            expect(made.returncode == 0, f"there is a backup {made.stderr}")
        restore = subprocess.Popen([binary, "restore", backup, "--in-place", "--yes", "--data", data],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=CLEAN)
        deadline = time.monotonic() + 60
        while os.path.exists(address) and time.monotonic() < deadline:
            pass
        server.send_signal(signal.SIGTERM)
        try:
            status = server.wait(timeout=120)
        except subprocess.TimeoutExpired:
            status = "nothing, and goes on"
            server.kill()
        restore.kill()
        restore.wait()
        expect(status == 0, f"the process ends as asked, with {status}")
        expect(not os.path.exists(address), "and no server is left")


def test_level_stays(binary, folder):
    print("== a log level that a signal has set, and a server that starts anew")
    place = os.path.join(folder, "level")
    os.mkdir(place)
    server = Reloaded(binary, place, "sqlite")
    data, backup = os.path.join(place, "data"), os.path.join(place, "level.backup")
    try:
        server.reload({"log": {"level": "debug"}}, "the settings were read again")
        for words in (("backup", backup), ("restore", backup, "--in-place", "--yes")):
            made = run(binary, *words, "--data", data)
            expect(made.returncode == 0, f"{words[0]} {made.stderr}")
        server.wait("the server starts anew")
        server.asks("/_brume/health/live?anew")
        expect("request.path=/_brume/health/live" in server.wait("request.path=/_brume/health/live"), "debug holds after the start")
        server.process.terminate()
        expect(server.process.wait(timeout=120) == 0, "and it ends as asked")
    finally:
        if server.process.poll() is None:
            server.process.kill()


def test_exec(binary, folder):
    print("== commands inside exec")
    inside = f"'{binary}' user list; '{binary}' status --format env; '{binary}' user list | grep -c ann; env | grep ^BRUME_"
    outcome = run(
        binary, "exec", "--users", "ann", "--", "env", f"BRUME_DATA={folder}/nowhere", binary, "exec", "--users", "ben",
        "--", "sh", "-c", inside, BRUME_STORE="postgres://brume@127.0.0.1:9/none", BRUME_CONFIG="/never.json",
        BRUME_ASSETS="s3://never", BRUME_STATE_DIR="/never", BRUME_DEVICE_ID="never", BRUME_TRUST="/trusted.pem")
    expect(outcome.returncode == 0, f"a server inside a server's exec: {outcome.stderr}")
    listed, variables = outcome.stdout.split("\n0\n")
    expect("ben" in listed and "BRUME_USER_TOKEN_BEN" in listed, "commands reach the inner one")
    expect("ann" not in listed and "ANN" not in variables, "and nothing leads to the outer")
    expect("BRUME_DATA=" not in variables and "BRUME_STORE=" not in variables, "nor to another folder or store")
    expect("never" not in variables and "BRUME_TRUST=/trusted.pem" in variables, f"nor to what a device knows of another {variables}")
    urls = set(re.findall(r"BRUME_URL=(\S+)", outcome.stdout))
    expect(len(urls) == 1, f"one address: {urls}")


def test_missing_library(binary, folder):
    print("== PostgreSQL's client library")
    os.mkdir(os.path.join(folder, "libraries"))
    # What is found first, and is no library.
    for name in ("libpq.so.5", "libpq.5.dylib"):
        open(os.path.join(folder, "libraries", name), "w").close()
    hidden = {name: os.path.join(folder, "libraries") for name in ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")}
    url, data = "postgres://brume:secret@127.0.0.1:1/x", os.path.join(folder, "without")
    for words in (("serve", "--data", data, "--store", url), ("migrate", "--data", data, "--from", url, "--to", "sqlite")):
        outcome = run(binary, *words, **hidden)
        said = outcome.stderr
        expect(outcome.returncode == 69, f"without libpq {words[0]} ends with 69: {outcome.returncode} {said}")
        expect("libpq" in said and "install" in said and "LD_LIBRARY_PATH" in said, f"and says what to do, also to who is not root: {said}")
        expect("secret" not in said and "Usage:" not in said, "and nothing else")
    outcome = run(binary, "doctor", "--data", data, "--store", url, **hidden)
    expect(outcome.returncode == 1 and "LD_LIBRARY_PATH" in outcome.stdout, f"doctor says the same: {outcome.stdout}")
    outcome = run(binary, "config", "show", "--store", url, **hidden)
    expect(outcome.returncode == 0, f"settings can be shown without it: {outcome.stderr}")


# What `brume help` must offer, by the noun.
NOUNS = """serve exec demo status user token key schema records zones subscriptions devices push faults webhook apns config
backup restore export import migrate doctor conformance bench version completions manual operator audit clock log
logs usage deletions""".split()
VERBS = {
    "records": "query create update delete get", "zones": "list create delete purge", "user": "create change list token delete signout",
    "token": "create list revoke", "key": "create list revoke", "push": "tail log explain test retry", "clock": "show advance next",
    "schema": "show export validate diff import deploy reset index role", "log": "list then", "operator": "add list remove password role link invitation token"}
# Examples that another test types, because they need another side or last long.
ELSEWHERE = {"demo": "pages.py", "brume doctor --forget audit --data ./brume-data": "rot.py", "import cloudkit": "cloudkit_import.py", "brume exec -- swift test": "Deploy/github-actions.yaml"}
# What an example may end with besides 0.
ENDS = {"migrate": {73}, "webhook add": {0, 1, 75}, "webhook enable": {1}, "webhook disable": {1}, "webhook remove": {1}}
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        title STRING QUERYABLE SEARCHABLE,
        GRANT WRITE TO "_creator",
        GRANT CREATE TO "_icloud",
        GRANT READ TO "_world"
    );
"""


class Desk:
    """A folder in which somebody types commands at a development server, whose folder has the name by default."""

    def __init__(self, binary, folder):
        self.binary, self.folder = binary, folder
        bin = os.path.join(folder, "bin")
        os.mkdir(bin)
        os.symlink(binary, os.path.join(bin, "brume"))
        self.env = {**CLEAN, "PATH": bin + ":" + os.environ["PATH"], "BRUME_MARKS": "none"}
        for name, text in {"password.txt": "a password that is long enough\n", "first.ckdb": SCHEMA, "brume.json": '{"data": "./brume-data"}'}.items():
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        self.server = None

    def start(self):
        self.server = subprocess.Popen(
            ["brume", "serve", "--dev", "--clock", "manual", "--port", "0"], cwd=self.folder, env=self.env,
            executable=self.binary, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        for line in self.server.stdout:
            if line.startswith("Stop with"):
                return
        raise SystemExit("FAILED: the server did not start")

    def type(self, line):
        return subprocess.run(["sh", "-c", line], cwd=self.folder, env=self.env, capture_output=True, text=True, timeout=120)

    def must(self, line):
        outcome = self.type(line)
        if outcome.returncode != 0:
            raise SystemExit(f"FAILED: {line}: {outcome.returncode} {outcome.stderr[-2000:]}")
        return outcome.stdout


def examples(binary):
    """The examples of each command, as the reference has them, by the command's name."""
    page = run(binary, "manual", "--markdown").stdout
    found = {}
    for part in re.split(r"^#{2,5} brume ", page, flags=re.M)[1:]:
        title, rest = part.split("\n", 1)
        block = re.search(r"```sh\n(.*?)\n```", rest, re.S)
        name = " ".join(word for word in title.split() if re.fullmatch(r"[a-z]+", word))
        found[name] = block.group(1).split("\n") if block else []
    return found


def commands(binary):
    """Every command that does something: its name, and what the parser knows of it."""
    tree = json.loads(run(binary, "--experimental-dump-help").stdout)["command"]
    for path, command in leaves(tree):
        if len(path) > 1 and not [child for child in command.get("subcommands", []) if child["commandName"] != "help"]:
            if command.get("shouldDisplay", True):
                yield " ".join(path[1:]), command


def test_help(binary, folder):
    print("== help")
    text = run(binary, "help").stdout
    missing = [noun for noun in NOUNS if not re.search(rf"^  {noun}( |,|$)", text, re.M)]
    expect(not missing, f"help has every noun: {missing}")
    for noun, verbs in VERBS.items():
        text = run(binary, "help", noun).stdout
        missing = [verb for verb in verbs.split() if not re.search(rf"^  {verb}( |,|$)", text, re.M)]
        expect(not missing, f"{noun} has its verbs: {missing}")
    plain = run(binary, "user", "create", "--help").stdout
    expect("EXAMPLES:" in plain and "brume user create carol" in plain, "help of a command has examples")
    expect(run(binary, "help", "user", "create").stdout == plain, "by both ways")
    for command in ("help", "--version", "version"):
        expect("\x1b" not in run(binary, *command.split()).stdout, f"{command} has no colours where nobody sees them")


def test_wrong_use(binary, folder):
    print("== wrong use")
    tried = []
    for name, command in commands(binary):
        words = name.split()
        arguments = [argument for argument in command.get("arguments", []) if argument["shouldDisplay"]]
        wrong = [[*words, "--no-such-flag"]]
        needed = [argument for argument in arguments if not argument["isOptional"] and argument["kind"] != "flag"]
        if needed:
            wrong.append(words)
        valued = [argument for argument in arguments if argument["kind"] == "option"]
        if valued:
            wrong.append([*words, "--" + valued[0]["preferredName"]["name"]])
        places = [argument for argument in arguments if argument["kind"] == "positional"]
        if not any(place["isRepeating"] for place in places) and name not in ("exec",):
            wrong.append([*words, *["surplus"] * (len(places) + 1)])
        tried += wrong
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        for line, outcome in zip(tried, threads.map(lambda line: run(binary, *line), tried)):
            if outcome.returncode != 64 or outcome.stdout or not outcome.stderr:
                raise SystemExit(f"FAILED: brume {' '.join(line)} ended with {outcome.returncode}: {outcome.stderr[:500]}{outcome.stdout[:200]}")
    expect(len(tried) > 150, f"{len(tried)} lines that nobody should type end with 64 and say why on standard error")


# Lines that somebody types who does not know the program yet: what they end with, and what is said.
SLIPS = (
    ("sereve", 64, "there is no command 'brume sereve'; did you mean 'brume serve'?"),
    ("user lst --data ./x", 64, "there is no command 'brume user lst'; did you mean 'brume user list'?"),
    ("users list", 64, "did you mean 'brume user'?"),
    ("help usr", 64, "there is no command 'brume usr'; did you mean 'brume user'?"),
    ("help user lst", 64, "there is no command 'brume user lst'; did you mean 'brume user list'?"),
    ("usr create --help", 64, "there is no command 'brume usr'; did you mean 'brume user'?"),
    ("logs --limit -1", 64, "--limit needs a value, and '-1' behind it reads as an option: write --limit=-1"),
    ("logs --limit=-1", 64, "--limit is '-1'; it is a number from 1 on"),
    ("audit list --limit 0", 64, "--limit is '0'; it is a number from 1 on"),
    ("push log --limit 0", 64, "--limit is '0'; it is a number from 1 on"),
    ("log list --limit 0", 64, "--limit is '0'; it is a number from 1 on"),
    ("list users", 64, "there is no command 'brume list'; 'brume --help' lists all"),
    ("--data ./x user list", 64, "options stand behind it, such as: brume user list --data FOLDER"),
    ("serve --port x", 64, "--port is 'x', and must be a number (NUMBER)"),
    ("serve --dev maybe", 64, "'maybe' is not an option of serve"),
    ("serve --prot 1", 64, "Usage: brume serve [OPTIONS]\n  See 'brume serve --help'"),
    ("serve --data=", 64, "--data is empty; name a folder"),
    ("serve --data ./letter", 73, "'./letter' is a file; name a folder with --data"),
    ("serve --data /proc/never", 73, "choose another with --data"),
    ("clock advance 1", 64, "Usage: brume clock advance"),
    ("user list --admin-token t", 64, "Usage: brume user list"),
    ("faults add nonsense", 64, "there is no fault 'nonsense'; it is one of error,"),
    ("faults add error", 64, "such as --code 7"),
    ("faults add switchAccount", 64, "--to NAME"),
    ("faults add conflict --count 0", 64, "--count is '0'; it is a number from 1 on"),
    ("faults add conflict --skip=-1", 64, "--skip is '-1'; it is a number from 0 on"),
    ("demo --only Typo", 64, "--only is 'Typo', which no scenario has in its name: 'Two devices"),
    ("faults add conflict --always --count 2", 64, "--count has no meaning with --always"),
    ("faults add conflict --on never", 64, "--on is 'never'; it may be saveRecords"),
    ("operator add ada", 64, "--password-file"),
    ("operator invitation create ada --hours 0", 64, "--hours is '0'; an invitation is good for 1 to 168 hours"),
    ("operator invitation create ada --hours 169", 64, "--hours is '169'; an invitation is good for 1 to 168 hours"),
    ("records create Note title=Hello --user alice", 64, "'title=Hello' would be the record's name; write --set"),
    ("deletions forget --older-than=-1", 64, "--older-than is '-1'; it is a number of days from 0 to 36500"),
    ("operator role ada", 64, "Missing expected argument '<role>'"),
    ("export --usr alice", 64, "'brume export' has no option '--usr'; did you mean '--user'? 'brume export --help' lists all. Missing expected"),
    ("import --usr=alice", 64, "'brume import' has no option '--usr'; did you mean '--user'?"),
    ("conformance --cases ./never", 66, "there is no folder './never' with cases"),
    ("conformance --url http://127.0.0.1:1 --container iCloud.a --api-token t --key-id k --key-file ./never", 66,
     "the key file './never' cannot be read (No such file or directory)"),
    ("key create k --public-key ./never", 66, "the key file './never' cannot be read (No such file or directory)"),
    ("records create Note a --user alice --fields @./never", 66, "the file of --fields './never' cannot be read (No such"),
    ("backup --verify ./letter", 65, "'./letter': this is no backup of Brume"),
    ("restore ./letter --data ./unmade", 65, "'./letter': this is no backup of Brume"),
    ("backup ./never/a --url http://127.0.0.1:1 --admin-token t", 73, "make its folder, or choose another name"),
    ("backup ./unmade --url http://127.0.0.1:1", 77, "needs an admin token; give one with --admin-token"),
    ("backup ./unmade --url http://127.0.0.1:1 --admin-token t", 69, "no server answers at http://127.0.0.1:1"),
)
# The same at a server.
SLIPS_AT_SERVER = (
    ("devices list --user nobody", 1, "there is no user 'nobody'"),
    ("records create Note --user alice --fields {", 65, "--fields: the JSON is not valid at byte 1"),
    ("deletions forget", 1, "--older-than DAYS"),
    ("backup ./unmade --since ./letter", 65, "'./letter': this is no backup of Brume"),
    ("restore ./letter --in-place --yes", 65, "'./letter': this is no backup of Brume"),
    ("serve --port 0", 73, "another server uses the data folder"),
)


def test_slips(binary, folder):
    print("== slips")
    folder = os.path.join(folder, "slips")
    os.mkdir(folder)
    desk = Desk(binary, folder)
    with open(os.path.join(folder, "letter"), "w") as file:
        file.write("Dear")

    def slip(line, status, words):
        outcome = desk.type(f"brume {shlex.join(shlex.split(line))} < /dev/null")
        if outcome.returncode != status or words not in outcome.stderr or not outcome.stderr.startswith("Error: "):
            raise SystemExit(f"FAILED: brume {line} ended with {outcome.returncode}: {outcome.stderr[:700]}")

    for line, status, words in SLIPS:
        slip(line, status, words)
    expect(not [name for name in os.listdir(folder) if "unmade" in name], "a backup of which nothing arrived leaves no file")
    desk.start()
    try:
        for line, status, words in SLIPS_AT_SERVER:
            slip(line, status, words)
    finally:
        desk.server.terminate()
        desk.server.wait(timeout=120)
    expect(True, f"{len(SLIPS) + len(SLIPS_AT_SERVER)} slips end with a sentence that helps")


def test_misspelt(binary, folder):
    """A variable or a key of the file that is no setting: what `serve` refuses, `doctor` finds before."""
    print("== misspelt settings")
    place = os.path.join(folder, "misspelt")
    os.mkdir(place)
    file, data = os.path.join(place, "brume.json"), os.path.join(place, "data")

    def write(settings):
        with open(file, "w") as out:
            json.dump(settings, out)

    def refused(words, *flags, **variables):
        served = run(binary, "serve", "--port", "0", *flags, **variables)
        expect(served.returncode == 64 and words in served.stderr and not os.path.exists(data), f"serve says {words!r} {served.stderr[:300]}")
        looked = run(binary, "doctor", *flags, **variables)
        expect(looked.returncode == 1 and "wrong settings: " in looked.stdout and words in looked.stdout, f"doctor says it {looked.stdout[:300]}")

    refused("the variable BRUME_PROT is no setting; did you mean BRUME_PORT?", BRUME_PROT="1", BRUME_DATA=data)
    for key, meant in (("prot", "port"), ("log.levle", "log.level"), ("Port", "port")):
        section, _, name = key.rpartition(".")
        write({"data": data, **({section: {name: "debug"}} if section else {name: 1})})
        said = f"'{key}' in {file} is no setting; did you mean {meant}?"
        refused(said, "--config", file)
        refused(said, BRUME_CONFIG=file)
    refused("cannot be read; check its path", "--config", os.path.join(place, "never.json"))
    write({"data": data})
    server = subprocess.Popen([binary, "serve", "--dev", "--port", "0", "--marks", "none", "--config", file], env=CLEAN,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if line.startswith("Stop with"):
            break
    try:
        well = run(binary, "doctor", "--deep", "--config", file)
        expect(well.returncode == 0 and f"'{data}' can be written" in well.stdout and "server: ready at" in well.stdout,
               f"doctor finds the folder that the file names, and its server {well.stdout[:500]}")
        elsewhere = run(binary, "doctor", "--config", file, "--data", os.path.join(place, "other"))
        expect(elsewhere.returncode == 1 and f"'{data}'" not in elsewhere.stdout, "and another one that is named")
    finally:
        server.terminate()
        server.wait(timeout=120)


def test_addresses(binary, folder):
    """Which server commands mean that get an address in variables, and what `doctor` looks at then."""
    print("== servers named by variables")
    place = os.path.join(folder, "addresses")
    os.mkdir(place)
    data, file = os.path.join(place, "data"), os.path.join(place, "alice.export")
    server = subprocess.Popen([binary, "serve", "--dev", "--port", "0", "--marks", "none", "--data", data], env=CLEAN,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if line.startswith("Stop with"):
            break
    try:
        with open(os.path.join(data, "server.json")) as text:
            known = json.load(text)
        address = {"BRUME_URL": known["url"], "BRUME_ADMIN_TOKEN": known["adminToken"]}
        outcome = run(binary, "doctor", **address)
        expect(outcome.returncode == 0 and "brume-data" not in outcome.stdout and "is not looked at" in outcome.stdout,
               f"doctor looks at no folder of this machine {outcome.stdout[:500]}")
        deep = run(binary, "doctor", "--deep", **address)
        expect(deep.returncode == 64 and "--data" in deep.stderr, f"and reads none {deep.stderr[:300]}")
        named = run(binary, "doctor", "--deep", "--data", data, **address)
        expect(named.returncode == 0 and f"'{data}' can be written" in named.stdout, f"but one that is named {named.stdout[:500]}")
        alone = subprocess.run([binary, "user", "list"], capture_output=True, text=True, cwd=place,
                               env={**CLEAN, "BRUME_URL": known["url"]}, timeout=120)
        expect(alone.returncode == 69 and "BRUME_URL counts only together with BRUME_ADMIN_TOKEN" in alone.stderr,
               f"an address without a token is named {alone.stderr[:300]}")
        taken = run(binary, "export", "--user", "alice", file, **address)
        expect(taken.returncode == 0 and os.path.getsize(file) > 0, f"a user's data come to the other machine {taken.stderr[:300]}")
    finally:
        server.terminate()
        server.wait(timeout=120)
    stopped = run(binary, "doctor", "--deep", "--data", data)
    expect(stopped.returncode == 0 and "nothing is damaged" in stopped.stdout, f"a folder is read without its server {stopped.stdout[:500]}")
    plain = run(binary, "doctor", "--data", data)
    expect(plain.returncode == 1 and "wrong server: no server is running" in plain.stdout, "which doctor misses otherwise")


# Things are made before they are looked at, and taken away at last.
RANKS = {"create": 0, "add": 0, "assign": 0, "delete": 2, "purge": 2, "remove": 2, "revoke": 2, "clear": 2}


def in_order(names):
    """The commands in the order in which somebody would type them: noun by noun."""
    nouns = list(dict.fromkeys(name.split()[0] for name in names))
    return sorted(names, key=lambda name: (nouns.index(name.split()[0]), RANKS.get(name.split()[-1], 1)))


def type_example(desk, name, line):
    """Types one line; answers what it ended with and said."""
    if name == "serve":
        words = [word if not word.startswith("/var/") else os.path.join(desk.folder, "another") for word in shlex.split(line)]
        server = subprocess.Popen([*words, "--port", "0", *([] if "--data" in words else ["--data", os.path.join(desk.folder, "other")])],
                                  cwd=desk.folder, env=desk.env, executable=desk.binary, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        said = ""
        for text in server.stdout:
            said += text
            # A log of JSON has a line in place of the banner.
            if text.startswith("Stop with") or '"Brume serves"' in text:
                break
        server.terminate()
        return server.wait(timeout=120), said
    if name == "push tail":
        tail = subprocess.Popen(shlex.split(line), cwd=desk.folder, env=desk.env, executable=desk.binary,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if "--user" in line:
            said = tail.stderr.readline()
        else:
            said = "" if tail.poll() is None else "it ended"
        tail.send_signal(signal.SIGINT)
        tail.wait(timeout=120)
        return 0 if tail.returncode in (-signal.SIGINT, 130) else tail.returncode, said
    if name == "log then":
        known = json.loads(desk.must("brume log list --json").splitlines()[-1])["id"]
        line = line.replace("0-3", known)
    outcome = desk.type(line)
    return outcome.returncode, outcome.stdout + outcome.stderr


def test_examples(binary, folder):
    print("== every command, as its examples have it")
    folder = os.path.join(folder, "desk")
    os.mkdir(folder)
    desk = Desk(binary, folder)
    known = examples(binary)
    missing = [name for name, _ in commands(binary) if not known.get(name)]
    expect(not missing, f"every command has examples: {missing}")
    desk.start()
    try:
        desk.must("brume schema import first.ckdb")
        desk.must("brume key create other | tail -n +2 > key.p8 && brume key revoke other")
        typed, waiting = 0, []
        for name in in_order(known):
            for line in known[name]:
                if name in ELSEWHERE or line in ELSEWHERE:
                    continue
                if "curl" in line and not shutil.which("curl"):
                    print("  not typed, there is no curl:", line)
                    continue
                status, said = type_example(desk, name, line)
                typed += 1
                if status not in ENDS.get(name, {0}):
                    raise SystemExit(f"FAILED: {line}: {status} {said[-2000:]}")
        expect(typed > 90, f"{typed} examples do what they say")
        for name, command in commands(binary):
            flags = {argument["preferredName"]["name"] for argument in command.get("arguments", []) if argument.get("preferredName")}
            if {"data", "url"} <= flags and name not in ELSEWHERE and "--data" not in known[name][0]:
                waiting.append((name, known[name][0]))
    finally:
        desk.server.terminate()
        expect(desk.server.wait(timeout=120) == 0, "the server ends as asked")
    for name, line in waiting:
        if "$(" in line or " backup " in line:
            continue
        outcome = desk.type(line.split(" > ")[0] + " --data ./nowhere")
        wanted = 1 if name == "doctor" or "--ready" in line else 69
        if outcome.returncode != wanted or "brume serve" not in outcome.stderr + outcome.stdout:
            raise SystemExit(f"FAILED: without a server, {line} ended with {outcome.returncode}: {outcome.stderr[:500]}")
    expect(len(waiting) > 50, f"without a server {len(waiting)} commands end with 69, doctor and a health check with 1, and say what to do")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--brume", required=True)
    binary = os.path.abspath(arguments.parse_args().brume)
    # A shell that runs this in the background may have it ignore interrupts, which its children would do as well.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as folder:
        for test in (test_help, test_completions, test_manual, test_wrong_use, test_slips, test_misspelt, test_addresses, test_examples, test_reload, test_level_stays, test_end_between,
                     test_exec, test_missing_library):
            test(binary, folder)
    print("command_line: ok")


if __name__ == "__main__":
    main()
