"""Commands whose output, server or reader goes away: what they print, what they leave behind, and what they end with.

usage: command_ends.py --brume PATH
Python's standard library only.
"""
import argparse
import contextlib
import fcntl
import http.server
import json
import os
import queue
import signal
import socket
import struct
import subprocess
import tempfile
import termios
import threading
import time

from brume_server import Server, expect

CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("BRUME_")}
PATIENCE = 120


class Command:
    """A command that goes on, with its lines as they come."""

    def __init__(self, binary, *arguments, **variables):
        self.process = subprocess.Popen([binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        env={**CLEAN, **variables})
        self.talk = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stderr:
            self.talk.put(line.decode())

    def line(self):
        """The next line of its output."""
        found = queue.Queue()
        threading.Thread(target=lambda: found.put(self.process.stdout.readline()), daemon=True).start()
        return found.get(timeout=PATIENCE).decode()

    def until(self, text):
        """Waits until it says so."""
        while text not in self.talk.get(timeout=PATIENCE):
            pass

    def end(self):
        return self.process.wait(timeout=PATIENCE)


def run(binary, *arguments, **variables):
    return subprocess.run([binary, *arguments], capture_output=True, text=True, env={**CLEAN, **variables}, timeout=PATIENCE)


def slow_pipe(binary):
    """A pipe that does not wait by itself, and a reader who is slow."""
    near, far = os.pipe()
    fcntl.fcntl(far, fcntl.F_SETFL, os.O_NONBLOCK)
    process = subprocess.Popen([binary, "manual"], stdout=far, env=CLEAN)
    os.close(far)
    room = fcntl.fcntl(near, 1032)  # F_GETPIPE_SZ
    wait(lambda: process.poll() is not None or waiting(near) == room, "the pipe is full")
    with open(near, "rb") as pipe:
        text = pipe.read()
    expect(process.wait(timeout=PATIENCE) == 0 and text.endswith(b"\n"), "a slow reader gets all")
    whole = subprocess.run([binary, "manual"], capture_output=True, env=CLEAN, timeout=PATIENCE).stdout
    expect(text == whole, f"{len(text)} bytes of {len(whole)}")


def waiting(pipe):
    """Bytes that nobody has read yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


def gone_readers(binary, server):
    """`… | head -1`."""
    print("== readers that go")
    tail = Command(binary, "push", "tail", "--user", "bob", "--device", "t1", "--data", server.folder)
    tail.until("waiting for pushes")
    server.tool("push", "test", "--user", "bob", "--text", "first")
    expect("first" in tail.line(), "a push is printed")
    taken = lambda: server.tool("push", "log", "--device", "t1", "--json").splitlines()
    wait(lambda: len(taken()) == 1, "and acknowledged")
    tail.process.stdout.close()
    server.tool("push", "test", "--user", "bob", "--text", "second")
    expect(tail.end() == 0, "push tail ends with its reader")
    expect(len(taken()) == 1, f"and acknowledges nothing that it could not print: {taken()}")
    for command in ("logs --follow", "push log --follow"):
        follower = Command(binary, *command.split(), "--json", "--data", server.folder)
        follower.line()
        follower.process.stdout.close()
        expect(follower.end() == 0, f"{command} ends with its reader")


def wait(holds, what):
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED: {what}")
        time.sleep(0.05)


def restart(binary, server):
    """A log in memory begins anew with its server; who follows it goes on."""
    print("== a log that is followed over a restart")
    server.tool("user", "list")
    follower = Command(binary, "logs", "--follow", "--json", "--limit", "1", "--data", server.folder)
    expect("users" in follower.line(), "it shows what was")
    server.stop()
    follower.until("waiting for it")
    server.start()
    follower.until("the server is back")
    server.tool("zones", "list", "--user", "alice")
    seen = ""
    while "admin/zones" not in seen:
        seen += follower.line()
    expect("admin/logs" not in seen, f"and what comes later, without its own questions: {seen}")
    follower.process.send_signal(signal.SIGKILL)
    follower.end()


class Answering(http.server.BaseHTTPRequestHandler):
    """A server whose `reply` to a body is a status and a text."""

    def answer(self):
        status, text = self.reply(self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace"))
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class Taken(Answering):
    """Somebody else's server: it notes what it is sent."""
    seen = []

    def reply(self, body):
        Taken.seen.append(f"{self.path} {self.headers} {body}")
        return 404, ""


def secrets(binary, server):
    print("== secrets of one server, and another")
    known = {**server.values, "BRUME_USER_TOKEN": "user-secret", "BRUME_SECOND_USER_TOKEN": "second-secret",
             "BRUME_ADMIN_TOKEN": "admin-secret"}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Taken) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{other.server_port}"
        line = ("conformance", "--filter", "sharing/", "--url", url)
        none = run(binary, *line, **known)
        expect(none.returncode == 64 and "--api-token is missing" in none.stderr, f"tokens are asked for {none.stderr}")
        run(binary, *line, "--api-token", "theirs", **known)
        other.shutdown()
    ours = [known[name] for name in known if "TOKEN" in name or name == "BRUME_KEY_ID"]
    expect(not [token for token in ours for sent in Taken.seen if token in sent],
           f"another server gets none of them {Taken.seen[:1]}")


