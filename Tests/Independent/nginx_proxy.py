"""Starts nginx with the site of Deploy/nginx.conf in front of a real server, and sends requests and a push
through it. Used by deployment.py.

The site is changed only in addresses and paths, so that it runs without root and beside other programs.
"""
import http.client
import json
import os
import shutil
import socket
import ssl
import subprocess
import time

from brume_server import Listener, Server, expect


def direct_address(server):
    """Where the server listens; its own variables name the base URL."""
    with open(os.path.join(server.folder, "server.json")) as file:
        return json.load(file)["url"].removeprefix("http://")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def pushes_pass_nginx(brume, site, folder):
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if not program or not shutil.which("openssl"):
        return print("  not tried: nginx is not installed, so nobody read nginx.conf")
    name, port = "brume.example.org", free_port()
    server = Server(brume, os.path.join(folder, "proxied"), store="memory", extra=[
        "--base-url", f"https://{name}", "--trusted-proxies", "127.0.0.1"]).start()
    certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={name}",
                    "-addext", f"subjectAltName=DNS:{name}", "-keyout", key, "-out", certificate],
                   check=True, capture_output=True)
    nginx = start_nginx(program, site, folder, server, port, certificate, key)
    try:
        trusted = ssl.create_default_context(cafile=certificate)
        through_proxy(server, name, port, trusted)
    finally:
        nginx.terminate()
        nginx.wait(timeout=120)
        server.stop()
    with open(os.path.join(folder, "access.log")) as file:
        lines = file.read()
    if "/database/1/" not in lines or "/share/" not in lines or any(part in lines for part in ("?", "Token", "0abc")):
        raise SystemExit(f"FAILED: nginx's log lacks requests, or has what their addresses carry: {lines[:2000]}")


def start_nginx(program, site, folder, server, port, certificate, key):
    """nginx with our file, changed only in addresses and paths."""
    with open(os.path.join(folder, "site.conf"), "w") as file:
        file.write(site.replace("127.0.0.1:8787", direct_address(server))
                   .replace("listen 443", f"listen 127.0.0.1:{port}")
                   .replace("/etc/ssl/brume.example.org.pem", certificate)
                   .replace("/etc/ssl/brume.example.org.key", key)
                   .replace("/var/log/nginx/brume.log", f"{folder}/access.log"))
    paths = "".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(f"pid {folder}/nginx.pid; error_log {folder}/nginx.log; events {{}}\n"
                   f"http {{ access_log off; {paths} include {folder}/site.conf; }}")
    process = subprocess.Popen([program, "-p", folder, "-c", os.path.join(folder, "nginx.conf"), "-g", "daemon off;"],
                               stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return process
        except OSError:
            time.sleep(0.05)
    with open(os.path.join(folder, "nginx.log")) as file:
        raise SystemExit(f"FAILED: nginx did not start: {file.read()}")


class Proxied(http.client.HTTPSConnection):
    """A connection to the proxy under the name that clients use."""
    port_of_proxy = None

    def connect(self):
        raw = socket.create_connection(("127.0.0.1", self.port_of_proxy), timeout=self.timeout)
        self.sock = self._context.wrap_socket(raw, server_hostname=self.host)


def through_proxy(server, name, port, trusted):
    Proxied.port_of_proxy = port

    def connect(timeout=120):
        return Proxied(name, timeout=timeout, context=trusted)
    phone, laptop = server.client("alice", "phone"), server.client("alice", "laptop")
    phone.connection, laptop.connection = connect(), connect()
    phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Z"}}}]})
    phone.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "z", "subscriptionType": "zone", "zoneID": {"zoneName": "Z"}}}]})
    listener = Listener(phone)
    values = server.values
    stream = connect(timeout=120)
    stream.request("GET", f"/_brume/stream?container={values['BRUME_CONTAINER']}"
                          f"&environment={values['BRUME_ENVIRONMENT']}&{phone.credentials()}")
    answer = stream.getresponse()
    expect(answer.status == 200, "nginx passes an event stream on")
    laptop.call("records/modify", {"zoneID": {"zoneName": "Z"}, "operations": [{
        "operationType": "create", "record": {"recordType": "N", "recordName": "n", "fields": {}}}]})
    while not listener.events:
        listener._read([answer.readline()])
    expect(listener.events[0]["ck"]["fet"]["sid"] == "z", "a push passes nginx while the stream is open")
    shared = connect()
    shared.request("GET", "/share/0abc.0123456789")
    expect(shared.getresponse().status == 200, "nginx passes the URL of a share on")
