"""What commands show and ask on a terminal: who waits for more than two seconds reads for what, and what takes data away asks
first. The terminal is a pseudo-terminal, and the other side answers when the sentence was seen, not after a time.

usage: terminal.py --brume PATH
"""
import argparse
import atexit
import fcntl
import http.server
import json
import os
import pty
import re
import select
import signal
import socket
import sqlite3
import struct
import subprocess
import tempfile
import termios
import threading
import time

from assets import Assets
from brume_server import Server, expect


class Terminal:
    """A command whose standard error is a terminal, and its standard input as well if somebody sits there."""

    def __init__(self, command, asks=False, columns=80):
        self.near, far = pty.openpty()
        fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.process = subprocess.Popen(command, stdin=far if asks else subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=far)
        os.close(far)
        self.shown = ""

    def read(self):
        """What came meanwhile; false at the end."""
        if not select.select([self.near], [], [], 0.2)[0]:
            return True
        try:
            piece = os.read(self.near, 4096)
        except OSError:  # Nobody has the other end any more.
            return False
        self.shown += piece.decode(errors="replace")
        return piece != b""

    def until(self, words):
        deadline = time.monotonic() + 60
        while words not in self.shown:
            may_come = self.read() and time.monotonic() < deadline
            if words not in self.shown and not may_come:
                raise SystemExit(f"FAILED: '{words}' is not shown, but {self.shown!r}")

    def type(self, line):
        os.write(self.near, f"{line}\n".encode())

    def end(self):
        # What it prints for programs is little enough to wait in its pipe.
        while self.read():
            pass
        os.close(self.near)
        return self.process.wait(timeout=60)


class Slow(http.server.BaseHTTPRequestHandler):
    """A server that deletes a user when it is asked and may answer."""
    may_answer = threading.Event()

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.may_answer.wait(60)
        body = b'{"user": "carol", "containers": []}'
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


def deleting(binary):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = [binary, "user", "delete", "carol", "--url", f"http://127.0.0.1:{server.server_port}", "--admin-token", "t"]
    terminal = Terminal(command)
    terminal.until("the server works on it: ")
    Slow.may_answer.set()
    status = terminal.end()
    expect(status == 0 and "deleted 'carol'" in terminal.shown, f"brume user delete says that the server works {terminal.shown!r}")
    quiet = subprocess.run(command, capture_output=True, text=True)
    expect("works on it" not in quiet.stderr, "and says nothing of it where there is no terminal")
    server.shutdown()


def moving(binary, folder):
    """A database that takes the connection and says nothing, until the command has said that it waits."""
    data = os.path.join(folder, "data")
    Server(binary, data).start().stop()
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"postgres://brume@127.0.0.1:{silent.getsockname()[1]}/none"
    terminal = Terminal([binary, "migrate", "--data", data, "--from", "sqlite", "--to", url])
    connection, _ = silent.accept()
    terminal.until("opening both stores: ")
    silent.close()
    connection.close()
    status = terminal.end()
    expect(status != 0 and "Error: " in terminal.shown, f"brume migrate says that it waits for the stores {terminal.shown[-300:]!r}")
    expect(sqlite3.connect(os.path.join(data, "brume.sqlite")).execute("PRAGMA integrity_check").fetchone() == ("ok",),
           "and leaves the source as it was")


def stopped(binary, folder):
    """A server that is stopped while a command waits for it, and goes on when the command has said so."""
    data, place = os.path.join(folder, "stopped"), os.path.join(folder, "files")
    os.mkdir(place)
    server = Server(binary, data).start()
    atexit.register(server.process.kill)  # Also when something is not as expected.
    server.tool("records", "create", "Note", "one", "--user", "alice")
    server.tool("backup", f"{place}/made.brume")
    server.tool("export", "--user", "alice", f"{place}/made.jsonl")
    for words, sentence in (
            (["backup", f"{place}/new.brume"], "the server makes a snapshot: "),
            (["export", "--user", "alice", f"{place}/new.jsonl"], "the server works on it: "),
            (["import", f"{place}/made.jsonl", "--user", "bob"], "the server works on it: "),
            (["doctor"], "the server works on it: "),
            (["restore", f"{place}/made.brume", "--in-place", "--yes"], "the server is asked: ")):
        command = [binary, *words, "--data", data]
        os.kill(server.process.pid, signal.SIGSTOP)
        terminal = Terminal(command)
        try:
            terminal.until(sentence)
        finally:
            os.kill(server.process.pid, signal.SIGCONT)
        status = terminal.end()
        expect(status == 0, f"brume {words[0]} says that it waits for a server, and goes on with it {terminal.shown[-200:]!r}")
    server.stop()


class Narrow:
    """A way to a server that takes no more than so many bytes of a connection, until it is opened."""

    def __init__(self, most):
        self.most, self.isOpen = most, threading.Event()
        self.listener = socket.socket()
        # What has not arrived has not been sent, but for what the sender's kernel takes: its buffer grows with the size of segments
        # times those under way. Few of them are, and small ones. Connections have what their listener had when they came.
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        self.listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, 1400)
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen()
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def lead_to(self, port):
        threading.Thread(target=self._accept, args=(port,), daemon=True).start()

    def _accept(self, port):
        while True:
            near, _ = self.listener.accept()
            far = socket.create_connection(("127.0.0.1", port))
            for one, other, most in ((near, far, self.most), (far, near, None)):
                threading.Thread(target=self._pass, args=(one, other, most), daemon=True).start()

    def _pass(self, one, other, most):
        passed = 0
        try:
            while data := one.recv(1 << 16):
                passed += len(data)
                if most is not None and passed > most:
                    self.isOpen.wait()
                other.sendall(data)
            other.shutdown(socket.SHUT_WR)
        except OSError:
            other.close()


