"""Who asks: what each principal sends as proof, and in which container and environment it asks.

Who they are to the creator's records is made by `world.py`; what each may do is in `policy.txt`.
"""
import dataclasses
import json
import urllib.parse


@dataclasses.dataclass
class Principal:
    name: str
    # Container and environment in the path.
    place: tuple
    api_token: str = None
    web_token: str = None
    bearer: str = None
    key: object = None
    # The user's record name, where there is a user.
    user: str = None

    def request(self, method, path, body=None, database="public", query=None, file=""):
        """Method, target, body and headers of a request to a path of the route table."""
        container, environment = self.place
        parameters = dict(query or {})
        if path.startswith("/_brume/") and "{" not in path:
            parameters = {"container": container, "environment": environment, **parameters}
        path = path.format(container=container, environment=environment, database=database, file=file, name="core" if "{file}" in path else "app.js")
        if self.api_token:
            parameters["ckAPIToken"] = self.api_token
        if self.web_token:
            parameters["ckWebAuthToken"] = self.web_token
        if self.user:
            parameters["clientId"] = f"device-{self.name}"
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.bearer}"} if self.bearer else {}
        if self.key is not None:
            headers.update(self.key.headers(path, data))
        target = f"{path}?{urllib.parse.urlencode(parameters)}" if parameters else path
        return method, target, data if method in ("POST", "PUT") else None, headers


USERS = ["creator", "editor", "reader", "writer", "joiner", "invited", "blocked", "removed", "left", "other",
         "signedout"]


def principals(world):
    """All of them, by name."""
    home, token = world.home, world.api_token
    made = [Principal("nobody", home), Principal("token", home, token),
            Principal("revoked", home, world.revoked_api_token, world.tokens["creator"]),
            Principal("foreign", home, world.other_api_token, world.other_token),
            Principal("mixed", home, token, world.other_token),
            Principal("forged", home, token, damaged(world.tokens["creator"])),
            Principal("abroad", world.other, world.other_api_token, world.other_token, user=world.users["creator"]),
            Principal("production", world.production, world.production_api_token, world.production_token,
                      user=world.users["creator"]),
            Principal("key", home, key=world.key), Principal("revokedkey", home, key=world.revoked_key),
            Principal("operator", home, bearer=world.admin_token), Principal("looker", home, bearer=world.looker_token),
            Principal("former", home, bearer=world.former_token)]
    made += [Principal(name, home, token, world.tokens[name], user=world.users[name]) for name in USERS]
    return {principal.name: principal for principal in made}


def damaged(token):
    """The same with another seal."""
    return token[:-8] + ("A" * 8 if token[-8:] != "A" * 8 else "B" * 8)
