"""Controls: leaks that are planted in the answers which the server gave, each of which the judge has to find.

They are those that servers of this kind really have: a page that was computed before it was filtered, a conflict that
brings the record along, an answer remembered from better days, an error that differs. Nothing is built or started for
it, and the server needs no code: what leaks is between the server and the judge.
"""
import dataclasses
import json

from .answers import Answer
from .policy import Policy
from .routes import routes as read_routes
from .world import SECRETS

# Principals who may do nothing at all here, and who once could.
STRANGERS = {"nobody", "revoked", "foreign", "mixed", "forged", "signedout", "revokedkey", "operator", "looker", "former"}
FORMER = {"removed", "left", "invited", "blocked"}


def changed(cell, **members):
    """The same answer with other members in its body."""
    return dataclasses.replace(cell, answer=Answer(200, json.dumps({**cell.answer.json, **members})), more="")


def instead(cell, other):
    return dataclasses.replace(cell, answer=other.answer, more=other.more)


class Leaks:
    """Each method takes a cell and gives it with a leak, or nothing where it cannot leak."""

    def __init__(self, policy, cells):
        self.policy = policy
        self.cells = {(cell.probe.name, cell.database, cell.principal, cell.image): cell for cell in cells}

    def at(self, cell, principal):
        return self.cells.get((cell.probe.name, cell.database, principal, cell.image))

    def is_hidden(self, cell):
        rule = self.policy.rule(cell)
        return rule is not None and rule.outcomes == ["as-missing"]

    def a_marker_behind_a_page_of_nothing(self, cell):
        if cell.probe.name == "records/query" and self.is_hidden(cell) and cell.answer.get("records") == []:
            return changed(cell, continuationMarker="AAAA")

    def a_place_kept_for_what_was_filtered(self, cell):
        if cell.probe.name == "records/query" and self.is_hidden(cell) and cell.answer.get("records") == []:
            return changed(cell, records=[None])

    def the_record_with_a_conflict_on_create(self, cell):
        rule = self.policy.rule(cell)
        if cell.probe.name == "records/modify:create" and rule and "name is taken, and nothing" in rule.reason:
            author = self.at(cell, "editor" if cell.image == "edited" else "creator")
            if cell.database == "shared":
                author = self.cells[cell.probe.name, "private", "creator", "covered"]
            return instead(cell, author)

    def a_conflict_where_nothing_should_be(self, cell):
        if cell.probe.name == "records/modify:update" and self.is_hidden(cell) and cell.image != "deleted":
            item = {"recordName": "x", "serverErrorCode": "CONFLICT", "reason": "client oplock error updating record"}
            return changed(cell, records=[item])

    def another_error_for_what_is_hidden(self, cell):
        if cell.probe.name == "records/lookup" and self.is_hidden(cell):
            item = {**cell.answer.items()[0], "serverErrorCode": "ACCESS_DENIED", "reason": "not yours"}
            return changed(cell, records=[item])

    def other_words_for_what_is_hidden(self, cell):
        if cell.probe.name in ("records/lookup", "subscriptions/lookup", "records/resolve") and self.is_hidden(cell):
            text = cell.answer.text.replace('"reason":"', '"reason":"sorry: ')
            return dataclasses.replace(cell, answer=Answer(cell.answer.status, text))

    def an_answer_remembered_from_better_days(self, cell):
        if cell.principal in FORMER and cell.database == "shared" and cell.image == "covered":
            reader = self.at(cell, "writer")
            return instead(cell, reader) if reader.answer.text.find(SECRETS["covered"]) >= 0 else None

    def an_address_of_who_shares(self, cell):
        if cell.probe.name == "records/resolve" and cell.principal in ("reader", "writer") and cell.answer.status == 200:
            text = cell.answer.text + ' "lookupInfo": {"emailAddress": "creator@matrix.example"}'
            return dataclasses.replace(cell, answer=Answer(cell.answer.status, text))

    def the_secret_anywhere(self, cell):
        if cell.image in ("own", "outside", "diary") and cell.principal in ("other", "reader", "token", "key"):
            text = cell.answer.text + f' "title": "{SECRETS[cell.image]}"'
            return dataclasses.replace(cell, answer=Answer(cell.answer.status, text))

    def a_creation_refused_to_who_may_create(self, cell):
        if cell.probe.name == "records/modify:create" and cell.image == "deleted" and cell.answer.items():
            if "serverErrorCode" not in cell.answer.items()[0] and cell.database == "public":
                return changed(cell, records=[{"recordName": "x", "serverErrorCode": "ACCESS_DENIED", "reason": "CREATE"}])

    def an_endpoint_without_its_check(self, cell):
        # Signing in is open to everybody: there is no check that could be missing.
        is_open = cell.probe.name in ("admin/session:make", "admin/session/first", "admin/session/invitation",
                                      "admin/session/invitation/accept", "admin/session/provider",
                                      "admin/session/provider:make")
        if cell.principal in STRANGERS - {"operator", "looker"} and cell.probe.name.startswith("admin/") and not is_open:
            return instead(cell, self.at(cell, "operator"))

    def a_change_by_an_operator_who_only_looks(self, cell):
        rule = self.policy.rule(cell)
        if cell.principal == "looker" and cell.probe.name.startswith("admin/") and rule.outcomes == ["ACCESS_DENIED"]:
            return instead(cell, self.at(cell, "operator"))

    def a_user_who_is_not_asked_for(self, cell):
        member = self.at(cell, "creator")
        if cell.principal in STRANGERS and member is not None and member.answer.status == 200:
            if self.policy.rule(cell).page == "docs/sign-in.md" and cell.probe.route.startswith("POST /database"):
                return instead(cell, member)