def lost_answer(binary):
    """A server that takes a change, and ends before its answer."""
    print("== an answer that does not come")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        def take():
            connection, _ = listener.accept()
            got = b""
            while b'"user"' not in got:
                got += connection.recv(65536)
            connection.close()
        threading.Thread(target=take, daemon=True).start()
        outcome = run(binary, "user", "delete", "bob", "--url", f"http://127.0.0.1:{listener.getsockname()[1]}",
                      "--admin-token", "t")
    expect(outcome.returncode == 75 and "what was asked for may be done" in outcome.stderr,
           f"a change may be done: {outcome.returncode} {outcome.stderr}")


def killed_import(binary, server, folder):
    """The file comes slowly, so that the command is killed in the middle of it."""
    print("== an import that is killed")
    place, fifo = os.path.join(folder, "temporary"), os.path.join(folder, "fifo")
    os.mkdir(place)
    os.mkfifo(fifo)
    command = Command(binary, "import", fifo, "--user", "carol", "--data", server.folder, TMPDIR=place)
    piece = json.dumps({"data": "QUJD" * 65536}) + "\n"
    with open(fifo, "w") as file:
        file.write('{"brume": "export", "version": 1, "user": "alice", "owner": "_a"}\n{"zone": "_defaultZone"}\n'
                   '{"file": "C", "size": 0}\n')
        # More than pipe and reader hold, so that some of it has been written by then.
        for _ in range(20):
            file.write(piece)
        file.flush()
        left = os.listdir(place)
        command.process.kill()
        command.end()
    expect(left == [] == os.listdir(place), f"leaves nothing of anybody's files: {left}")


def import_from_pipe(binary, server):
    """The command finds a pipe under a name that is a link."""
    print("== an import from a pipe")
    export = '{"brume":"export","version":1,"user":"dora","owner":"_d"}\n{"zone":"Trails"}\n{"end":true,"records":0}\n'
    outcome = subprocess.run([binary, "import", "/dev/stdin", "--data", server.folder], input=export, env=CLEAN,
                             capture_output=True, text=True, timeout=PATIENCE)
    expect(outcome.returncode == 0 and "imported 1 zones and 0 records of dora" in outcome.stdout + outcome.stderr,
           f"is whole {outcome.returncode} {outcome.stderr}")


class Scripted(Answering):
    """A server that gives one answer for each path, and does something before it."""
    answers, seen = {}, []

    def reply(self, body):
        path = self.path.partition("?")[0].removeprefix("/_brume/admin/")
        Scripted.seen.append((path, body))
        return 200, Scripted.answers[path]()


@contextlib.contextmanager
def scripted(**answers):
    """The options that name such a server."""
    Scripted.answers = {path.replace("_", "/"): answer for path, answer in answers.items()}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scripted) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "--url", f"http://127.0.0.1:{server.server_port}", "--admin-token", "t"
        server.shutdown()


def taken_name(binary, folder):
    """Somebody else makes the file while the export comes."""
    print("== an export whose name is taken meanwhile")
    file, export = os.path.join(folder, "alice.jsonl"), '{"end":true,"records":0}\n'

    def taken():
        open(file, "w").close()
        return export
    place = lambda: '{"container":"iCloud.org.example.app"}'
    with scripted(status=place, shares=lambda: '{"shares":[]}', users_export=taken) as server:
        outcome = run(binary, "export", "--user", "alice", file, *server)
    expect(outcome.returncode != 0 and "what was written is in" in outcome.stderr, f"says where it is {outcome.stderr}")
    with open(file + ".part") as part:
        expect(part.read() == export, "and leaves it there")


def older_server(binary, folder):
    """A server that knows 'allowDrops' and not which record types may go."""
    print("== a schema for an older server")
    file = os.path.join(folder, "empty.ckdb")
    with open(file, "w") as text:
        text.write("DEFINE SCHEMA\n")
    changes = {"changes": [{"change": "remove record type Note"}], "drops": ["Note"]}
    with scripted(schema_validate=lambda: '{"errors":[]}', schema_diff=lambda: json.dumps(changes),
                  schema=lambda: "{}") as server:
        run(binary, "schema", "import", file, *server)
        run(binary, "schema", "import", file, "--allow-drops", *server)
    sent = [json.loads(body)["allowDrops"] for path, body in Scripted.seen if path == "schema"]
    expect(sent == [False, True], f"it may drop what somebody agreed to, only {sent}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--brume", required=True)
    binary = os.path.abspath(arguments.parse_args().brume)
    slow_pipe(binary)
    lost_answer(binary)
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        server = Server(binary, os.path.join(folder, "data")).start()
        stack.callback(lambda: server.process.poll() is None and server.stop())
        gone_readers(binary, server)
        restart(binary, server)
        secrets(binary, server)
        killed_import(binary, server, folder)
        import_from_pipe(binary, server)
        taken_name(binary, folder)
        older_server(binary, folder)
    print("command_ends: ok")


if __name__ == "__main__":
    main()
