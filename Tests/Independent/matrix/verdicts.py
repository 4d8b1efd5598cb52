"""What an answer amounts to, in one word, and whether it says anything that its reader may not have.

The words: `shown` (the image is in it), `absent` (it is not), `done` (a change was made), `gone` (deleted, or never
there), `ok`; a server error code, with `shown` after it when the image came along; `HTTP 405` and the like.
"""
import json
import re

from .cells import READ, WRITE
from .world import SECRETS

# Who may have each secret text, beside the operator. Nobody else's answer may hold it unless he sent it himself.
EVERYBODY = {"nobody", "token", "revoked", "foreign", "mixed", "forged", "abroad", "production", "key", "revokedkey",
             "looker", "former", "creator", "editor", "reader", "writer", "joiner", "invited", "blocked", "removed", "left", "other", "signedout"}
USERS = EVERYBODY - {"nobody", "token", "revoked", "foreign", "mixed", "forged", "abroad", "production", "revokedkey",
                     "signedout", "looker", "former"}
PUBLIC = USERS | {"token"}


def clearance(world):
    """Secret text, and the principals who may read it in an answer."""
    texts = {SECRETS["world"]: PUBLIC, SECRETS["members"]: USERS, SECRETS["edited"]: {"editor"}, SECRETS["own"]: {"creator"},
             SECRETS["covered"]: {"creator", "reader", "writer"}, SECRETS["joined"]: {"creator", "joiner"},
             SECRETS["outside"]: {"creator"}, SECRETS["diary"]: {"creator"}, SECRETS["missing"]: set(), SECRETS["deleted"]: set(),
             "title-of-A-4711": {"creator", "reader", "writer"}, "title-of-F-4711": {"creator", "reader", "writer"},
             "title-of-D-4711": {"creator", "reader", "writer", "invited"}, "title-of-L-4711": {"creator", "reader", "writer"},
             "subscription-of-creator": {"creator"}, "file-of-outside-4711": {"creator"}, "Given-shy": {"shy"},
             "shy@matrix.example": set(), "invited@matrix.example": {"creator", "invited"},
             # Of a share those see addresses who manage it, and everybody his own.
             "creator@matrix.example": {"creator", "abroad", "production"}, "writer@matrix.example": {"creator", "writer"},
             world.looker_token: set(), world.former_token: set(), '"Diary"': {"creator"}, '"Attic"': {"creator"}}
    for token in (world.admin_token, world.key.id, world.spare_key.id, world.other_api_token, world.production_api_token):
        texts[token] = set()
    texts[world.other_api_token], texts[world.production_api_token] = {"abroad"}, {"production"}
    return texts


def word(cell, world):
    answer, shown = cell.answer, False
    if cell.probe.shows:
        shown = cell.probe.shows(world, cell.image) in cell.text
    if answer.status != 200:
        return answer.get("serverErrorCode") or f"HTTP {answer.status}"
    item = (answer.items() or [{}])[0]
    if "serverErrorCode" in item:
        return item["serverErrorCode"] + (" shown" if shown else "")
    if cell.probe.kind == READ:
        return "shown" if shown else "absent"
    if cell.probe.kind == WRITE:
        return "gone" if item.get("deleted") else "done"
    return "ok"


def disclosed(cell, texts):
    """Secrets that the answer has, the request had not, and the principal may not have."""
    if cell.principal in ("operator", "looker") and cell.answer.status == 200 or cell.image == "address":
        return []  # He may have all; and an address with a secret is the creator's own credential.
    method, target, body, _ = cell.request
    sent = target + (body or b"").decode("utf-8", "replace")
    return [secret for secret, readers in texts.items()
            if secret in cell.text and cell.principal not in readers and secret not in sent]


# What differs in every answer, whatever it says.
VARIABLE = [(re.compile(r'"uuid":"[^"]*"'), '"uuid":""'), (re.compile(r"state=[^\"&]+"), "state=")]


def texts_of(value, key=""):
    """Each text that a body has, with the key that it stands under."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from texts_of(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of(inner, key)
    elif isinstance(value, str) and value:
        yield key, value


def normal(cell):
    """The answer without what the request named: two that are equal say the same of what they were asked for."""
    text = f"{cell.answer.status} {cell.text}"
    for pattern, instead in VARIABLE:
        text = pattern.sub(instead, text)
    try:
        sent = sorted(texts_of(json.loads(cell.request[2] or b"null")), key=lambda pair: -len(pair[1]))
    except ValueError:
        sent = []
    for key, value in sent:
        text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", f"<{key}>", text)
    return text