def planted(leaks):
    names = [name for name in vars(Leaks) if not name.startswith("_") and name not in ("at", "is_hidden")]
    return [(name.replace("_", " "), getattr(leaks, name)) for name in names]


def missed(judge, cells):
    """What the judge did not find, as problems; prints how often each leak was found."""
    problems, leaks = [], Leaks(judge.policy, cells)
    for name, leak in planted(leaks):
        spoilt = [leaky for leaky in map(leak, cells) if leaky is not None]
        unseen = [cell for cell in spoilt if not judge.problems(cell)]
        print(f"  planted and found: {name}, in {len(spoilt) - len(unseen)} of {len(spoilt)} answers")
        if not spoilt:
            problems.append(f"control '{name}': there was no answer to plant it in")
        problems += [f"control '{name}': not found in {cell.name}: {cell.answer}" for cell in unseen]
    return problems


def unlisted(policy, routes, probes, principals, images):
    """Names that the table does not list have to be found."""
    extra = dataclasses.replace(routes[0], path="/_brume/planted")
    tries = {"an endpoint": ([*routes, extra], principals, images), "a principal": (routes, [*principals, "planted"], images),
             "an image": (routes, principals, [*images, "planted"])}
    problems = [f"control: {name} that policy.txt does not list was not found" for name, (some, who, what) in tries.items()
                if not any("planted" in problem for problem in policy.unlisted(some, probes, who, what))]
    return problems + [f"control: {name} was not found" for name, read in UNREADABLE.items() if not is_refused(read)]


# Rows that would be passed over, and rules that would promise what nobody has decided on.
UNREADABLE = {
    "a row of the list of endpoints that is not understood": lambda: read_routes(
        "| Method | Path | Caller | Work | Reading |\n|---|---|---|---|---|\n| GET | `/planted` | `user` | usual | |"),
    "an endpoint that is listed twice": lambda: Policy("[endpoints]\nGET /a :: a\nGET /a :: b"),
    **{f"'{outcome}' for whatever comes": lambda outcome=outcome: Policy(f"[groups]\n@a = b/*\n[rules]\n{outcome} | @a | - | * | * | - | -")
       for outcome in ("ok", "NOT_FOUND absent", "CONFLICT+shown")},
}


def is_refused(read):
    try:
        read()
    except SystemExit as refusal:
        return any(word in str(refusal) for word in ("not understood", "twice", "is for refusals"))
    return False


def unlisted_field(fields, cells):
    """A field that nobody decided on has to be found, on its own and deep in a record."""
    cell = next(cell for cell in cells if cell.probe.name == "records/lookup" and cell.principal == "creator"
                and cell.answer.items() and "fields" in cell.answer.items()[0])
    item = cell.answer.items()[0]
    spoilt = {"creatorEmail": "x"}, {"records": [{**item, "created": {**item["created"], "address": "x"}}]}
    return [f"control: a field that fields.txt does not list was not found: {members}" for members in spoilt
            if not fields.problems([changed(cell, **members)])]
