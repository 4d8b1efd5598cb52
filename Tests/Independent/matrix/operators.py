"""Probes of the operator's endpoints. They act on things that nobody else uses: accounts, tokens and zones made for it."""
from .cells import ASK, Probe

IMAGES = {"-": ("there", "missing")}
PREFIX = "/_brume/admin/"
APNS_KEY = "no key"


def body(**there):
    """A body that names a thing that is there, or the same with a name that means nothing."""
    def build(world, principal, image, database):
        named = {key: value(world) if callable(value) else value for key, value in there.items()}
        if image == "missing":
            named = {key: "nothing-of-the-sort" if isinstance(value, str) else value for key, value in named.items()}
        return named, {}
    return build


def plain(world, principal, image, database):
    return None, {}


def made(verb="made", **members):
    """Makes a thing of a name of its own."""
    def build(world, principal, image, database):
        return {"name": f"{verb}-by-{principal}-{image}", **members}, {}
    return build


def probe(name, method="GET", build=plain, images=None, last=False):
    suffix = ":make" if method == "POST" and name in TWICE else ""
    return Probe(f"admin/{name}{suffix}", f"{method} {PREFIX}{name}", ASK, images or {"-": ("any",)}, build, last=last)


TWICE = {"users", "roles", "tokens", "keys", "schema", "faults", "apns", "webhooks", "zones", "operators",
         "operators/invitations", "operators/tokens", "session", "session/provider", "backups", "backups/restore", "clock"}
LISTS = ["status", "metrics", "users", "roles", "tokens", "keys", "schema", "assets/check", "devices", "faults", "push/log", "apns",
         "webhooks", "containers", "zones", "shares", "operators", "operators/invitations", "operators/tokens", "audit", "logs", "usage", "usage/storage", "usage/storage/history", "schema/usage", "trace", "session",
         "users/export", "backups", "backups/rows", "backups/asset", "backups/file", "backups/restore", "events", "clock", "log", "log/then"]
# What an operator reads and changes of somebody's data, asked about the account `shy`, who has none.
DATA = ["zones", "zones/create", "zones/delete", "records/query", "records/lookup", "records/modify", "allowed",
        "tokens/decode", "schema/validate", "schema/diff", "push/preview"]

PROBES = [
    *[probe(name) for name in LISTS],
    probe("users", "POST", made(), IMAGES),
    probe("users/token", "POST", body(user="shy"), IMAGES),
    probe("users/change", "POST", body(user="spare", givenName="New"), IMAGES),
    probe("users/signout", "POST", body(user="spare"), IMAGES),
    probe("roles", "POST", body(role="editor", user="spare", on=True), IMAGES),
    probe("tokens", "POST", made(), IMAGES),
    probe("tokens/revoke", "POST", body(token="spare"), IMAGES),
    probe("keys", "POST", made(), IMAGES),
    probe("keys/revoke", "POST", body(id=lambda world: world.spare_key.id), IMAGES),
    probe("schema", "POST", body(schema=lambda world: world.schema_text), IMAGES),
    probe("schema/index", "POST", body(type="World", field="n", index="sortable", on=True), IMAGES),
    probe("schema/deploy", "POST", body()),
    probe("zones/purge", "POST", body(user="shy", zone="Nowhere"), IMAGES),
    probe("faults", "POST", body(faults=[]), {"-": ("any",)}),
    probe("faults/clear", "POST", body()),
    probe("faults/release", "POST", body()),
    probe("push", "POST", body(user="spare", text="hello"), IMAGES),
    probe("push/retry", "POST", body()),
    probe("apns", "POST", body(topic="t", team="T", keyID="K", key=APNS_KEY), IMAGES),
    probe("apns/remove", "POST", body(topic="t"), IMAGES),
    probe("webhooks", "POST", body(url="http://127.0.0.1:1/none"), IMAGES),
    probe("webhooks/enable", "POST", body(id="none"), IMAGES),
    probe("webhooks/disable", "POST", body(id="none"), IMAGES),
    probe("webhooks/remove", "POST", body(id="none"), IMAGES),
    probe("webhooks/test", "POST", body(id="none"), IMAGES),
    *[probe(name, "POST", body(user="shy", database="private", zone="Of-operators", schema="nothing", token="nothing"))
      for name in DATA],
    probe("operators", "POST", made(password="long-enough-password"), IMAGES),
    probe("operators/change", "POST", body(name="nobody", role="full"), IMAGES),
    probe("operators/remove", "POST", body(name="nobody"), IMAGES),
    probe("operators/link", "POST", body(name="nobody")),
    probe("operators/invitations", "POST", made("invited", role="full"), IMAGES),
    probe("operators/invitations/revoke", "POST", body(name="nobody"), IMAGES),
    probe("operators/tokens", "POST", made(role="full"), IMAGES),
    probe("operators/tokens/revoke", "POST", body(name="nobody"), IMAGES),
    probe("backups", "POST"),
    probe("clock", "POST", body()),
    probe("deletions/forget", "POST", body()),
    probe("backups/remove", "POST", body(id="none")),
    probe("backups/restore", "POST", body(id="none")),
    probe("backups/restore/apply", "POST", body(id="none")),
    probe("backups/restore/remove", "POST", body(id="none")),
    # Open, because whoever signs in has nothing yet: a name and a password that are wrong.
    probe("session", "POST", body(name="nobody", password="wrong-password")),
    probe("session/first", "POST", body(name="planted", password="long-enough-password", link="nothing")),
    probe("session/invitation", "POST", body(link="nothing")),
    probe("session/invitation/accept", "POST", body(password="long-enough-password", link="nothing")),
    probe("session/provider"),
    probe("session/provider", "POST", body()),
    probe("session/end", "POST", body(), last=True),
    probe("users/delete", "POST", body(user="spare"), IMAGES, last=True),
    probe("schema/reset", "POST", body(), last=True),
]


def make(world):
    world.operate("users", {"name": "spare"})
    world.operate("tokens", {"name": "spare"})
    world.spare_key = world.make_key("spare")
    world.schema_text = world.operate("schema", None, method="GET")["schema"]
