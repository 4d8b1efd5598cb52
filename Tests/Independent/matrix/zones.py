"""Probes of CloudKit's other endpoints: zones, shares, subscriptions, assets, users, push tokens."""
from .cells import ASK, DATABASES, READ, WRITE, Probe
from .records import PATH, place

ZONES = {"covered": "Trails", "diary": "Diary", "nozone": "Nowhere", "ended": "Gone"}
ZONE_IMAGES = {database: tuple(ZONES) for database in DATABASES}
GUIDS = {"closedshare": "D", "openshare": "C", "endedshare": "E"}
SHARE_IMAGES = {database: (*GUIDS, "noshare") for database in DATABASES}
SUBSCRIPTION_IMAGES = {database: ("creators", "missing") for database in DATABASES}
PEOPLE = {"discoverable": "other", "shy": "shy", "nobody": None}
PEOPLE_IMAGES = {database: tuple(PEOPLE) for database in DATABASES}
ANY = {database: ("any",) for database in DATABASES}


def nothing(world, principal, image, database):
    return {}, {}


def none(world, principal, image, database):
    return None, {}


def zone_shown(world, image):
    return f'"zoneName":"{ZONES[image]}"'


def zones_named(world, principal, image, database):
    return {"zones": [world.zone(ZONES[image])]}, {}


def zone_made(world, principal, image, database):
    name = ZONES[image] if image != "nozone" else f"New-{principal}-{database}"
    owner = {"ownerRecordName": world.users["creator"]} if image != "nozone" else {}
    return {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name, **owner}}}]}, {}


def zone_deleted(world, principal, image, database):
    # In the shared database that is leaving; in the private one each deletes a zone that is there for him alone.
    kept = "Leave" if database == "shared" else f"Drop-{principal}"
    name = kept if image == "covered" else f"Spare-{principal}-{database}" if image == "diary" else ZONES[image]
    return {"operations": [{"operationType": "delete", "zone": {"zoneID": world.zone(name)}}]}, {}


def next_zones(key):
    def pages(body, answer):
        return {key: answer.json[key]} if answer.get("moreComing") else None
    return pages


def shares(world, principal, image, database):
    value = world.shares.guids.get(GUIDS.get(image), "0" * 25)
    return {"shortGUIDs": [{"value": value, "shouldFetchRootRecord": True}]}, {}


def share_shown(world, image):
    return f"title-of-{GUIDS.get(image, 'none')}-4711"


def subscription_name(image, database):
    return f"subscription-of-creator-{database}" if image == "creators" else "subscription-of-nobody"


def subscription_lookup(world, principal, image, database):
    return {"subscriptions": [{"subscriptionID": subscription_name(image, database)}]}, {}


def subscription(identifier, database):
    """One that everybody may have where he may have any."""
    made = {"subscriptionID": identifier, "notificationInfo": {"shouldSendContentAvailable": True}}
    if database == "public":
        return {**made, "subscriptionType": "query", "firesOn": ["create"], "query": {"recordType": "World", "filterBy": [
            {"comparator": "EQUALS", "fieldName": "mark", "fieldValue": {"value": identifier}}]}}
    return {**made, "subscriptionType": "database"}


def subscription_made(world, principal, image, database):
    kind = {"operationType": "create", "subscription": subscription(f"of-{principal}-{database}", database)}
    return {"operations": [kind]}, {}


def subscription_deleted(world, principal, image, database):
    name = f"spare-of-creator-{database}" if image == "creators" else "subscription-of-nobody"
    return {"operations": [{"operationType": "delete", "subscription": {"subscriptionID": name}}]}, {}


def upload(world, principal, image, database):
    return {"tokens": [{"recordType": "World" if database == "public" else "Note", "fieldName": "file"}],
            **place(world, image, database)}, {}


def rereference(world, principal, image, database):
    return {"assets": [{"recordName": f"{image}.main", "fieldName": "file"}], **place(world, image, database)}, {}


def person(key, wrap):
    def build(world, principal, image, database):
        name = PEOPLE[image]
        values = {"emailAddress": world.emails.get(name, "nobody@matrix.example"),
                  "userRecordName": world.users.get(name, "_" + "0" * 32)}
        return {wrap: [{key: values[key]}]}, {}
    return build


def person_shown(world, image):
    return f"Given-{PEOPLE[image]}"


def token_made(world, principal, image, database):
    return {"apnsEnvironment": world.principals[principal].place[1], "clientId": f"device-{principal}"}, {}


def token_registered(world, principal, image, database):
    token = "".join(f"{ord(letter) % 16:x}" for letter in f"{principal}{database}").ljust(64, "0")
    return {"apnsEnvironment": world.principals[principal].place[1], "apnsToken": token, "clientId": f"device-{principal}"}, {}


def both(name, path, kind, images, build, shown=None, pages=None):
    """Of an endpoint that takes GET, too."""
    return [Probe(name, f"POST {path}", kind, images, build, shown, pages),
            Probe(f"{name}:get", f"GET {path}", kind, images, none, shown)]


