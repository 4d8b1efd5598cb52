#!/usr/bin/env python3
"""Gives the settings of each file in Deploy/ to the program, starts a server with them, and compares ports,
users, volumes and probes with the image's. Without Docker, a cluster or a running systemd.

usage: deployment.py --brume PATH

Needs PyYAML. What only some machines have (systemd-analyze, nginx) is used where it is, and named where not.
"""
import argparse
import glob
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

import yaml

from brume_server import expect
from nginx_proxy import pushes_pass_nginx

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DEPLOY = os.path.join(ROOT, "Deploy")


def text(name):
    with open(os.path.join(DEPLOY, name)) as file:
        return file.read()


def documents(name):
    return [document for document in yaml.safe_load_all(text(name)) if document]


def image():
    """What the Dockerfile's last stage says: its variables, its user, its port and its volume."""
    stage = text("Dockerfile").split("FROM ")[-1]
    found = dict(re.findall(r"^(USER|EXPOSE|VOLUME) (.+)$", stage, re.M))
    found["ENV"] = dict(pair.split("=", 1) for pair in re.search(r"^ENV (.+)$", stage, re.M)[1].split())
    return found


# MARK: Settings

def accepts(brume, variables):
    """Whether the program takes these variables as settings, and what it says."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
    answer = subprocess.run([brume, "config", "show", "--json"], env={**environment, **variables},
                            capture_output=True, text=True)
    return answer.returncode == 0, answer.stdout + answer.stderr


def own(variables):
    return {name: str(value) for name, value in variables.items() if name.startswith("BRUME_")}


def compose_services(name):
    return {key: value for document in documents(name) for key, value in document["services"].items()}


def pods(name):
    return [document for document in documents(name) if document["kind"] in ("StatefulSet", "Deployment")]


def container_of(workload):
    (container,) = workload["spec"]["template"]["spec"]["containers"]
    return container


def unit_values(key):
    return re.findall(rf"^{key}=(.*)$", text("brume.service"), re.M)


def environments(defaults):
    """The variables that a server gets from each file, by the file's name."""
    unit = dict(pair.split("=", 1) for line in unit_values("Environment") for pair in line.split())
    yield "brume.service", unit
    for name in ("compose.yaml", "compose-postgres.yaml"):
        yield name, {**defaults, **own(compose_services(name)["brume"]["environment"])}
    for name in ("kubernetes/sqlite.yaml", "kubernetes/postgres.yaml"):
        for workload in pods(name):
            given = {entry["name"]: entry.get("value", "from-a-secret") for entry in container_of(workload)["env"]}
            yield name, {**defaults, **own(given)}


def settings_are_known(brume):
    for name, variables in environments(image()["ENV"]):
        taken, said = accepts(brume, variables)
        expect(taken, f"{name}: its {len(variables)} settings are ones of the server" if taken else f"{name}: {said}")
    taken, _ = accepts(brume, {"BRUME_PORT": "tcp://10.0.0.1:80"})
    expect(not taken, "a variable that Kubernetes adds for a service is refused, so enableServiceLinks matters")
    taken, _ = accepts(brume, {"BRUME_PROT": "80"})
    expect(not taken, "a misspelt setting is refused, so this test can fail")


def pages_name_settings(brume):
    """Each BRUME_… that a page for operators names is a setting, or a variable of clients."""
    listed = subprocess.run([brume, "serve", "--help"], capture_output=True, text=True).stdout
    known = set(re.findall(r"\[(BRUME_[A-Z_]+)\]", listed))
    clients = {"BRUME_URL", "BRUME_ENVIRONMENT", "BRUME_USER_TOKEN", "BRUME_ADMIN_TOKEN", "BRUME_TRUST",
               "BRUME_KEY_FILE"}
    # What a command reads, it says.
    imports = subprocess.run([brume, "import", "cloudkit", "--help"], capture_output=True, text=True).stdout
    clients |= set(re.findall(r"BRUME_FROM_[A-Z_]*[A-Z]", imports))
    for page in sorted(glob.glob(os.path.join(ROOT, "docs", "operating", "*.md"))):
        with open(page) as file:
            named = set(re.findall(r"\bBRUME_[A-Z][A-Z_]*[A-Z]\b", file.read()))
        unknown = {name for name in named - known - clients if not name.startswith("BRUME_SOAK")}
        if os.path.basename(page) == "deploying.md":
            expect(named, "the page for operators names settings")
        if unknown:
            raise SystemExit(f"FAILED: {page} names {sorted(unknown)}, which are no settings")
    print("  ok: the pages for operators name settings that exist", flush=True)


