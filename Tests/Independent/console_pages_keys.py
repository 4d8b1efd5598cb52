"""What may call, and what is called: server keys, keys of Apple's push service, webhooks, admin tokens. Each is made, used by
the program that has it, and ended, by keys on the page of users and keys."""
import http.client
import json
import urllib.error

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from brume_server import expect
from channels import KEY_ID, TEAM, TOPIC, verified
from console_operating import until
from serverkeys import QUERY, Signer


def server_keys(tour):
    tour.console.open(tour.place.replace("/development", "/production") + "/users?tab=keys&new=1")
    tour.console.see_text("brume key create NAME --environment production")
    tour.begin("users", "?tab=keys", "robot")
    tour.console.press("Enter")
    private = tour.shown_once("Private key of robot")
    expect("PRIVATE" not in tour.admin("keys").decode(), "the server's list has no private half either")
    tour.see_cell("Server keys", "robot", "Last used", "not yet", "a key is made by keys, and was not used yet")
    signer = Signer(tour.server)
    signer.id = next(key["id"] for key in json.loads(tour.admin("keys"))["keys"] if key["name"] == "robot")
    signer.key = serialization.load_pem_private_key(private.encode(), None)
    target = signer.base + "/public/records/lookup"
    def asks():
        return signer.send(target, QUERY, signer.headers(target, QUERY))[0]
    expect(asks() == 200, "a program signs with the private half that was shown")
    tour.again("users", "?tab=keys")
    tour.see_cell("Server keys", "robot", "Last used", lambda text: ":" in text, "then the page says when it was used last")
    tour.done("keys", "server keys with their last use")
    tour.confirm("Revoke robot", "robot", "robot is revoked")
    expect(asks() == 401, "once its name was typed, what the key signs is refused at once")


def apns(tour):
    """Apple gets pushes that the key signed which was typed into the page."""
    console = tour.console
    key = ec.generate_private_key(ec.SECP256R1())
    text = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    tour.begin("users", "?tab=apns", TOPIC, TEAM, KEY_ID, text.decode())
    console.press("Enter", 2)
    console.see("cell", TOPIC)
    expect("PRIVATE" not in tour.admin(f"apns?{place(tour)}").decode(), "a key of Apple's push service goes in, and not out")
    _phone(tour, "ab" * 32)
    tour.save("for-apple", text="Milk")
    arrived = tour.apple.arrivals.wait(lambda _: tour.apple.to("ab" * 32), "a push at Apple")[0]
    verified(arrived["headers"]["authorization"].removeprefix("bearer "), key.public_key())
    expect(arrived["headers"]["apns-topic"] == TOPIC, "Apple gets pushes that it signed")
    until(lambda: "lastUsed" in json.loads(tour.admin(f"apns?{place(tour)}"))["senders"][0], "the key's use is not noted")
    tour.again("users", "?tab=apns")
    tour.see_cell("Keys of Apple's push service", TOPIC, "Last used", lambda text: ":" in text, "the page says when it was used last")
    tour.done("apns", "keys of Apple's push service with their last use")
    tour.confirm(f"Remove {TOPIC}", TOPIC, f"{TOPIC} has no key now")
    expect(tour.server.tool("apns", "list").count(TOPIC) == 0, "the key is removed after its topic was typed")


def _phone(tour, token):
    """A device of alice that Apple reaches, and a subscription."""
    connection = http.client.HTTPConnection(*tour.server.address, timeout=120)
    connection.request("POST", f"/_brume/devices?{place(tour)}&{tour.server.client('alice', 'iPhone').credentials()}",
                       json.dumps({"apns": {"token": token, "environment": "production"}}))
    if connection.getresponse().status != 200:
        raise SystemExit("FAILED: the phone is not registered")
    tour.phone.call("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "notes", "subscriptionType": "query", "zoneWide": True, "firesOn": ["create"],
        "query": {"recordType": "Note"}, "notificationInfo": {"alertBody": "A note"}}}]})


