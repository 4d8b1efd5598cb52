"""Headless Chromium over its DevTools protocol: pages, popups, scripts. Standard library only."""
import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import traceback

# Seconds in which a page gets where it should.
PATIENCE = 120


def find():
    return next((path for name in ("chromium", "chromium-browser", "google-chrome")
                 if (path := shutil.which(name))), None)


class WebSocket:
    """A client for texts (RFC 6455)."""

    def __init__(self, port, path):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.stream = self.socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
                             f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
                             "Sec-WebSocket-Version: 13\r\n\r\n").encode())
        if b" 101 " not in self.stream.readline():
            raise SystemExit("chromium refused the DevTools connection")
        while self.stream.readline().strip():
            pass

    def send(self, text):
        data, mask = text.encode(), os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, len(data))
        self.socket.sendall(head + mask + bytes(byte ^ mask[at % 4] for at, byte in enumerate(data)))

    def receive(self):
        parts = b""
        while True:
            first, second = self.stream.read(2)
            length = second & 0x7F
            if length == 126:
                length, = struct.unpack("!H", self.stream.read(2))
            elif length == 127:
                length, = struct.unpack("!Q", self.stream.read(8))
            payload = self.stream.read(length)
            if first & 0x0F in (0, 1, 2):
                parts += payload
                if first & 0x80:
                    return parts.decode()
            elif first & 0x0F == 8:
                raise SystemExit("chromium ended the DevTools connection")


class Page:
    def __init__(self, browser, session, target):
        self.browser, self.session, self.target = browser, session, target

    def run(self, script):
        """The value of a script, awaited if it is a promise, run as if the user had clicked."""
        answer = self.browser.call("Runtime.evaluate", {
            "expression": script, "awaitPromise": True, "returnByValue": True, "userGesture": True}, self.session)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def close(self):
        self.browser.call("Target.closeTarget", {"targetId": self.target})


class Chromium:
    def __init__(self, program, options=()):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--no-first-run", "--disable-extensions", "--disable-background-networking",
             "--remote-debugging-port=0", f"--user-data-dir={self.folder.name}", *options, "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, path = self._address()
        self.socket, self.count, self.popups = WebSocket(port, path), 0, []
        # What pages did wrong: exceptions, errors in the console, violations of a policy.
        self.problems = []
        # Of those: what a test provoked, each as words and a part of the address.
        self.expected = []
        self.call("Target.setDiscoverTargets", {"discover": True})

    def _address(self):
        file = os.path.join(self.folder.name, "DevToolsActivePort")
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                port, path = open(file).read().split()
                return int(port), path
            except (OSError, ValueError):
                if self.process.poll() is not None:
                    raise SystemExit(f"chromium ended with {self.process.returncode}")
                time.sleep(0.05)
        raise SystemExit("chromium did not start")

    def call(self, method, parameters, session=None):
        self.count += 1
        number = self.count
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        self.socket.send(json.dumps(message))
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def _next(self):
        message = json.loads(self.socket.receive())
        if message.get("method") == "Target.targetCreated":
            found = message["params"]["targetInfo"]
            if found["type"] == "page" and found.get("openerId"):
                self.popups.append(found["targetId"])
        self._note(message.get("method"), message.get("params"))
        return message

    def _note(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "assert", "warning"):
            self.problems.append(str([value.get("value") for value in parameters["args"]]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            entry = parameters["entry"]
            self.problems.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")

    def expects(self, words, address):
        """A test provokes an answer, or the lack of one, that the browser will report: its words, a part of its address."""
        self.expected.append((f"network: Failed to load resource: {words}", address))

    def complaints(self):
        """What pages did wrong. An answer that a test expected is none of it, but only at the address where it did."""
        return [problem for problem in self.problems
                if not any(problem.startswith(words) and address in problem for words, address in self.expected)]

    def _attach(self, target):
        session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, session, target)

    def page(self, url):
        """A page, loaded."""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        page = self._attach(target)
        self.go(page, url)
        return page

    def crash(self, page):
        """Ends the page's process as a crash does; nothing answers then."""
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": "Page.crash", "params": {}, "sessionId": page.session}))
        self.call("Target.getTargets", {})

    def go(self, page, url):
        self.call("Page.enable", {}, page.session)
        self.call("Page.navigate", {"url": url}, page.session)
        self.wait(lambda: page.run("document.readyState") == "complete" and page.run("location.href") == url)

    def popup(self):
        """The next window that a page opened."""
        self.wait(lambda: self.popups or self.call("Target.getTargets", {}) is None)
        return self._attach(self.popups.pop(0))

    def wait(self, condition):
        """Asks again until it is so; each asking goes to the browser and back. On a busy machine a page takes long."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                if condition():
                    return
            except RuntimeError:
                pass
            time.sleep(0.02)
        lines = [f"{os.path.basename(frame.filename)}:{frame.lineno}: {frame.line}" for frame in traceback.extract_stack()[:-1]]
        raise SystemExit("FAILED: the browser does not get there: " + " < ".join(reversed(lines[-3:])))

    def end(self):
        self.process.terminate()
        self.process.wait(timeout=120)
        self.folder.cleanup()
