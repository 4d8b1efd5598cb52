"""Whoever guesses at the sign-in page: names that nobody has, with passwords that are wrong. Each guess that is looked at
takes 64 MB for a tenth of a second, and what bounds guesses counts by name and by address: so each comes from an address of its
own, as far as the system has more than one on loopback.
"""
import contextlib
import http.client
import json
import sys
import threading
import time
import urllib.parse

# Threads that guess, and what it takes to look at a password.
GUESSERS, BYTES = 8, 64 << 20


def sign_in(values, address, name, password, source=None, state=None):
    """Status and text of an attempt to sign in, as the page makes it."""
    with contextlib.closing(http.client.HTTPConnection(*address, timeout=60, source_address=source)) as connection:
        state = state or state_of(values, connection)
        connection.request("POST", "/_brume/signin/password", json.dumps({"state": state, "name": name, "password": password}))
        answer = connection.getresponse()
        return answer.status, answer.read().decode("utf-8", "replace")


def state_of(values, connection):
    """What the page is opened with."""
    query = urllib.parse.urlencode({"ckAPIToken": values["BRUME_API_TOKEN"]})
    connection.request("GET", f"/database/1/{values['BRUME_CONTAINER']}/development/public/users/caller?{query}")
    address = urllib.parse.urlparse(json.loads(connection.getresponse().read())["redirectURL"])
    return urllib.parse.parse_qs(address.query)["state"][0]


def guess(values, address, state, chance, until, note):
    """Guesses until then. `note` gets the status of each, or what it ended with."""
    while time.monotonic() < until:
        source = None
        if sys.platform.startswith("linux"):
            source = (f"127.{chance.randrange(1, 255)}.{chance.randrange(256)}.{chance.randrange(1, 255)}", 0)
        try:
            status, _ = sign_in(values, address, f"nobody-{chance.randrange(1 << 30)}", "a guess", source, state)
            note(str(status))
            if status != 401:
                # "Not now": whoever asks again at once measures how fast Python is.
                time.sleep(0.1)
        except (OSError, http.client.HTTPException) as error:
            note(type(error).__name__)
            time.sleep(0.1)


def threads(values, address, chances, until, note):
    """Threads that guess, one for each source of chance; not started."""
    with contextlib.closing(http.client.HTTPConnection(*address, timeout=60)) as connection:
        state = state_of(values, connection)
    return [threading.Thread(target=guess, args=(values, address, state, chance, until, note), daemon=True)
            for chance in chances]