def larger_than_a_send_buffer():
    """A size of which the usual kernel takes at most a quarter for a connection whose other end reads nothing."""
    try:
        with open("/proc/sys/net/ipv4/tcp_wmem") as file:
            most = int(file.read().split()[2])
    except (OSError, ValueError, IndexError):
        most = 4 << 20
    # A server takes files of 50 MB.
    return min(max(16 << 20, 4 * most), 48 << 20)


SIZE = larger_than_a_send_buffer()
BAR = re.compile(r"sending a file of 'large', [0-9.]+ MB(?:: \d+ s)? \[(=*)( *)\] +(\d+) %")


def uploading(binary, folder):
    """A file that is on its way: how much of it, as a bar, as wide as the terminal lets it be."""
    data, file = os.path.join(folder, "uploading"), os.path.join(folder, "large.jsonl")
    # So little that the kernel, whose buffer for a connection grows with what has arrived, does not take the rest.
    narrow = Narrow(1 << 18)
    server = Server(binary, data).start()
    atexit.register(server.process.kill)  # Also when something is not as expected.
    known = json.load(open(os.path.join(data, "server.json")))
    narrow.lead_to(int(known["url"].rsplit(":", 1)[1]))
    assets = Assets(server)
    assets.save(assets.upload(os.urandom(SIZE), record="large")[1], record="large")
    server.tool("export", "--user", "alice", file)
    # Files are sent to the server as the command reaches it.
    command = [binary, "import", file, "--user", "bob", "--url", narrow.address, "--admin-token", known["adminToken"]]
    for columns, bar in ((80, True), (48, False)):
        narrow.isOpen.clear()
        terminal = Terminal(command, columns=columns)
        terminal.until("sending a file of 'large'")
        terminal.until(" s [" if bar else " s ")
        terminal.read()
        lines = re.split(r"\r\x1b\[K|\r\n", terminal.shown)
        narrow.isOpen.set()
        status = terminal.end()
        sending = [line for line in lines if "sending" in line and line.endswith(" %")]
        if bar:
            full, rest, percent = BAR.findall(sending[-1])[-1]
            share = len(full) / len(full + rest)
            expect(10 <= len(full + rest) <= 40 and 0 < int(percent) < 100 and abs(share - int(percent) / 100) < 0.1,
                   f"brume import shows how much of a file is sent: {percent} %")
        wide = max(map(len, lines))
        expect(status == 0 and wide < columns and all(("[" in line) == bar for line in sending),
               f"in one line of {wide} of {columns} columns, and goes on {terminal.shown[-200:]!r}")
    quiet = subprocess.run(command, capture_output=True, text=True)
    expect("%" not in quiet.stderr and "\r" not in quiet.stderr, "and shows none where there is no terminal")
    server.stop()


TYPES = """DEFINE SCHEMA
    RECORD TYPE Note ( title STRING, GRANT WRITE TO "_creator" );
    RECORD TYPE Old ( title STRING, GRANT WRITE TO "_creator" );
"""


def asking(binary, folder):
    """What takes data away is shown first, and done when somebody types yes and nothing else."""
    data, place = os.path.join(folder, "asking"), os.path.join(folder, "asked")
    os.mkdir(place)
    server = Server(binary, data).start()
    atexit.register(server.process.kill)  # Also when something is not as expected.
    for name, text in (("both", TYPES), ("one", "".join(TYPES.splitlines(True)[:2]))):
        with open(f"{place}/{name}.ckdb", "w") as file:
            file.write(text)
    server.tool("schema", "import", f"{place}/both.ckdb")
    drop = [binary, "schema", "import", f"{place}/one.ckdb", "--data", data]
    question = "Let 1 record type go, with all their records? Type yes:"
    for answer in ("no", "", "y", "YES"):
        terminal = Terminal(drop, asks=True)
        terminal.until(question)
        expect("Old" in terminal.process.stdout.readline().decode(), "brume schema import shows what would go")
        terminal.type(answer)
        status = terminal.end()
        expect(status == 1 and "nothing was changed" in terminal.shown, f"and changes nothing for '{answer}'")
        expect("Old" in server.tool("schema", "show"), "the type is there")
    unasked = subprocess.run(drop, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(unasked.returncode == 1 and "--allow-drops" in unasked.stderr and "Old" in server.tool("schema", "show"),
           f"where nobody can be asked it needs --allow-drops {unasked.stderr!r}")
    terminal = Terminal(drop, asks=True)
    terminal.until(question)
    terminal.type("yes")
    expect(terminal.end() == 0 and "Old" not in server.tool("schema", "show"), "for yes the type goes")

    server.tool("backup", f"{place}/made.brume")
    server.tool("user", "create", "later")
    back = [binary, "restore", f"{place}/made.brume", "--in-place", "--data", data]
    unasked = subprocess.run(back, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(unasked.returncode == 64 and "--yes" in unasked.stderr, "a restore where nobody can be asked needs --yes")
    for answer, status, users in (("no", 1, "later"), ("yes", 0, "")):
        terminal = Terminal(back, asks=True)
        terminal.until("what was saved since is gone")
        terminal.until("Apply it? Type yes:")
        terminal.type(answer)
        ended = terminal.end()
        expect(ended == status, f"a restore ends with {ended} for '{answer}' {terminal.shown[-200:]!r}")
        expect(("later" in server.tool("user", "list")) == (users == "later"), "and the server is as that says")
    server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        deleting(options.brume)
        moving(options.brume, folder)
        asking(options.brume, folder)
        stopped(options.brume, folder)
        uploading(options.brume, folder)


if __name__ == "__main__":
    main()
