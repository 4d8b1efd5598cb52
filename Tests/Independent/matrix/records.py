"""Probes of the endpoints that take records: each operation of a save is one of its own."""
from .cells import READ, WRITE, Probe
from .world import SECRETS, TYPES, ZONES

PATH = "/database/1/{container}/{environment}/{database}/"
# The private database makes no difference between what is shared and what is not.
ZONED = {"private": ("covered", "outside", "missing", "deleted", "nozone"), "shared": tuple(ZONES)}
IMAGES = {"public": tuple(TYPES), **ZONED}
OPERATIONS = ["create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"]
# A new record that refers to the image, and a share whose root it is.
RELATIONS = ["child", "hold", "cascade", "point", "share"]
# Where the records are that are written to: as Trails and Diary, so that those stay as they are.
FIELD = {"Trails": "Field", "Diary": "Attic", "Nowhere": "Nowhere"}


def target(image, operation, principal, database):
    """The record that one cell writes to: no two cells have the same."""
    return f"{image}.{operation}.{principal}.{database}"


def place(world, image, database, zones=None):
    """The zone of an image, named as a stranger has to name it."""
    if database == "public":
        return {}
    name = ZONES.get(image, "Trails")
    return {"zoneID": world.zone((zones or {}).get(name, name))}


def shows(world, image):
    return SECRETS[image]


def lookup(world, principal, image, database):
    return {"records": [{"recordName": f"{image}.main"}], **place(world, image, database)}, {}


def query(world, principal, image, database):
    kind = TYPES[image] if database == "public" else "Note"
    wanted = {"recordType": kind, "filterBy": [
        {"comparator": "EQUALS", "fieldName": "mark", "fieldValue": {"value": f"mark-{image}"}}]}
    return {"query": wanted, **place(world, image, database)}, {}


def next_query(body, answer):
    marker = answer.get("continuationMarker")
    return {**body, "continuationMarker": marker} if marker else None


def record_changes(world, principal, image, database):
    return {"zoneID": place(world, image, database)["zoneID"]} if database != "public" else {}, {}


def next_records(body, answer):
    return {**body, "syncToken": answer.json["syncToken"]} if answer.get("moreComing") else None


def zone_changes(world, principal, image, database):
    zone = place(world, image, database).get("zoneID", {"zoneName": "_defaultZone"})
    return {"zones": [{"zoneID": zone}]}, {}


def next_zone(body, answer):
    item = (answer.items() or [{}])[0]
    if not item.get("moreComing"):
        return None
    return {"zones": [{"zoneID": body["zones"][0]["zoneID"], "syncToken": item["syncToken"]}]}


def kind_of(image, database):
    return TYPES[image] if database == "public" else "Note"


def modify(operation):
    def build(world, principal, image, database):
        record = {"recordName": target(image, operation, principal, database), "fields": {"n": {"value": 1}},
                  "recordType": kind_of(image, database)}
        if operation in ("update", "replace", "delete"):
            # No record has it: whoever may write is answered CONFLICT, and nothing changes.
            record["recordChangeTag"] = "stale"
        if "elete" in operation:
            record = {key: record[key] for key in record if key not in ("fields", "recordType")}
        return {"operations": [{"operationType": operation, "record": record}], **place(world, image, database, FIELD)}, {}
    return build


def relation(operation):
    def build(world, principal, image, database):
        name = target(image, operation, principal, database)
        kind = "Note" if database != "public" else "World"
        record = {"recordName": f"new.{name}", "recordType": kind, "fields": {}}
        if operation == "child":
            record["parent"] = {"recordName": name}
        elif operation == "share":
            record.update(recordType="cloudkit.share", forRecord={"recordName": name}, publicPermission="NONE")
        else:
            action = {"hold": "VALIDATE", "cascade": "DELETE_SELF", "point": "NONE"}[operation]
            record["fields"]["other"] = {"type": "REFERENCE", "value": {"recordName": name, "action": action}}
            if database == "shared":
                # A record needs a parent there; this one is under the closed share.
                record["parent"] = {"recordName": "root-F"}
        return {"operations": [{"operationType": "create", "record": record}], **place(world, image, database, FIELD)}, {}
    return build


PROBES = [
    Probe("records/lookup", f"POST {PATH}records/lookup", READ, IMAGES, lookup, shows),
    Probe("records/query", f"POST {PATH}records/query", READ, IMAGES, query, shows, next_query),
    Probe("records/changes", f"POST {PATH}records/changes", READ, {**ZONED, "public": ("world",)}, record_changes, shows,
          next_records),
    Probe("changes/zone", f"POST {PATH}changes/zone", READ, {**ZONED, "public": ("world",)}, zone_changes, shows, next_zone),
    *[Probe(f"records/modify:{operation}", f"POST {PATH}records/modify", WRITE, IMAGES, modify(operation), shows)
      for operation in OPERATIONS],
    *[Probe(f"records/modify:{operation}", f"POST {PATH}records/modify", WRITE, IMAGES, relation(operation), shows)
      for operation in RELATIONS],
]


# MARK: Making what they are about

def batches(items, size=200):
    return [items[start:start + size] for start in range(0, len(items), size)]


def make(world, names):
    """The records that the probes are about: one to read of each image, and one for each cell that writes."""
    made = {}
    for database, images in IMAGES.items():
        for image in images:
            if image not in ("missing", "nozone"):
                make_all(world, image, database, [f"{image}.main"], None)
                wanted = [target(image, operation, name, database) for operation in OPERATIONS + RELATIONS for name in names]
                make_all(world, image, database, wanted, FIELD)
                if image != "deleted":
                    made.update({name: (image, database) for name in wanted})
    return made


def make_all(world, image, database, wanted, zones):
    if database == "private" and zones is None:
        return  # It reads the records of the shared one.
    author = "editor" if image == "edited" else "creator"
    parent = {"covered": "root-F", "joined": "root-G", "deleted": "root-F"} if zones else {
        "covered": "root-A", "joined": "root-B", "deleted": "root-A"}
    above = {"parent": {"recordName": parent[image]}} if database != "public" and image in parent else {}
    fields = {"secret": {"value": SECRETS[image]}, "mark": {"value": f"mark-{image}"}}
    where = place(world, image, database, zones)
    scope = "public" if database == "public" else "private"
    for some in batches(wanted):
        world.call(author, "records/modify", {**where, "operations": [{"operationType": "create", "record": {
            "recordName": name, "recordType": kind_of(image, database), "fields": fields, **above}} for name in some]}, scope)
        if image == "deleted":
            world.call(author, "records/modify", {**where, "operations": [
                {"operationType": "forceDelete", "record": {"recordName": name}} for name in some]}, scope)


def tags(world, made):
    """The change tags that the targets have now, as those see them who may."""
    found = {}
    for (image, database) in sorted(set(made.values())):
        names = [name for name in made if made[name] == (image, database)]
        author, scope = "editor" if image == "edited" else "creator", "public" if database == "public" else "private"
        for some in batches(names):
            answer = world.call(author, "records/lookup", {**place(world, image, database, FIELD), "records": [
                {"recordName": name} for name in some]}, scope, may_fail=True)
            found.update({item["recordName"]: item.get("recordChangeTag", "gone") for item in answer.items()})
    return found
