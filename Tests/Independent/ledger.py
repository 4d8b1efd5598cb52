"""What was saved and what came of it: the one place where pushes are compared with acknowledged saves."""
import threading
import time

# A device that is slow gets one "fetch everything" for more than 100 pushes (`Limits.mailboxRows`). Here each push
# is counted, so no device has more than these that it has not acknowledged.
WAITING = 60


class Ledger:
    """Every record has a name of its own; `audience` are the users whose devices are to be notified of it."""

    def __init__(self, users, devices):
        self.changed = threading.Condition()
        self.users, self.devices = users, devices
        self.expected = {user: set() for user in users}
        self.waiting = {user: {} for user in users}
        self.taken = {user: [0] * devices for user in users}
        self.acknowledged, self.arrived, self.problems = {}, {}, []

    def begin(self, name, audience, timeout=120):
        """Before a save. Waits until there is room in everybody's mailbox."""
        with self.changed:
            if not self.changed.wait_for(
                    lambda: all(len(self.expected[user]) - min(self.taken[user]) < WAITING for user in audience),
                    timeout):
                raise SystemExit(f"FAILED: pushes stand still: {self._missing()}")
            for user in audience:
                self.expected[user].add(name)
                self.waiting[user][name] = self.devices

    def saved(self, name):
        with self.changed:
            self.acknowledged[name] = time.monotonic()

    def pushed(self, user, name):
        """A device got the push, for the first time."""
        with self.changed:
            self.arrived.setdefault(name, time.monotonic())
            left = self.waiting[user].get(name, 0)
            if left > 1:
                self.waiting[user][name] = left - 1
            else:
                self.waiting[user].pop(name, None)
            self.changed.notify_all()

    def took(self, user, number, count):
        """One of the user's devices has acknowledged so many."""
        with self.changed:
            self.taken[user][number] = count
            self.changed.notify_all()

    def problem(self, text):
        with self.changed:
            self.problems.append(text)
            self.changed.notify_all()

    def wait_for_all(self, seconds):
        """Whether every push has arrived everywhere."""
        with self.changed:
            return self.changed.wait_for(lambda: not any(self.waiting.values()), seconds)

    def wait_for(self, names, seconds):
        """Whether each of these saves has been pushed to some device."""
        with self.changed:
            return self.changed.wait_for(lambda: all(name in self.arrived for name in names), seconds)

    def under_way(self):
        """How many pushes have not arrived everywhere."""
        with self.changed:
            return len({name for names in self.waiting.values() for name in names})

    def _missing(self):
        return {user: sorted(names)[:2] for user, names in self.waiting.items() if names}

    def lost(self):
        """Says what did not arrive, if something did not."""
        with self.changed:
            count = sum(sum(names.values()) for names in self.waiting.values())
            return [f"{count} pushes lost, such as {self._missing()}"] if count else []
