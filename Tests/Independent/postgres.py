"""A PostgreSQL server for a test, by scripts/test-postgres. It ends when this process does."""
import json
import os
import subprocess
import time

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "test-postgres")


class Postgres:
    def __init__(self, *settings):
        """Of the server, or of its script."""
        self.process = subprocess.Popen(["python3", SCRIPT, "fsync=on", *settings], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        if not self.url.startswith("postgres://"):
            raise SystemExit("PostgreSQL did not start")

    def answer(self, command):
        """What scripts/test-postgres says to one of its commands."""
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def order(self, command):
        """What scripts/test-postgres does on demand: stop at once, start again on the same data."""
        answer = self.answer(command)
        if answer != "done":
            raise SystemExit(f"PostgreSQL did not {command}: {answer}")

    def rows(self, query):
        """What a query answers, each row as an object."""
        answer = self.answer(f"rows {query}")
        try:
            return json.loads(answer)
        except ValueError:
            raise SystemExit(f"PostgreSQL did not answer '{query}': {answer}")

    def shell(self, commands):
        """The status of what an operator types as PostgreSQL's user, and what it prints."""
        return json.loads(self.answer(f"shell {json.dumps(commands)}"))

    def schema(self, name, statements=""):
        """The URL of a store of its own."""
        self.order(f"sql {self.url} CREATE SCHEMA {name}; {statements}")
        return f"{self.url}?options=-csearch_path%3D{name}"

    def wait_until_shared(self, count, seconds=60):
        """Until so many servers, and nobody else, have equal shares of the notifying: each looks every 2.5 s."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            shares = {row["owner"]: row["count"] for row in self.rows("SELECT owner, count(*) FROM notifiers GROUP BY owner")}
            if "" not in shares and len(shares) == count and max(shares.values()) <= -(-sum(shares.values()) // count):
                return
            time.sleep(0.1)
        raise SystemExit(f"FAILED: {count} servers have unequal shares after {seconds} s: {shares}")

    def stop(self):
        self.process.stdin.close()
        self.process.wait()
