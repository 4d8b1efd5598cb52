"""What is stored, on the console: how a query was answered, the pickers of the place, what the system knows of a record."""
import os

from brume_server import expect
from console_page import SHIFT

SECOND = "iCloud.org.example.second"


def plan(tour):
    """Below a query stand the index that answered it and how many rows were looked at."""
    console = tour.console
    tour.phone.call("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": f"planned-{at}", "fields": {
            "text": {"value": "planned" if at < 3 else "other"}, "urgent": {"value": at}}}} for at in range(9)]}, "public")
    tour.open("records/public/-/_defaultZone/Note")
    console.see("table", "Note in _defaultZone")
    _condition(console, "text", "planned")
    console.see_text("from index text")
    console.see_text("3 rows looked at for 3 shown")
    tour.done("records-plan", "the index used, and the rows looked at")
    console.push("Remove the condition on text")
    _condition(console, "record name", "planned-4")
    console.see_text("1 row looked at for 1 shown")
    console.until("document.querySelector('tbody tr code')?.title === 'planned-4'", "a system field is asked about by its name")
    console.push("Remove the condition on record name")


def _condition(console, field, value):
    console.page.run("document.activeElement.blur()")
    console.press("/")
    console.focused("Field")
    console.press(field[0])
    console.press("Tab")
    console.press("Tab")
    console.type(value)
    console.press("Enter")


def system_fields(tour):
    console = tour.console
    tour.open("records/public/-/_defaultZone/Note", "?sel=planned-2")
    console.see("complementary", "planned-2")
    console.push("System")
    facts = tour.facts("Change tag")
    record = tour.phone.call("records/lookup", {"records": [{"recordName": "planned-2"}]}, "public")["records"][0]
    expect(facts["Record name"] == "planned-2" and facts["Type"] == "Note" and facts["Change tag"] == record["recordChangeTag"],
           "the record's name, its type and its change tag are seen by their names")
    expect(facts["by"] == "alice" and facts["on device"] == record["created"]["deviceID"], "and who made it on which device")
    when = tour.console.page.run(f"new Date({record['created']['timestamp']}).toISOString()")
    expect(facts["Created"] == when and facts["Modified"] >= when, "and when, to the millisecond")
    tour.done("records-system", "what the system knows of a record")


def pickers(tour):
    """Container, database, user and zone are chosen by keys alone."""
    console = tour.console
    _elsewhere(tour)
    tour.again("records/public/-/_defaultZone/Note")
    console.push("Private")
    console.until("location.hash.includes('/records/private/alice/')", "Private shows the first user's database")
    _pick(console, "Of", "b")
    console.until("location.hash.includes('/records/private/bob/_defaultZone')", "the user is chosen by a letter")
    console.until("[...document.querySelectorAll('select')].some((one) => [...one.options].some(({ text }) => text === 'Drafts'))",
                  "the zones of bob are offered")
    _pick(console, "Zone", "D")
    console.see("table", "Note in Drafts")
    console.until("document.querySelector('tbody tr code')?.title === 'of-bob'", "a record of bob's zone, reached by keys")
    tour.done("records-pickers", "the private zone of a user")
    console.page.run("document.querySelector('main h1').focus()")
    _pick(console, "Container", ["ArrowDown"], backwards=True)
    console.until(f"location.hash.startsWith('#/{SECOND}/development/records')", "the other container is chosen by a key")
    console.until("[...document.querySelectorAll('option')].some(({ text }) => text === 'Boat')", "the types of the other container")
    _pick(console, "Environment", "P")
    console.see_text("What you change here, users see at once")
    expect(True, "the pickers of container, environment, database, user and zone are used by keys")


def _elsewhere(tour):
    """Another container, and a zone of bob's."""
    path = os.path.join(tour.folder, "boats.ckdb")
    with open(path, "w") as file:
        file.write("DEFINE SCHEMA\n    RECORD TYPE Boat ( name STRING QUERYABLE );\n")
    tour.server.tool("token", "create", "boats", "--container", SECOND)
    tour.server.tool("schema", "import", path, "--container", SECOND)
    bob = tour.server.client("bob", "mac")
    bob.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Drafts"}}}]})
    bob.call("records/modify", {"zoneID": {"zoneName": "Drafts"}, "operations": [{"operationType": "create", "record": {
        "recordType": "Note", "recordName": "of-bob", "fields": {"text": {"value": "a draft"}}}}]})


def _pick(console, label, keys, backwards=False):
    """Goes to a picker and presses the beginning of an option, or an arrow."""
    for _ in range(90):
        console.press("Tab", SHIFT if backwards else 0)
        if console.page.run("document.activeElement.labels?.[0]?.innerText.split('\\n')[0]") == label:
            break
    else:
        raise SystemExit(f"FAILED: the keyboard does not reach the picker '{label}'")
    for key in keys:
        console.press(key)


WALKS = [plan, system_fields, pickers]
