"""A backup comes back into the server that runs: a part of backup.py, which runs it.

Checked: until it is applied nothing is changed, whatever is cut or killed, and nothing is left of it; afterwards all of the
backup is there and nothing else, however often the server is killed on the way; old change tokens get the honest answer; who
may not is refused; and who sends what nobody wants reads why.
"""
import http.client
import json
import os
import socket
import time

from brume_server import Server, expect

PATH = "/_brume/admin/backups/restore"


class Desk:
    """The operator's calls of one server."""

    def __init__(self, server):
        self.server = server

    @property
    def file(self):
        return json.load(open(f"{self.server.folder}/server.json"))

    def ask(self, method, path, body=None, token=None):
        connection = http.client.HTTPConnection(*self.server.address, timeout=60)
        headers = {"Authorization": f"Bearer {token or self.file['adminToken']}"}
        connection.request(method, PATH + path, json.dumps(body) if isinstance(body, dict) else body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    def state(self):
        return self.ask("GET", "")[1]

    def send(self, backup):
        with open(backup, "rb") as file:
            status, answer = self.ask("POST", "", file)
        expect(status == 200, f"a backup is received ({status} {answer.get('reason')})")
        return answer["id"]

    def ready(self, backup):
        name = self.send(backup)
        deadline = time.monotonic() + 60
        while (state := self.state())["state"] in ("checking", "writing"):
            if time.monotonic() > deadline:
                raise SystemExit(f"FAILED: the server does not get ready: {state}")
            time.sleep(0.01)
        expect(state["state"] == "ready" and state["id"] == name, f"it is checked and written ({state})")
        return name

    def renewed(self):
        """Waits for the server to come back in the same process, and learns its words anew."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if "restored" in (state := self.state()) and state["state"] == "none":
                    break
            except (OSError, http.client.HTTPException, json.JSONDecodeError, KeyError):
                pass
            time.sleep(0.02)
        else:
            raise SystemExit("FAILED: the server does not come back")
        url = self.server.values["BRUME_URL"]
        status = self.server.tool("status", "--format", "env")
        self.server.values = dict(line.split("=", 1) for line in status.splitlines() if "=" in line)
        expect(self.server.process.poll() is None, "the process lives on")
        expect(self.server.values["BRUME_URL"] == url, "on the same port")
        return state["restored"]


def names(server, changes):
    return set(changes(server.client("alice", "mac"))[0])


def no_trace(server):
    return not os.path.exists(f"{server.folder}/restore")


def cut(server, backup, part):
    """A connection that ends within the body."""
    data = open(backup, "rb").read()
    with socket.create_connection(server.address) as connection:
        head = (f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {Desk(server).file['adminToken']}\r\n"
                f"Content-Length: {len(data)}\r\n\r\n")
        connection.sendall(head.encode() + data[:int(len(data) * part)])
        deadline = time.monotonic() + 120
        while Desk(server).state()["state"] != "receiving" and time.monotonic() < deadline:
            time.sleep(0.01)
        return Desk(server).state()["state"]


def check_refusals(tool, folder, server, backup, continuing):
    data, desk = ["--data", server.folder], Desk(server)
    url, token = desk.file["url"], desk.file["adminToken"]
    tool.refused(64, "nobody can be asked", "restore", backup, "--in-place", *data)
    tool.refused(64, "has its own --store", "restore", backup, "--in-place", "--store", "memory", *data)
    tool.refused(64, "only --in-place and --url ask", "restore", backup, "--yes", *data)
    tool.refused(65, "only a whole one", "restore", continuing, "--in-place", "--yes", *data)
    tool.refused(65, "this is no backup", "restore", f"{folder}/letter", "--in-place", "--yes", *data)
    tool.refused(65, "ends at byte", "restore", f"{folder}/cut", "--in-place", "--yes", *data)
    tool.refused(65, "damaged at byte", "restore", f"{folder}/flipped", "--in-place", "--yes", *data)
    tool.refused(66, "there is no file", "restore", f"{folder}/nothing", "--in-place", *data)
    tool.refused(69, "no server answers", "restore", backup, "--url", "http://127.0.0.1:1", "--admin-token", token, "--yes")
    tool.refused(77, "the admin token is none of this server", "restore", backup, "--url", url, "--admin-token", "wrong", "--yes")
    looker = tool("operator", "token", "create", "watcher", "--read-only", *data).stdout.split()[-1]
    tool.refused(77, "may only read", "restore", backup, "--url", url, "--admin-token", looker, "--yes")
    expect(desk.ask("GET", "", token=looker)[0] == 200, "who may only read may see how far it is")
    expect(desk.state()["state"] in ("none", "failed"), f"nothing waits ({desk.state()})")


def check_memory(tool, binary, folder, backup):
    """Of a large body that nobody wants the sender reads why."""
    server = Server(binary, f"{folder}/in-memory", store="memory").start()
    try:
        status, answer = Desk(server).ask("POST", "", bytes(40_000_000))
        expect(status == 400 and "in memory" in answer["reason"], f"a refused sender reads the answer ({status} {answer})")
        status, answer = Desk(server).ask("POST", "", bytes(40_000_000), token="wrong")
        expect(status == 401, "and so does one whom nobody knows")
        tool.refused(73, "in memory", "restore", backup, "--in-place", "--yes", "--data", server.folder)
    finally:
        server.stop()


def check_interrupted(server, backup, known, changes):
    expect(cut(server, backup, 0.5) == "receiving", "half of a backup has arrived")
    deadline = time.monotonic() + 120
    while Desk(server).state()["state"] != "none" and time.monotonic() < deadline:
        time.sleep(0.02)
    expect(Desk(server).state()["state"] == "none" and no_trace(server), "of an upload that broke nothing is left")
    expect(names(server, changes) == known, "and the data is as it was")
    for pause in (None, 0, 0.02, 0.1, 0.4):
        if pause is None:
            cut(server, backup, 0.7)
        else:
            Desk(server).send(backup)
            time.sleep(pause)
        server.kill()
        server.start()
        expect(names(server, changes) == known, f"killed {'while it arrived' if pause is None else f'{pause} s after it arrived'}: as before")
        expect(no_trace(server) and Desk(server).state()["state"] == "none", "and nothing is left")


def check_applied_and_killed(server, backup, before, save, changes):
    for pause in (0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5):
        save(server.client("alice", "mac"), f"after-{pause}", "goes")
        desk = Desk(server)
        name = desk.ready(backup)
        expect(desk.ask("POST", "/apply", {"id": name})[0] == 200, "it is applied")
        time.sleep(pause)
        server.kill()
        server.start()
        found = names(server, changes)
        expect(found == before, f"killed {pause} s after it was applied: the backup and nothing else ({found ^ before})")
        expect(no_trace(server), "and nothing half done is left")


def check_command(tool, server, backup, before, save, changes, download, big):
    alice = server.client("alice", "mac")
    save(alice, "after", "goes")
    _, token = changes(alice)
    made = tool("operator", "token", "create", "restorer", "--data", server.folder).stdout.split()[-1]
    url = Desk(server).file["url"]
    result = tool("restore", backup, "--url", url, "--admin-token", made, "--yes")
    expect(result.returncode == 0 and "the server runs on the backup" in result.stdout,
           f"a backup comes back over the network ({result.stdout} {result.stderr})")
    restored = Desk(server).renewed()
    expect(restored["rows"] > 0 and restored["missing"] == 0, f"the server says what it took up ({restored})")
    alice = server.client("alice", "mac")
    error, _ = changes(alice, token)
    expect(error.get("serverErrorCode") is not None, f"an old change token gets the honest answer ({str(error)[:200]})")
    records, _ = changes(alice)
    expect(set(records) == before, f"all of the backup is there and nothing else ({set(records) ^ before})")
    expect(download(records["with-file"]) == big, "with the bytes of its asset")
    save(alice, "goes-on", "stays")
    expect("goes-on" in names(server, changes), "saves go on")
    expect(os.path.exists(f"{server.folder}/replaced/brume.sqlite"), "what was there before is kept")
    lines = tool("audit", "list", "--data", server.folder).stdout
    expect("backups/restore/apply" in lines and "token restorer" in lines, "the audit log says who applied it")
    doctor = tool("doctor", "--data", server.folder)
    expect(doctor.returncode == 0, f"the doctor is content ({doctor.stdout[-300:]})")


def run(tool, binary, folder, backup, continuing, steps):
    """`steps` are backup.py's own: fill, save, changes, download, and the bytes of the asset."""
    fill, save, changes, download, big = steps
    check_memory(tool, binary, folder, backup)
    server = Server(binary, f"{folder}/in-place").start()
    try:
        alice = fill(server, big)
        mine = f"{folder}/mine.brume"
        result = tool("backup", mine, "--data", server.folder)
        expect(result.returncode == 0, f"a backup of the server itself ({result.stderr})")
        before = names(server, changes)
        save(alice, "later", "goes")
        check_refusals(tool, folder, server, mine, continuing)
        check_interrupted(server, mine, before | {"later"}, changes)
        check_applied_and_killed(server, mine, before, save, changes)
        check_command(tool, server, mine, before, save, changes, download, big)
    finally:
        if server.process.poll() is None:
            server.kill()
