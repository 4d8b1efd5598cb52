"""What commands show on a terminal while they work: who waits for more than two seconds reads for what. The terminal is a
pseudo-terminal, and the other side answers when the sentence was seen, not after a time.

usage: terminal.py --brume PATH
"""
import argparse
import http.server
import os
import pty
import select
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time

from brume_server import Server, expect


class Terminal:
    """A command whose standard error is a terminal."""

    def __init__(self, command):
        self.near, far = pty.openpty()
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=far)
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

    def end(self):
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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        deleting(options.brume)
        moving(options.brume, folder)


if __name__ == "__main__":
    main()
