"""What the creator shares, and how the others come to their places: by invitation, by address, removed, left, blocked."""


class Shares:
    """Share `A` of zone Trails is closed, `B` is open to whoever has its address. `C` and `D` are the same again in
    zone Guests, for those who try to join; `Leave` is there to be left."""

    def __init__(self, world):
        self.world, self.guids, self.names = world, {}, {}
        zones = ["Trails", "Diary", "Guests", "Leave", "Ended"]
        world.call("creator", "zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": name}}} for name in zones]})
        people = ["reader", "writer", "invited", "removed", "left"]
        self.closed("Trails", "A", people)
        self.open("Trails", "B", "joiner")
        self.closed("Guests", "D", people)
        self.open("Guests", "C", "joiner")
        self.closed("Leave", "L", ["reader", "writer"])
        self.open("Ended", "E", "joiner")
        self.end("Ended", "E")

    def create(self, zone, name, record):
        """A root of its own, and the share."""
        root = {"recordName": f"root-{name}", "recordType": "Note", "createShortGUID": True,
                "fields": {"mark": {"value": "root"}}}
        share = {"recordName": f"share-{name}", "recordType": "cloudkit.share", "forRecord": {"recordName": f"root-{name}"},
                 "fields": {"cloudkit.title": {"value": f"title-of-{name}-4711"}}, **record}
        saved = self.world.call("creator", "records/modify", {"zoneID": {"zoneName": zone}, "atomic": True, "operations": [
            {"operationType": "create", "record": root}, {"operationType": "create", "record": share}]})
        self.guids[name] = saved.items()[1]["shortGUID"]
        return saved.items()[1]

    def closed(self, zone, name, people):
        def invitation(person):
            info = {"lookupInfo": {"emailAddress": self.world.emails[person]}}
            permission = "READ_WRITE" if person == "writer" else "READ_ONLY"
            return {"type": "USER", "permission": permission, "acceptanceStatus": "INVITED", "userIdentity": info}

        share = self.create(zone, name, {"publicPermission": "NONE", "participants": [invitation(p) for p in people]})
        for person in people:
            if person != "invited":
                self.accept(person, name)
        if "removed" in people:
            self.remove(zone, name, share)
            self.world.call("left", "records/modify", {"zoneID": self.world.zone(zone), "operations": [
                {"operationType": "forceDelete", "record": {"recordName": f"share-{name}"}}]}, "shared")

    def remove(self, zone, name, share):
        share = self.world.call("creator", "records/lookup", {"zoneID": {"zoneName": zone}, "records": [
            {"recordName": share["recordName"]}]}).items()[0]
        stay = [p for p in share["participants"] if p["userIdentity"].get("userRecordName") != self.world.users["removed"]]
        self.change(zone, share, {"participants": stay})

    def open(self, zone, name, joiner):
        """Whoever has the address joins, but for one who asked for access and was blocked."""
        share = self.create(zone, name, {"publicPermission": "NONE", "brume": {"allowsAccessRequests": True}})
        request = {"shortGUIDs": [{"value": self.guids[name]}]}
        for person in (joiner, "blocked"):
            answer = self.world.wire.ask(*self.world.principals[person].request("POST", "/_brume/shares/request", request))
            if answer.status != 200:
                raise SystemExit(f"FAILED: shares/request: {answer}")
        share = self.world.call("creator", "records/lookup", {"zoneID": {"zoneName": zone}, "records": [
            {"recordName": share["recordName"]}]}).items()[0]
        if len(share["brume"].get("requesters", [])) != 2:
            raise SystemExit(f"FAILED: nobody asked for access: {share}")
        self.change(zone, share, {"publicPermission": "READ_ONLY", "brume": {
            "allowsAccessRequests": True, "blocked": [self.world.users["blocked"]]}})
        self.accept(joiner, name)

    def change(self, zone, share, members):
        record = {"recordName": share["recordName"], "recordType": "cloudkit.share",
                  "recordChangeTag": share["recordChangeTag"], **members}
        self.world.call("creator", "records/modify", {"zoneID": {"zoneName": zone}, "operations": [
            {"operationType": "update", "record": record}]})

    def accept(self, person, name):
        self.world.call(person, "records/accept", {"shortGUIDs": [{"value": self.guids[name]}]}, "public")

    def end(self, zone, name):
        self.world.call("creator", "records/modify", {"zoneID": {"zoneName": zone}, "operations": [
            {"operationType": "forceDelete", "record": {"recordName": f"share-{name}"}}]})
