"""Texts that end a quotation, a list, a comment or a line of SQL, of JSON and of COPY, and what the parts of hard_names.py have in
common: how a name is taken, or refused as the sender's mistake."""
import json

from brume_server import Refused, expect_quietly

TEXTS = [
    "'", "''", "'''", '"', '""', "`", "\\", "\\'", "\\\\'", "';", "'--", "' OR '1'='1", "' OR 1=1 --", '" OR ""="', ") OR (1=1",
    "'; DROP TABLE records; --", "'; DELETE FROM zones WHERE ''='", "1; SELECT pg_sleep(60)", "' UNION SELECT * FROM users --",
    "'/*", "*/", "/**/", "--", "#", ";", "$1", "$$", "$a$", "?1", "?", ":name", "@name", "%", "%%", "%s", "%n", "_%", "a%b", "a_b", "[a-z]*", "*",
    "{}", "{1,2}", '{"a":1}', "{NULL}", "NULL", "null", "true", "0x41", "E'\\x41'", "U&'\\0041'", "x'41'", "(1,2)", "ARRAY[1]", "::text", "||'a'",
    "\\N", "\\.", "\\t", "a,b", "a\tb", "a\nb", "a\r\nb", "records", "sqlite_master", "pg_catalog.pg_class", "rowid", "ctid",
    "’", "＇", "ʼ", "％", "é", "e\u0301", "İ", "ß", "\u202e'", "\ufeff'", "\U0001f600'", "\0", "a\0b", "\x1b[0m", "x" * 250 + "'", " ' ", "' ",
]


def each(client, endpoint, kind, items, **more):
    """One operation a request: a name that is refused by a whole request refuses no other. What was answered to each; None for
    what was refused."""
    answers = []
    for item in items:
        try:
            answers.append(client.call(endpoint, {"operations": [item], **more})[kind][0])
        except Refused as refusal:
            expect_quietly(f"{endpoint}: 400" in str(refusal), f"a refusal is the sender's mistake: {refusal}")
            answers.append(None)
    return [answer if answer and "serverErrorCode" not in answer else refused(answer) for answer in answers]


def refused(answer):
    code = (answer or {}).get("serverErrorCode", "BAD_REQUEST")
    expect_quietly(code in ("BAD_REQUEST", "LIMIT_EXCEEDED"), f"a name is refused as the sender's mistake: {answer}")
    return None


def accepts(server, path, body, **more):
    """What the operator is answered; None if it is refused as the sender's mistake, which says what is wrong."""
    status, text = server.asked(path, body, **more)
    if status == 200:
        return json.loads(text)
    expect_quietly(status == 400, f"{path} with {body!r} is refused as the sender's mistake: {status} {text[:300]}")
    expect_quietly(json.loads(text).get("reason"), f"{path} with {body!r} says what is wrong: {text[:300]}")
    return None


# Among the items of an answer, too: what a store refuses is one of them.
OF_THE_SERVER = ("INTERNAL_ERROR", "TRY_AGAIN_LATER", "THROTTLED", "ZONE_BUSY")


def answered(status, text, what):
    """The request was looked at, and whatever is wrong with it, or with one of its items, is the sender's mistake."""
    expect_quietly(status < 500 and status != 429 and not any(code in text for code in OF_THE_SERVER),
                   f"{what} is not the server's mistake: {status} {text[:300]}")