def crontabs_are_escaped():
    """In a crontab an unescaped % ends the command."""
    pages = glob.glob(os.path.join(ROOT, "docs", "**", "*.md"), recursive=True)
    blocks = [block for page in pages for block in re.findall(r"^```crontab\n(.*?)^```", open(page).read(), re.M | re.S)]
    expect(blocks and not any(re.search(r"(?<!\\)%", block) for block in blocks), "each % in a line for cron is escaped")


# MARK: Files

def compose_fits_the_image():
    port, volume = image()["EXPOSE"], image()["VOLUME"]
    for name in ("compose.yaml", "compose-postgres.yaml"):
        (document,) = documents(name)
        service = document["services"]["brume"]
        expect(all(entry.endswith(f":{port}") and entry.startswith("127.0.0.1:") for entry in service["ports"]),
               f"{name}: the port is the image's, and open to this machine only")
        expect([entry.split(":")[1] for entry in service["volumes"]] == [volume], f"{name}: the volume is the image's")
        used = {entry.split(":")[0] for each in document["services"].values() for entry in each["volumes"]}
        expect(used == set(document["volumes"]), f"{name}: each volume is declared and used")
        built = os.path.join(DEPLOY, service["build"]["context"], service["build"]["dockerfile"])
        expect(os.path.samefile(built, os.path.join(DEPLOY, "Dockerfile")), f"{name}: it builds our Dockerfile")


def workloads_fit_the_image():
    described = image()
    user, _, group = described["USER"].partition(":")
    for name in ("kubernetes/sqlite.yaml", "kubernetes/postgres.yaml"):
        (service,) = [document for document in documents(name) if document["kind"] == "Service"]
        (workload,) = pods(name)
        spec, container = workload["spec"]["template"]["spec"], container_of(workload)
        labels = workload["spec"]["template"]["metadata"]["labels"]
        expect(labels == workload["spec"]["selector"]["matchLabels"] == service["spec"]["selector"],
               f"{name}: the service and the workload select the pods")
        expect(spec["enableServiceLinks"] is False, f"{name}: Kubernetes adds no variables of services")
        context = spec["securityContext"]
        expect([context["runAsUser"], context["runAsGroup"], context["fsGroup"]] == [int(user), int(group), int(group)],
               f"{name}: the user is the image's")
        (port,) = container["ports"]
        expect(port["containerPort"] == int(described["EXPOSE"]) and service["spec"]["ports"][0]["targetPort"] == port["name"],
               f"{name}: the port is the image's")
        volumes = {volume["name"] for volume in spec.get("volumes", [])}
        volumes |= {claim["metadata"]["name"] for claim in workload["spec"].get("volumeClaimTemplates", [])}
        mounts = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
        expect(set(mounts) == volumes and mounts["data"] == described["VOLUME"], f"{name}: each volume is mounted once")
        given = {entry["name"]: entry.get("value") for entry in container["env"]}
        shared = given.get("BRUME_STORE", "").startswith("postgres://")
        expect(shared == ("BRUME_ASSETS" in given) == (workload["spec"]["replicas"] > 1),
               f"{name}: several servers share a database and a bucket, one has neither")


def probe_paths():
    for name in ("kubernetes/sqlite.yaml", "kubernetes/postgres.yaml"):
        for workload in pods(name):
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                yield container_of(workload)[probe]["httpGet"]["path"]


