"""A server that listens on a Unix socket: who may connect, what becomes of the file, and nginx in front.

usage: unix_socket.py --brume PATH
"""
import argparse
import http.client
import json
import os
import signal
import socket
import stat
import subprocess
import tempfile

from brume_server import Server, expect, expect_quietly


# As `brume export` writes it.
EXPORT = """{"brume": "export", "version": 1, "user": "alice", "owner": "_a"}
{"zone": "_defaultZone"}
{"file": "C", "size": 3}
{"data": "YWJj"}
{"record": {"recordName": "p", "recordType": "Photo", "fields": {"file": {"type": "ASSETID", "value": {"fileChecksum": "C", "size": 3}}}}}
{"end": true, "records": 1}
"""


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout=120):
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def get(path, target, headers=None):
    connection = UnixConnection(path)
    connection.request("GET", target, headers=headers or {})
    answer = connection.getresponse()
    return answer.status, answer.read()


def refused(brume, folder, path):
    """What the server says when it may not have the socket."""
    result = subprocess.run([brume, "serve", "--store", "memory", "--data", folder, "--unix-socket", path],
                            capture_output=True, text=True, timeout=60)
    expect_quietly(result.returncode != 0, "the server started")
    return result.stderr.replace("\n", " ")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.abspath(parser.parse_args().brume)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "brume.sock")
        server = Server(brume, os.path.join(folder, "data"), extra=["--unix-socket", path]).start()
        mode = stat.S_IMODE(os.stat(path).st_mode)
        expect(stat.S_ISSOCK(os.stat(path).st_mode) and mode & 0o077 == 0, f"the socket is its owner's only ({mode:o})")
        expect(get(path, "/_brume/health/ready")[0] == 200, "a request through it is answered")
        expect(get(path, "/_brume/health/ready", {"Host": "evil.example"})[0] == 403, "names are checked there too")
        expect("http+unix" in server.values["BRUME_URL"], f"status names it: {server.values['BRUME_URL']}")
        text = server.tool("records", "create", "Note", "n", "--user", "alice")
        expect('"n"' in text, "a user's command works through it")
        environment = {**os.environ, **server.values}
        result = subprocess.run([brume, "records", "get", "n", "--user", "alice", "--data", server.folder],
                                env=environment, capture_output=True, text=True)
        expect(result.returncode == 0, f"and with the variables of a client {result.stderr}")
        export = os.path.join(folder, "a.jsonl")
        with open(export, "w") as file:
            file.write(EXPORT)
        server.tool("import", export, "--user", "bob")
        file = json.loads(server.tool("records", "get", "p", "--user", "bob"))["fields"]["file"]["value"]
        expect(file["size"] == 3, f"files go through it {file}")
        curl = subprocess.run(["curl", "--silent", "--unix-socket", path, "http://localhost/_brume/health/live"],
                              capture_output=True, text=True)
        expect(curl.stdout == '{"status":"live"}', "curl reads through it")
        listens = subprocess.run(["ss", "-Hltnp"], capture_output=True, text=True).stdout
        expect(f"pid={server.process.pid}," not in listens, "no port is open")

        words = refused(brume, os.path.join(folder, "other"), path)
        expect("another server listens on" in words, "a second server on the same socket is refused")
        expect(get(path, "/_brume/health/live")[0] == 200, "and the first goes on")
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        expect(os.path.exists(path), "a server that is killed leaves the file")
        server.start()
        expect(get(path, "/_brume/health/ready")[0] == 200, "the next one takes its place")
        expect(server.stop() == 0 and not os.path.exists(path), "a clean end takes it away")
        with open(path, "w") as file:
            file.write("mine")
        expect("is no socket" in refused(brume, os.path.join(folder, "other"), path), "a file that is no socket is refused")
        expect(open(path).read() == "mine", "and stays as it was")
        words = refused(brume, os.path.join(folder, "other"), "/tmp/" + "x" * 120)
        expect("the system takes" in words, "a path that is too long is refused")
    print("Unix socket: all as promised")


if __name__ == "__main__":
    main()