def place(tour):
    return f"container={tour.server.values['BRUME_CONTAINER']}&environment=development"


def webhooks(tour):
    console, url = tour.console, tour.hooks.origin + "/changes"
    tour.begin("users", "?tab=webhooks", url)
    console.press("Enter")
    expect(len(tour.shown_once("Secret of the webhook")) > 20, "a webhook is added by keys, and its secret shown")
    console.push("Test")
    console.see_text(f"{url}: sent, answered 200")
    expect(len(tour.hooks.at("/changes")) == 1, "Test calls it once, and says what it answered")
    # Who answers 410 wants no more calls.
    tour.hooks.script["/changes"] = [(410, {})]
    tour.save("for-the-webhook", text="Bread")
    until(lambda: json.loads(tour.admin(f"webhooks?{place(tour)}"))["webhooks"][0]["state"] != "on", "410 does not switch it off")
    tour.again("users", "?tab=webhooks")
    tour.see_cell("Webhooks", url, "State", lambda text: "410" in text, "one that answers 410 is off, and the page says why")
    tour.done("webhooks", "webhooks with their state and last use")
    console.push("Switch on")
    console.see_text(f"{url} is on again")
    tour.see_cell("Webhooks", url, "State", "On", "it is switched on by a key")
    tour.hooks.arrivals.wait(lambda _: any(b"for-the-webhook" in item["body"] and item["answer"] == 200
                                           for item in tour.hooks.at("/changes")), "the change that it missed")
    expect(True, "and called about what it missed")
    switched_off(tour, url)
    identifier = tour.cell("Webhooks", url, "ID")
    tour.confirm(f"Remove {url}", identifier, "The webhook is removed")
    expect(url not in tour.server.tool("webhook", "list"), "it is removed after its ID was typed")


def switched_off(tour, url):
    """By hand: nothing is sent until it is switched on again, by hand as well."""
    console = tour.console
    console.push("Switch off")
    console.see_text(f"{url} is off")
    tour.see_cell("Webhooks", url, "State", "switched off by an operator", "it is switched off by a key, and the page says why")
    before = len(tour.hooks.at("/changes"))
    tour.save("while-off", text="Tea")
    until(lambda: json.loads(tour.admin(f"webhooks?{place(tour)}"))["webhooks"][0]["behind"] > 0, "it is not behind")
    expect(len(tour.hooks.at("/changes")) == before, "nothing is sent to it meanwhile")
    tour.again("users", "?tab=webhooks")
    console.push("Switch on")
    console.see_text(f"{url} is on again")
    tour.hooks.arrivals.wait(lambda _: any(b"while-off" in item["body"] for item in tour.hooks.at("/changes")), "what it missed")
    tour.see_cell("Webhooks", url, "State", "On", "and is called about all of it when it is on again")


def admin_tokens(tour):
    console = tour.console
    tour.open("users", "?tab=operators")
    console.push("New admin token")
    console.focused("Name")
    console.type("nightly")
    console.press("Enter")
    token = tour.shown_once("Admin token nightly")
    tour.see_cell("Admin tokens", "nightly", "Last used", "never", "an admin token is made by keys")
    expect(json.loads(tour.admin("users", token))["users"], "a program administers the server with it")
    tour.again("users", "?tab=operators")
    tour.see_cell("Admin tokens", "nightly", "Last used", lambda text: ":" in text, "the page says when it was used last")
    tour.done("admin-tokens", "admin tokens with role and last use")
    tour.confirm("Revoke nightly", "nightly", "nightly is revoked")
    try:
        tour.admin("users", token)
        raise SystemExit("FAILED: an admin token that was revoked is taken")
    except urllib.error.HTTPError as error:
        expect(error.code == 401, "and refused at once when it is revoked")


WALKS = [server_keys, apns, webhooks, admin_tokens]