def ends_in_time(brume):
    """Whoever ends a server waits longer than the server may take."""
    _, said = accepts(brume, {})
    settings = [json.loads(line) for line in said.splitlines()]
    (limit,) = [int(entry["value"]) for entry in settings if entry["setting"] == "timeout.shutdown"]
    waits = [int(unit_values("TimeoutStopSec")[0])]
    waits += [int(compose_services(name)["brume"]["stop_grace_period"].removesuffix("s"))
              for name in ("compose.yaml", "compose-postgres.yaml")]
    waits += [workload["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
              for name in ("kubernetes/sqlite.yaml", "kubernetes/postgres.yaml") for workload in pods(name)]
    expect(min(waits) > limit, f"each file waits longer than the {limit} s that a server may take to end")


def starts_again():
    """By itself systemd gives up after five starts in ten seconds, for good."""
    expect(unit_values("Restart") == ["on-failure"] and unit_values("StartLimitIntervalSec") == ["0"],
           "brume.service starts a server again however often it has ended")
    unit, _, service = text("brume.service").partition("[Service]")
    expect("StartLimitIntervalSec" in unit and "RestartSec" in service, "with each setting in the section that systemd reads it in")


def endings_are_announced():
    """Requests come to a pod for a moment after it was asked to end."""
    for workload in pods("kubernetes/postgres.yaml"):
        hook = container_of(workload)["lifecycle"]["preStop"]["exec"]["command"]
        expect(hook == ["sleep", "5"], "kubernetes/postgres.yaml: a server ends when nobody sends it requests any more")


def unit_is_sound(brume, folder):
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        return print("  not judged: systemd-analyze is not installed, so nobody read brume.service")
    unit = os.path.join(folder, "brume.service")
    with open(unit, "w") as file:
        # The program is not where the page installs it.
        file.write(text("brume.service").replace("/usr/local/bin/brume", brume))
    verified = subprocess.run([analyze, "verify", "--man=no", unit], capture_output=True, text=True)
    expect(verified.returncode == 0 and "brume.service" not in verified.stderr,
           "systemd understands brume.service" + (f": {verified.stderr}" if verified.returncode else ""))
    rated = subprocess.run([analyze, "security", "--offline=true", "--threshold=20", "--no-pager", unit],
                           capture_output=True, text=True)
    expect(rated.returncode == 0, "systemd rates what brume.service exposes as 2.0 or less of 10")


def job_runs_what_there_is(brume):
    """The last step of the CI job, with another command in the place of the app's tests."""
    steps = yaml.safe_load(text("github-actions.yaml"))["jobs"]["sync"]["steps"]
    command = steps[-1]["run"]
    program, arguments = command.split(" exec ", 1)
    options, _, _ = arguments.partition(" -- ")
    built = next(step["run"] for step in steps if "swift build" in step.get("run", ""))
    expect(program == ".build/brume/debug/brume" and "--scratch-path .build/brume --product brume" in built,
           "the CI job runs the program that it built")
    check = 'test -n "$BRUME_USER_TOKEN_ALICE" -a -n "$BRUME_USER_TOKEN_BOB"'
    ended = subprocess.run([brume, "exec", *options.split(), "--", "sh", "-c", check])
    expect(ended.returncode == 0, "the CI job's command has both users signed in")


# MARK: A server with these settings

def server_answers(brume, folder):
    """Compose's settings, but for the folder and the port."""
    variables = dict(environments(image()["ENV"]))["compose.yaml"]
    variables.update(BRUME_DATA=os.path.join(folder, "data"), BRUME_PORT="0", BRUME_HOST="127.0.0.1")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
    process = subprocess.Popen([brume, "serve"], env={**environment, **variables}, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        url = ready(brume, variables["BRUME_DATA"], process)
        for path in sorted(set(probe_paths())):
            expect(status(url, path) == 200, f"a probe's address answers: {path}")
        expect(status(url, "/_brume/health/ready", host="brume") == 200, "the service's name is allowed as Host")
        expect(status(url, "/_brume/health/ready", host="brume.example.org") == 200, "so is the base URL's")
        expect(status(url, "/_brume/health/ready", host="elsewhere.example.org") == 403, "another name is not")
        process.send_signal(signal.SIGTERM)
        expect(process.wait(timeout=120) == 0, "SIGTERM ends the server with 0")
    finally:
        process.kill()


def ready(brume, data, process):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        asked = subprocess.run([brume, "status", "--data", data, "--ready"], capture_output=True)
        if asked.returncode == 0:
            with open(os.path.join(data, "server.json")) as file:
                return json.load(file)["url"]
        time.sleep(0.05)
    raise SystemExit("FAILED: the server did not become ready")


def status(url, path, host=None):
    connection = http.client.HTTPConnection(url.split("://")[1], timeout=120)
    connection.request("GET", path, headers={"Host": host} if host else {})
    return connection.getresponse().status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.realpath(parser.parse_args().brume)
    settings_are_known(brume)
    pages_name_settings(brume)
    crontabs_are_escaped()
    compose_fits_the_image()
    workloads_fit_the_image()
    ends_in_time(brume)
    starts_again()
    endings_are_announced()
    job_runs_what_there_is(brume)
    with tempfile.TemporaryDirectory() as folder:
        unit_is_sound(brume, folder)
        server_answers(brume, folder)
        pushes_pass_nginx(brume, text("nginx.conf"), folder)


if __name__ == "__main__":
    main()
