"""The world of which the matrix is asked: accounts, a schema, the records of one creator, and what is shared of them.

Each record has a secret text that says whose it is, so that every answer can be searched for what its reader may not
have. Records of the public database differ by their type's grants, those of zones by what shares cover.
"""
import json
import os

from brume_server import Server

from .answers import Wire
from .principals import USERS, Principal, principals
from .shares import Shares
from .signing import Key

FIELDS = ('secret STRING QUERYABLE SORTABLE, mark STRING QUERYABLE, n INT64 QUERYABLE, file ASSET, '
          'other REFERENCE QUERYABLE, "___recordID" REFERENCE QUERYABLE')
GRANTS = {"World": 'GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world"',
          "Members": 'GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_icloud"',
          "Edited": "GRANT READ, CREATE, WRITE TO editor",
          "Own": 'GRANT READ, CREATE, WRITE TO "_creator"',
          "Note": 'GRANT READ, CREATE, WRITE TO "_creator"'}
SCHEMA = ("DEFINE SCHEMA\nCREATE ROLE editor;\n"
          + "\n".join(f"RECORD TYPE {name} ({FIELDS}, {grants});" for name, grants in GRANTS.items()))
TYPES = {"world": "World", "members": "Members", "edited": "Edited", "own": "Own", "missing": "World",
         "deleted": "Own"}
ZONES = {"covered": "Trails", "joined": "Trails", "outside": "Trails", "missing": "Trails", "deleted": "Trails",
         "diary": "Diary", "nozone": "Nowhere"}
# Nobody guesses these; an answer that has one was not made from the request alone.
SECRETS = {image: f"secret-of-{image}-4711" for image in (*TYPES, *ZONES)}


class World:
    """Build it once a run. What the machines change in it they change in records of their own."""

    def __init__(self, binary, folder, store):
        # Nothing here is about time, and passwords are checked by a thread that gives way to all that runs beside this.
        extra = ["--courier-poll", "1", "--rate-user", "0", "--timeout-request", "600"]
        self.server = Server(binary, folder, store, extra).start()
        self.wire = Wire(self.server.address, timeout=600)
        with open(os.path.join(folder, "server.json")) as file:
            self.admin_token = json.load(file)["adminToken"]
        values = self.server.values
        self.home = (values["BRUME_CONTAINER"], "development")
        self.other, self.production = ("iCloud.org.example.other", "development"), (self.home[0], "production")
        self.users, self.tokens, self.emails = {}, {}, {}
        self._accounts()
        self._schema()
        self.principals = principals(self)
        self.shares = Shares(self)

    # MARK: Calls that must succeed

    def operate(self, path, body, place=None, method="POST"):
        operator = Principal("operator", place or self.home, bearer=self.admin_token)
        answer = self.wire.ask(*operator.request(method, f"/_brume/admin/{path}", body))
        if answer.status != 200:
            raise SystemExit(f"FAILED: admin/{path}: {answer}")
        return answer.json

    def call(self, name, endpoint, body, database="private", may_fail=False):
        """As a principal of the home container, to one of CloudKit's endpoints."""
        path = "/database/1/{container}/{environment}/{database}/" + endpoint
        answer = self.wire.ask(*self.principals[name].request("POST", path, body, database))
        failed = answer.status != 200 or any("serverErrorCode" in item for item in answer.items())
        if failed and not may_fail:
            raise SystemExit(f"FAILED: {endpoint} of {name}: {answer}")
        return answer

    def zone(self, name):
        return {"zoneName": name, "ownerRecordName": self.users["creator"]}

    # MARK: Building

    def _accounts(self):
        for name in [*USERS, "shy"]:
            self.emails[name] = f"{name}@matrix.example"
            user = self.operate("users", {"name": name, "email": self.emails[name], "givenName": f"Given-{name}",
                                          "familyName": "Matrix", "discoverable": name != "shy"})
            self.users[name] = user["recordName"]
            self.tokens[name] = self.sign_in(name, self.home)
        self.api_token = self.operate("tokens", {"name": "matrix"})["token"]
        self.revoked_api_token = self.operate("tokens", {"name": "old"})["token"]
        self.operate("tokens/revoke", {"token": "old"})
        self.other_api_token = self.operate("tokens", {"name": "other"}, self.other)["token"]
        self.production_api_token = self.operate("tokens", {"name": "production"}, self.production)["token"]
        self.other_token = self.sign_in("creator", self.other)
        self.production_token = self.sign_in("creator", self.production)
        self.key, self.revoked_key = self.make_key("matrix"), self.make_key("old")
        self.operate("keys/revoke", {"id": self.revoked_key.id})
        self.looker_token, self.former_token = [self.operate("operators/tokens", {"name": name, "role": role})["token"]
                                                for name, role in (("looker", "read-only"), ("former", "full"))]
        self.operate("operators/tokens/revoke", {"name": "former"})

    def sign_in(self, name, place):
        return self.operate("users/token", {"user": name}, place)["token"]

    def make_key(self, name):
        key = Key()
        key.id = self.operate("keys", {"name": name, "publicKey": key.public_pem()})["id"]
        return key

    def _schema(self):
        self.operate("schema", {"schema": SCHEMA})
        self.operate("schema", {"schema": SCHEMA}, self.other)
        self.operate("schema/deploy", {})
        self.operate("roles", {"role": "editor", "user": "editor", "on": True})

    def finish(self):
        """What ends somebody's rights, after everything was made."""
        self.operate("users/signout", {"user": "signedout"})