FILES = {"public": ("world", "own", "missing"), "private": ("covered", "outside", "missing", "nozone"),
         "shared": ("covered", "outside", "missing", "nozone")}
PLACES = {"public": ("any",), "private": ("covered", "diary", "nozone"), "shared": ("covered", "diary", "nozone")}

PROBES = [
    *both("zones/list", f"{PATH}zones/list", READ, ZONE_IMAGES, nothing, zone_shown),
    Probe("zones/lookup", f"POST {PATH}zones/lookup", READ, ZONE_IMAGES, zones_named, lambda w, i: '"syncToken"'),
    Probe("zones/changes", f"POST {PATH}zones/changes", READ, ZONE_IMAGES, nothing, zone_shown, next_zones("metaSyncToken")),
    *both("changes/database", f"{PATH}changes/database", READ, ZONE_IMAGES, nothing, zone_shown, next_zones("syncToken")),
    Probe("records/resolve", f"POST {PATH}records/resolve", READ, SHARE_IMAGES, shares, share_shown),
    Probe("records/accept", f"POST {PATH}records/accept", READ, SHARE_IMAGES, shares, share_shown),
    *both("subscriptions/list", f"{PATH}subscriptions/list", READ, SUBSCRIPTION_IMAGES, nothing,
          lambda w, i: f"subscription-of-{'creator' if i == 'creators' else 'nobody'}"),
    Probe("subscriptions/lookup", f"POST {PATH}subscriptions/lookup", READ, SUBSCRIPTION_IMAGES, subscription_lookup,
          lambda w, i: '"subscriptionType"'),
    Probe("subscriptions/lookup:environment", "POST /database/1/{container}/{environment}/subscriptions/lookup", READ,
          {"-": ("creators", "missing")}, lambda w, p, i, d: subscription_lookup(w, p, i, "private"),
          lambda w, i: '"subscriptionType"'),
    Probe("subscriptions/modify:create", f"POST {PATH}subscriptions/modify", WRITE, ANY, subscription_made),
    Probe("subscriptions/modify:delete", f"POST {PATH}subscriptions/modify", WRITE, SUBSCRIPTION_IMAGES, subscription_deleted),
    Probe("assets/upload", f"POST {PATH}assets/upload", ASK, PLACES, upload),
    Probe("assets/rereference", f"POST {PATH}assets/rereference", READ, FILES, rereference, lambda w, i: '"receipt"'),
    *both("users/caller", f"{PATH}users/caller", ASK, ANY, nothing),
    *both("users/current", f"{PATH}users/current", ASK, ANY, nothing),
    Probe("users/discover", f"POST {PATH}users/discover", READ, PEOPLE_IMAGES, person("emailAddress", "lookupInfos"), person_shown),
    Probe("users/discover:get", f"GET {PATH}users/discover", ASK, ANY, none),
    Probe("users/lookup/email", f"POST {PATH}users/lookup/email", READ, PEOPLE_IMAGES, person("emailAddress", "users"), person_shown),
    Probe("users/lookup/id", f"POST {PATH}users/lookup/id", READ, PEOPLE_IMAGES, person("userRecordName", "users"), person_shown),
    *both("users/lookup/contacts", f"{PATH}users/lookup/contacts", ASK, ANY, nothing),
    *[Probe(f"tokens/{verb}:{name}", f"POST {base}tokens/{verb}", ASK, ANY if "{database}" in base else {"-": ("any",)}, build)
      for name, base in [("device", "/device/1/{container}/{environment}/"),
                         ("environment", "/database/1/{container}/{environment}/"), ("database", PATH)]
      for verb, build in [("create", token_made), ("register", token_registered)]],
]
# After all that looks at zones: who makes one of these names has a zone of his own.
LAST = [
    Probe("zones/modify:create", f"POST {PATH}zones/modify", WRITE, ZONE_IMAGES, zone_made),
    Probe("zones/modify:delete", f"POST {PATH}zones/modify", WRITE, ZONE_IMAGES, zone_deleted),
]


def make(world, names):
    """The zones and subscriptions that the probes are about."""
    zones = ["Field", "Attic", "Gone", *[f"Drop-{name}" for name in names],
             *[f"Spare-{name}-{database}" for name in names for database in DATABASES]]
    world.call("creator", "zones/modify", {"operations": [
        {"operationType": "create", "zone": {"zoneID": {"zoneName": name}}} for name in zones]})
    world.call("creator", "zones/modify", {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": "Gone"}}}]})
    world.shares.closed("Field", "F", ["reader", "writer", "invited", "removed", "left"])
    world.shares.open("Field", "G", "joiner")
    for database in DATABASES:
        made = [subscription(f"subscription-of-creator-{database}", database)]
        if database != "shared":
            # The shared database takes one subscription only.
            spare = subscription(f"spare-of-creator-{database}", database)
            made.append({**spare, **({"subscriptionType": "zone", "zoneID": {"zoneName": "Diary"}} if database == "private" else {})})
        world.call("creator", "subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": each} for each in made]}, database)
