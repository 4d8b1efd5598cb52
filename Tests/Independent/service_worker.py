"""A headless Chromium with a service worker, driven through its debugging pipe (standard library only)."""
import http.server
import json
import os
import shutil
import subprocess
import threading
import time

PAGE = b"""<!doctype html><title>push</title><script>navigator.serviceWorker.register("/worker.js")</script>"""
# The handler of docs/operating/web-push.md.
WORKER = b"""self.addEventListener("push", (event) => {
  const { aps, ck } = event.data.json();
  event.waitUntil(self.registration.showNotification(aps.alert.title ?? "", {
    body: aps.alert["loc-args"].join(" "), tag: ck.nid, data: { nid: ck.nid, record: ck.qry.rid } }));
});
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));"""


def binary():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body, kind = (WORKER, "text/javascript") if self.path == "/worker.js" else (PAGE, "text/html")
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Browser:
    """Commands and events of the DevTools protocol over file descriptors 3 and 4."""

    def __init__(self, folder):
        commands, self.write_end = os.pipe()
        self.read_end, answers = os.pipe()

        def descriptors():
            # Away from 3 and 4 first, in case one of them is the other's target.
            low, high = os.dup2(commands, 100), os.dup2(answers, 101)
            os.dup2(low, 3)
            os.dup2(high, 4)
        self.process = subprocess.Popen(
            [binary(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--user-data-dir={folder}", "--remote-debugging-pipe", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=descriptors)
        os.close(commands)
        os.close(answers)
        self.last, self.answers, self.events, self.changed = 0, {}, [], threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        rest = b""
        while data := os.read(self.read_end, 65536):
            *messages, rest = (rest + data).split(b"\0")
            with self.changed:
                for message in map(json.loads, messages):
                    if "id" in message:
                        self.answers[message["id"]] = message
                    else:
                        self.events.append(message)
                self.changed.notify_all()

    def call(self, method, session=None, **parameters):
        self.last += 1
        number = self.last
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        with self.changed:
            if not self.changed.wait_for(lambda: number in self.answers, timeout=120):
                raise SystemExit(f"Chromium does not answer {method}")
        answer = self.answers.pop(number)
        if "error" in answer:
            raise SystemExit(f"Chromium refuses {method}: {answer['error']}")
        return answer["result"]

    def evaluate(self, session, code):
        result = self.call("Runtime.evaluate", session, expression=code, awaitPromise=True, returnByValue=True)
        return result["result"].get("value")

    def active_registration(self):
        """The registration whose worker is activated; no push reaches one that is not."""
        def found():
            return [each["registrationId"] for event in self.events
                    if event["method"] == "ServiceWorker.workerVersionUpdated"
                    for each in event["params"]["versions"] if each["status"] == "activated"]
        with self.changed:
            if not self.changed.wait_for(found, timeout=60):
                raise SystemExit("Chromium activated no service worker")
            return found()[0]

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=120)


def shown(payload, folder):
    """Delivers a push message to a service worker; the notifications that it shows."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{server.server_address[1]}"
    browser = Browser(folder)
    try:
        browser.call("Browser.grantPermissions", origin=origin, permissions=["notifications"])
        target = browser.call("Target.createTarget", url=origin + "/")["targetId"]
        session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        browser.call("ServiceWorker.enable", session)
        registration, end = browser.active_registration(), time.monotonic() + 60
        read = ("navigator.serviceWorker.ready.then(r => r.getNotifications())"
                ".then(all => JSON.stringify(all.map(n => ({body: n.body, data: n.data}))))")
        while time.monotonic() < end:
            # Chromium drops, without a word, what comes before the registration is on its disk: so again.
            # The tag makes the second of two one with the first.
            browser.call("ServiceWorker.deliverPushMessage", session, origin=origin,
                         registrationId=registration, data=json.dumps(payload))
            time.sleep(0.5)
            notifications = json.loads(browser.evaluate(session, read) or "[]")
            if notifications:
                return notifications
        return []
    finally:
        browser.close()
        server.shutdown()
