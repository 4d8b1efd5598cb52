"""The metrics of a server that was used, as Prometheus's own tool reads them: `promtool check metrics` says nothing.

usage: metrics.py --brume PATH
"""
import argparse
import os
import shutil
import ssl
import subprocess
import tempfile
import urllib.request

from brume_server import Server, expect
from certificates import Authority


def check(text):
    """What promtool has against a text of metrics."""
    result = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True)
    return result.returncode, (result.stdout + result.stderr).strip()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.abspath(parser.parse_args().brume)
    if not shutil.which("promtool"):
        return print("  not tried: promtool is not installed (Debian: prometheus)")
    status, words = check("brume_things 1\n")
    expect(status != 0 and "no help text" in words, "promtool finds a metric without a text")
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Authority(folder).issue("server")
        # With all that adds metrics.
        server = Server(brume, os.path.join(folder, "data"), extra=[
            "--tls-certificate", certificate, "--tls-key", key, "--otlp-endpoint", "http://127.0.0.1:1"]).start()
        trust = ssl._create_unverified_context()
        for path in ("/", "/nowhere", "/_brume/health/ready", "/_brume/metrics"):
            try:
                urllib.request.urlopen(server.values["BRUME_URL"] + path, context=trust).read()
            except OSError:
                pass
        with urllib.request.urlopen(server.values["BRUME_URL"] + "/_brume/metrics", context=trust) as answer:
            text = answer.read().decode()
        status, words = check(text)
        expect(status == 0 and not words, f"promtool has nothing against any metric {words}")
        expect(text.count("# HELP") == text.count("# TYPE") > 20, f"each of {text.count('# TYPE')} metrics has a text")
        server.stop()


if __name__ == "__main__":
    main()
