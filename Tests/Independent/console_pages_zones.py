"""Zones and shares on the console: how much is in a zone and when it changed last, and who takes part with which rights."""
from brume_server import expect

ZONE = {"zoneName": "Notebook"}


def sizes(tour):
    console = tour.console
    tour.phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    _save(tour, "first", "x" * 2000)
    _save(tour, "second", "y" * 1000)
    tour.open("zones/alice")
    tour.see_cell("Zones of alice", "Notebook", "Records", "2", "how many records are in a zone")
    before = tour.cell("Zones of alice", "Notebook", "Stored")
    expect(before == "3.0 KB", f"and how much they take: {before}")
    saved = _save(tour, "third", "z" * 4000)
    tour.again("zones/alice/Notebook")
    console.see("complementary", "Notebook")
    facts = tour.facts("Last change")
    expect(facts["Records"] == "3" and facts["Stored"] == "7.0 KB", f"after a save one more, and larger: {facts['Stored']}")
    when = console.page.run(f"new Date({saved['modified']['timestamp']}).toISOString()")
    expect(facts["Last change"] == when, "and the last change is that save's, to the millisecond")
    title = ("[...document.querySelectorAll('tbody tr')].find((row) => row.innerText.includes('Notebook'))"
             ".querySelector('span[title]').title")
    expect(console.page.run(title) == when, "in the table too")
    tour.done("zones-sizes", "size, count and last change of a zone")


def _save(tour, name, text):
    return tour.phone.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": name, "fields": {"text": {"value": text}}}}]})["records"][0]


def participants(tour):
    """Two were invited with different rights; one has accepted, the other does so on the page."""
    console = tour.console
    tour.server.tool("user", "create", "dora", "--email", "dora@example.org")
    tour.server.tool("user", "change", "bob", "--email", "bob@example.org")
    invited = [{"type": "USER", "permission": permission, "acceptanceStatus": "INVITED",
                "userIdentity": {"lookupInfo": {"emailAddress": f"{name}@example.org"}}}
               for name, permission in (("bob", "READ_WRITE"), ("dora", "READ_ONLY"))]
    share = tour.phone.call("records/modify", {"zoneID": ZONE, "operations": [{"operationType": "create", "record": {
        "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "publicPermission": "NONE", "fields": {},
        "participants": invited}}]})["records"][0]
    tour.again("zones/alice/Notebook")
    console.see_text("Share of the whole zone")
    _see_people(tour, {"alice": "", "bob": "read write, invited", "dora": "read only, invited"}, "whoever was invited, with which rights")
    tour.server.client("bob", "mac").call("records/accept", {"shortGUIDs": [{"value": share["shortGUID"]}]}, "public")
    tour.again("zones/alice/Notebook")
    _see_people(tour, {"alice": "", "bob": "read write", "dora": "read only, invited"}, "who has accepted stands without the word")
    console.choose("Accept as", "dora")
    console.page.run("performance.clearResourceTimings()")
    console.push("Accept")
    console.see_text("dora takes part now")
    accepted = "performance.getEntriesByType('resource').map((each) => each.name).filter((name) => name.includes('/records/accept'))"
    addresses = console.page.run(accepted)
    expect(len(addresses) == 1 and "ckWebAuthToken" not in addresses[0], "no address has the user's token")
    _see_people(tour, {"alice": "", "bob": "read write", "dora": "read only"}, "accepted as a user by keys")
    expect(tour.cell("Zones of alice", "Notebook", "Sharing") == "one share, 3 people", "the table counts them")
    tour.done("zones-participants", "the tree of a share with the rights of each")
    console.push("What dora sees")
    console.see("table", "Zones of dora")
    expect(console.has("cell", "Notebook"), "and one key leads to what the user sees")
    console.page.run("document.activeElement.blur()")
    console.press("l")
    console.press("Enter")
    console.see("complementary", "Notebook")
    _see_people(tour, {"alice": "", "bob": "read write", "dora": "read only"}, "seen by who takes part as by its owner")
    tour.done("zones-shared", "a zone that somebody shares with the user")



def _see_people(tour, wanted, what):
    """The tree below a share: each person, and the badge behind the name."""
    script = """Object.fromEntries([...document.querySelectorAll(".tree ul > li")].map((person) =>
      [person.querySelector("b").innerText, person.querySelector(".badge")?.innerText.trim() ?? ""]))"""
    try:
        tour.browser.wait(lambda: tour.console.page.run(script) == wanted)
    except SystemExit:
        raise SystemExit(f"FAILED: {what}: {tour.console.page.run(script)} and not {wanted}")
    expect(True, f"the tree of a share: {what}")


WALKS = [sizes, participants]
