"""Starts a real server process and speaks CloudKit's HTTP protocol to it.

An independent counterpart: Python's standard library only, nothing shared with the Swift code.
"""
import atexit
import contextlib
import http.client
import json
import os
import signal
import subprocess
import threading
import time
import urllib.parse


def expect_quietly(condition, what):
    """One of many of the same kind, which all together are worth a line."""
    if not condition:
        raise SystemExit(f"FAILED: {what}")


def expect(condition, what):
    expect_quietly(condition, what)
    print(f"  ok: {what}", flush=True)


def skip(what):
    """What cannot be tried here, in the word that soak.py looks for."""
    print(f"  skipped: {what}", flush=True)


class Server:
    """A `brume serve` process. `start` again after `kill` uses the same data folder."""

    def __init__(self, binary, folder, store="sqlite", extra=(), dev=True, environment=None,
                 log=None):
        self.binary, self.folder, self.store, self.extra = binary, folder, store, list(extra)
        self.environment, self.log = {**os.environ, **(environment or {})}, log
        self.mode = ["--dev"] if dev else []
        self.process, self.values = None, {}
        # Whatever ends a test, no server stays behind.
        atexit.register(self._end)

    def start(self):
        command = [self.binary, "serve", *self.mode, "--port", "0", "--data", self.folder,
                   "--store", self.store, "--log-level", "error", "--marks", "none", *self.extra]
        log = open(self.log, "ab") if self.log else None
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=self.environment)
        if log:
            log.close()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise SystemExit(f"the server ended with {self.process.returncode} while it started")
            status = subprocess.run([self.binary, "status", "--data", self.folder, "--format", "env"],
                                    capture_output=True, text=True)
            if status.returncode == 0:
                self.values = dict(line.split("=", 1) for line in status.stdout.splitlines() if "=" in line)
                return self
            time.sleep(0.02)
        raise SystemExit("the server was not ready after 120 s")

    def tool(self, *arguments, input=None):
        """What a command of the command line prints."""
        result = subprocess.run([self.binary, *arguments, "--data", self.folder], input=input,
                                capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"brume {' '.join(arguments)}: {result.stderr}")
        return result.stdout.strip()

    def asked(self, path, body=None, **more):
        """The status of what the operator is answered, and its text; `more` is asked for beside container and environment, or
        in their place."""
        with open(os.path.join(self.folder, "server.json")) as file:
            token = json.load(file)["adminToken"]
        place = {"container": self.values["BRUME_CONTAINER"], "environment": self.values["BRUME_ENVIRONMENT"], **more}
        with contextlib.closing(http.client.HTTPConnection(*self.address)) as connection:
            connection.request("GET" if body is None else "POST",
                               f"/_brume/admin/{path}?{urllib.parse.urlencode(place, quote_via=urllib.parse.quote)}",
                               None if body is None else json.dumps(body), {"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def admin(self, path, body=None, **more):
        """What the operator is answered."""
        status, text = self.asked(path, body, **more)
        if status not in (200, 201):
            raise SystemExit(f"{path}: {status} {text[:300]}")
        return json.loads(text)

    def _end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()

    def kill(self):
        """As a crash: no warning, nothing flushed."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=120)

    @property
    def address(self):
        url = urllib.parse.urlparse(self.values["BRUME_URL"])
        return url.hostname, url.port

    def client(self, user, device):
        return Client(self, user, device)


class Refused(Exception):
    """An answer other than 200: the server said no."""


def target(values, endpoint, database, query):
    """Where one of CloudKit's endpoints is, or one of Brume's own, which begin with a slash."""
    if endpoint.startswith("/"):
        return f"{endpoint}?container={values['BRUME_CONTAINER']}&environment={values['BRUME_ENVIRONMENT']}&{query}"
    return f"/database/1/{values['BRUME_CONTAINER']}/{values['BRUME_ENVIRONMENT']}/{database}/{endpoint}?{query}"


class Client:
    """One device of one user. Not for use by several threads at once."""

    def __init__(self, server, user, device, timeout=120):
        self.server, self.user, self.device, self.timeout = server, user, device, timeout
        self.connection = None

    def credentials(self):
        values = self.server.values
        return urllib.parse.urlencode({
            "ckAPIToken": values["BRUME_API_TOKEN"],
            "ckWebAuthToken": values[f"BRUME_USER_TOKEN_{self.user.upper()}"],
            "clientId": self.device}, quote_via=urllib.parse.quote)

    def call(self, endpoint, body, database="private"):
        """Posts to an endpoint; raises OSError or HTTPException when no answer came."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(*self.server.address, timeout=self.timeout)
        try:
            self.connection.request("POST", target(self.server.values, endpoint, database, self.credentials()), json.dumps(body))
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection = None
            raise
        if answer.status != 200:
            raise Refused(f"{endpoint}: {answer.status} {text[:300]}")
        return json.loads(text)


class Listener:
    """A device at the event stream. Remembers its cursor, so that it can go on after a crash."""

    def __init__(self, client):
        self.client, self.cursor, self.events = client, None, []
        self.changed = threading.Condition()

    def listen(self):
        """Listens in a thread until the server is gone; comes back when the stream just ends."""
        answer = self._connect()
        thread = threading.Thread(target=self._run, args=(answer,), daemon=True)
        thread.start()
        return thread

    def _connect(self, timeout=60):
        values = self.client.server.values
        path = (f"/_brume/stream?container={values['BRUME_CONTAINER']}"
                f"&environment={values['BRUME_ENVIRONMENT']}&{self.client.credentials()}")
        headers = {"Accept": "text/event-stream"}
        if self.cursor:
            headers["Last-Event-ID"] = self.cursor
        connection = http.client.HTTPConnection(*self.client.server.address, timeout=timeout)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        if answer.status != 200:
            raise Refused(f"stream: {answer.status} {answer.read()[:300]}")
        return answer

    def _run(self, answer):
        try:
            while True:
                self._read(answer)
                answer = self._connect()
        except (OSError, http.client.HTTPException, ValueError, Refused):
            pass

    def _read(self, answer):
        identifier = None
        for line in answer:
            line = line.decode().rstrip("\r\n")
            if line.startswith("id:"):
                identifier = line[3:].strip()
            elif line.startswith("data:"):
                self._take(json.loads(line[5:]), identifier)

    def _take(self, event, identifier):
        with self.changed:
            self.events.append(event)
            self.cursor = identifier
            self.changed.notify_all()

    def wait_until(self, condition, seconds):
        """True once `condition(events)` holds; False after `seconds`."""
        with self.changed:
            return self.changed.wait_for(lambda: condition(self.events), timeout=seconds)
