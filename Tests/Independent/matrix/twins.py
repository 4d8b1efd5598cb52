"""One story, played at two servers: in one of them there are records that the watchers may not see, in the other not.

Whoever watches may not be able to find out which of the two he is asking. What is hidden lies between what is not: before
it, after it and under the same values, so that counting, sorting and paging meet it.
"""
from .records import batches
from .world import World

WATCHERS = ["other", "token", "key", "reader", "writer", "joiner"]
VISIBLE, HIDDEN = 12, 30


class Twin(World):
    """A world with or without what is hidden."""

    def __init__(self, binary, folder, store, hidden):
        self.hidden = hidden
        super().__init__(binary, folder, store)
        for zone in ("Field", "Attic"):
            self.save_zone(zone)
        self.shares.closed("Field", "F", ["reader", "writer"])
        self._public()
        self._zones()

    def save_zone(self, name):
        self.call("creator", "zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]})

    def save(self, author, records, zone=None, kind="create"):
        where = {"zoneID": {"zoneName": zone}} if zone else {}
        for some in batches(records):
            self.call(author, "records/modify", {**where, "operations": [
                {"operationType": kind, "record": record} for record in some]}, "private" if zone else "public")

    def hide(self, author, records, zone=None, kind="create"):
        """The same, where there is something hidden."""
        if self.hidden:
            self.save(author, records, zone, kind)

    def _public(self):
        for number in range(VISIBLE):
            # In the order of their names and numbers, hidden ones come before, between and after the others.
            self.hide("creator", [record("Own", f"n{number:02}-hidden-{more}", number) for more in range(HIDDEN // VISIBLE + 1)])
            self.hide("editor", [record("Edited", f"n{number:02}-edited", number)])
            self.save("creator", [record("World", f"n{number:02}-world", number), record("Members", f"n{number:02}-members", number)])
            for name in ("other", "reader"):
                self.save(name, [record("Own", f"n{number:02}-own-of-{name}", number)])
        self.hide("creator", [{**record("Own", "holder", 1), "parent": {"recordName": "n03-hidden-0"}}])

    def _zones(self):
        for number in range(VISIBLE):
            self.hide("creator", [record("Note", f"n{number:02}-hidden-{more}", number) for more in range(HIDDEN // VISIBLE + 1)],
                      "Trails")
            self.save("creator", [record("Note", f"n{number:02}-under-A", number, "root-A"),
                                  record("Note", f"n{number:02}-under-B", number, "root-B")], "Trails")
            self.hide("creator", [record("Note", f"n{number:02}-diary", number)], "Diary")
        self.hide("creator", [record("Note", "below-hidden", 3, "n03-hidden-0")], "Trails")
        self.save("creator", [record("Note", "swing", 5, "root-A"), record("Note", "leaving", 5, "root-A")], "Trails")


def record(kind, name, number, parent=None):
    fields = {"secret": {"value": f"text {number % 4}"}, "mark": {"value": f"mark {number % 3}"}, "n": {"value": number}}
    above = {"parent": {"recordName": parent}} if parent else {}
    return {"recordType": kind, "recordName": name, "fields": fields, **above}


class Story:
    """What happens while the watchers listen: each hidden event beside one that is not."""

    def __init__(self, world):
        self.world = world

    def play(self):
        world = self.world
        for step in range(4):
            world.hide("creator", [record("Own", f"push-{step}-hidden", step)])
            world.save("creator", [record("World", f"push-{step}", step)])
            world.hide("creator", [record("Note", f"push-{step}-hidden", step)], "Trails")
            world.save("creator", [record("Note", f"push-{step}-A", step, "root-A")], "Trails")
            world.hide("creator", [record("Note", f"push-{step}-hidden", step)], "Diary")
            world.hide("editor", [record("Edited", f"push-{step}-edited", step)])
        world.hide("creator", [record("Own", "push-0-hidden", 9)], kind="forceUpdate")
        world.hide("creator", [record("Note", "push-1-hidden", 9)], "Trails", "forceUpdate")
        world.save("creator", [record("World", "push-1", 9)], kind="forceUpdate")
        world.save("creator", [record("Note", "push-1-A", 9)], "Trails", "forceUpdate")
        for zone in (None, "Trails"):
            world.hide("creator", [{"recordName": "push-2-hidden"}], zone, "forceDelete")
        world.save("creator", [{"recordName": "push-2"}], kind="forceDelete")
        world.save("creator", [{"recordName": "push-2-A"}], "Trails", "forceDelete")
        # The last of all: who has its push has all others.
        world.save("creator", [record("World", "last", 99)])

    def take_away(self):
        """Records that were visible: hidden in one world, deleted in the other."""
        world = self.world
        for name in ("swing", "leaving"):
            if world.hidden:
                world.save("creator", [{"recordName": name, "recordType": "Note", "parent": {}}], "Trails", "forceUpdate")
            else:
                world.save("creator", [{"recordName": name}], "Trails", "forceDelete")
