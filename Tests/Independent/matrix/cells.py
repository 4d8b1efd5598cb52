"""A cell of the matrix: one probe, asked by one principal, in one database, about one image.

A probe belongs to one endpoint; an endpoint that does several things, such as records/modify, has several. Probes of
CloudKit's endpoints are in `records.py` and `zones.py`, Brume's own in `ours.py`, the operator's in `operators.py`.
"""
import dataclasses
from typing import Callable

DATABASES = ("public", "private", "shared")
# What a probe does when it succeeds: shows something or not, changes something, or just answers.
READ, WRITE, ASK = "read", "write", "ask"


@dataclasses.dataclass(frozen=True)
class Probe:
    name: str
    # As in docs/reference/routes.md.
    route: str
    kind: str
    # The images to ask about, by database.
    images: dict
    # From world, principal, image and database to body and parameters.
    build: Callable
    # The text that shows the image, from world and image; none if an answer shows nothing.
    shows: Callable = None
    # Goes on while there are more pages.
    pages: Callable = None
    # Ends a session or the like: asked after all others.
    last: bool = False
    # The name of the file, where the path has one.
    file: str = ""


@dataclasses.dataclass
class Cell:
    probe: Probe
    principal: str
    image: str
    database: str
    answer: object = None
    request: tuple = None
    # What came as pages after the first, as text.
    more: str = ""

    @property
    def name(self):
        return f"{self.probe.name} | {self.database} | {self.principal} | {self.image}"

    @property
    def text(self):
        return self.answer.text + self.more

    def ask(self, world):
        method, path = self.probe.route.split(" ")
        body, query = self.probe.build(world, self.principal, self.image, self.database)
        principal = world.principals[self.principal]
        database = self.database if self.database != "-" else "public"
        self.request = principal.request(method, path, body, database, query, self.probe.file)
        self.answer = world.wire.ask(*self.request)
        following = self.answer
        # Pages end by themselves; this number only ends what would not.
        for _ in range(20):
            body = self.probe.pages(body, following) if self.probe.pages and following.status == 200 else None
            if body is None:
                break
            following = world.wire.ask(*principal.request(method, path, body, database, query))
            self.more += "\n" + following.text
        return self


def cells(probes, names):
    """Every combination, in an order that keeps what one principal does to one image together."""
    return [Cell(probe, principal, image, database)
            for principal in names for probe in probes
            for database, images in probe.images.items() for image in images]
