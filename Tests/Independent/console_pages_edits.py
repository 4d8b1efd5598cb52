"""Edits on the console that must change nothing else: they stay in their place, are made once, keep what is typed meanwhile and
what is not shown of a value, and what somebody else has done."""
import contextlib
import json

import console_states
from brume_server import expect
from console_page import CONTROL

NOTES = "records/public/-/_defaultZone/Note"
PRIVATE = "records/private/alice/_defaultZone/Note"
BIG = 9007199254740993
SAVE = "document.querySelector('.inspector button.save')"
# A list of users that ends before the one who made the record.
FEW_USERS = """(() => {
  const real = window.fetch;
  const few = { users: [{ name: "aaron", recordName: "_aaron" }], after: "aaron" };
  window.fetch = async (address, options) => /admin.users[?]limit=200/.test(address)
    ? new Response(JSON.stringify(few), { headers: { "content-type": "application/json" } }) : real(address, options);
})()"""
# A record that the server cannot read: an error stands in its place.
DAMAGED = """(() => {
  const real = window.fetch;
  const damaged = { recordName: "above", serverErrorCode: "INTERNAL_ERROR", reason: "record 'above' is damaged in the storage" };
  window.fetch = async (address, options) => {
    const answer = await real(address, options);
    if (!/admin.records.(query|lookup)/.test(address)) return answer;
    const page = await answer.json();
    page.records = page.records.map((record) => (record.recordName === "above" ? damaged : record));
    return new Response(JSON.stringify(page), { headers: { "content-type": "application/json" } });
  };
})()"""


def field(name):
    return f"document.getElementById('value-{name}')"


def write(console, name, text):
    """Types over a field of the record that is open."""
    console.until(f"{field(name)} !== null", f"'{name}' can be edited")
    console.page.run(f"{field(name)}.focus()")
    console.replace(text)


def ask(tour, endpoint, body, database="private"):
    # Between two calls may be more time than a connection is kept.
    tour.phone.connection = None
    return tour.phone.call(endpoint, body, database)


def stored(tour, name, database="public"):
    return ask(tour, "records/lookup", {"records": [{"recordName": name}]}, database)["records"][0]


def create(tour, name, fields, database="public", **more):
    record = {"recordType": "Note", "recordName": name, "fields": fields, **more}
    made = ask(tour, "records/modify", {"operations": [{"operationType": "create", "record": record}]}, database)["records"][0]
    if "serverErrorCode" in made:
        raise SystemExit(f"FAILED: {made}")
    return made


@contextlib.contextmanager
def answered_by(tour, script, page, query=""):
    """A page that is loaded anew with a script before its own."""
    script = tour.console.do("Page.addScriptToEvaluateOnNewDocument", source=script)["identifier"]
    tour.again(page, query)
    yield
    tour.console.do("Page.removeScriptToEvaluateOnNewDocument", identifier=script)


def places(tour):
    """A draft belongs to its database as well, and a dialog to what it was asked about."""
    console = tour.console
    for database in ("public", "private"):
        create(tour, "twin", {"text": {"value": database}}, database)
    tour.again(NOTES, "?sel=twin")
    write(console, "text", "edited")
    tour.open(PRIVATE, "?sel=twin")
    console.until(f"{field('text')}?.value === 'private'", "a record of the same name elsewhere is not edited")
    tour.open(NOTES, "?sel=twin")
    console.until(f"{field('text')}?.value === 'edited'", "and the draft is there when one comes back")
    console.push("Delete the record")
    console.focused("Type ")
    console.page.run("history.back()")
    console.until("location.hash.includes('/private/') && document.querySelector('dialog') === null", "Back closes what asks")
    expect(stored(tour, "twin")["fields"]["text"]["value"] == "public", "an edit stays in its place, and a dialog too")


def values(tour):
    """A time beyond all dates, 64 bits, lines, a place with more than is typed: shown, and kept by an edit and by Restore."""
    console = tour.console
    create(tour, "above", {})
    create(tour, "odd", {
        "at": {"value": 9_000_000_000_000_000, "type": "TIMESTAMP"}, "big": {"value": BIG, "type": "INT64"},
        "lines": {"value": "one\ntwo"}, "words": {"value": ["a", "", "b"], "type": "STRING_LIST"},
        "spot": {"value": {"latitude": 1, "longitude": 2, "altitude": 3}, "type": "LOCATION"}}, parent={"recordName": "above"})
    tour.again(NOTES, "?sel=odd")
    console.until(f"{field('big')}?.value === '{BIG}' && {field('lines')}.value === 'one\\ntwo'", "all of a value is shown")
    expect(console.page.run(f"{field('at')}.value") == "9000000000000000", "a time that is no date is its number")
    write(console, "spot", "53,55, 10,0")
    console.see_text("A place looks like 53.55, 10.0")
    write(console, "spot", "1, 4")
    write(console, "words", "a\n\nc")
    console.press("s", CONTROL)
    console.see_text("odd is saved")
    fields = stored(tour, "odd")["fields"]
    expect(fields["spot"]["value"] == {"latitude": 1, "longitude": 4, "altitude": 3} and fields["words"]["value"] == ["a", "", "c"],
           f"an edit keeps what is not typed {fields}")
    # What is restored is what was deleted, and not what the list has shown.
    ask(tour, "records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
        "recordType": "Note", "recordName": "odd", "fields": {"text": {"value": "newest"}}}}]}, "public")
    console.push("Delete the record")
    console.focused("Type ")
    console.type("odd")
    console.press("Enter")
    console.see_text("odd was deleted")
    console.push("Restore")
    console.see_text("odd is back")
    found = stored(tour, "odd")
    expect({name: value["value"] for name, value in found["fields"].items()} == {
        **{name: value["value"] for name, value in fields.items()}, "text": "newest"} and found["parent"]["recordName"] == "above",
           f"a record that is restored is what was deleted {found}")


def share(tour):
    """A share is of no type that a schema lists."""
    zone = {"zoneName": "Held"}
    ask(tour, "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    ask(tour, "records/modify", {"zoneID": zone, "operations": [{"operationType": "create", "record": {
        "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "publicPermission": "NONE", "fields": {}}}]})
    tour.open("records/private/alice/Held/cloudkit.share", "?sel=cloudkit.zoneshare")
    tour.console.see_text("cloudkit.share, by")
    tour.console.see("link", "its zone")
    expect("no fields yet" not in tour.console.text() and not tour.console.has("button", "Save"),
           "a link to a share shows it, and where it is changed")


def damage(tour):
    """A damaged record is no record without fields."""
    with answered_by(tour, DAMAGED, NOTES, "?sel=above"):
        tour.console.see_text("record 'above' is damaged in the storage")
        tour.console.see_text("cannot be read")
    expect(True, "a damaged record says that it is")


def once(tour):
    """Two clicks make one record; what is typed until the answer comes is kept and saved next, over one's own save."""
    console = tour.console
    tour.again(NOTES, "?new=1")
    write(console, "text", "twice")
    console.page.run(f"{SAVE}.click(); {SAVE}.click()")
    console.see_text(" is saved")
    asked = {"recordType": "Note", "filterBy": [{"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": "twice"}}]}
    found = ask(tour, "records/query", {"query": asked}, "public")["records"]
    expect(len(found) == 1, f"two clicks on Save make one record, not {len(found)}")
    with answered_by(tour, console_states.HELD, NOTES, "?sel=above"):
        console_states.hold(console, "admin/records/modify", "POST")
        write(console, "text", "one")
        console.press("s", CONTROL)
        console.until("heldAnswers.length === 1", "it is saved")
        console.page.run("sessionStorage.removeItem('test.held')")
        write(console, "text", "one two")
        console.page.run(console_states.RELEASE)
        console.see_text("above is saved")
        expect(console.page.run(f"{field('text')}.value") == "one two", "what is typed while a save is under way is kept")
        console.press("s", CONTROL)
        console.until(f"{SAVE}?.disabled && {field('text')}?.value === 'one two'", "and saved next, without a conflict")
    expect(stored(tour, "above")["fields"]["text"]["value"] == "one two", "two saves after each other are both made")


def roles(tour):
    """Who acts as somebody makes nothing; a change stands under its creator's name, whom the list of users may lack."""
    console = tour.console
    tour.open(NOTES, "?as=bob")
    console.see("table", "Note in _defaultZone")
    console.page.run("document.activeElement.blur()")
    console.press("n")
    expect(not console.page.run("location.hash.includes('new=1')") and not console.has("button", "New record"),
           "with somebody's rights nothing is made")
    tour.open(NOTES, "?new=1")
    write(console, "text", "hidden")
    console.page.run("document.getElementById('field-type').focus()")
    console.replace("Boat")
    console.page.run("document.getElementById('field-record-name').focus()")
    console.type("boat")
    console.press("s", CONTROL)
    console.see_text("boat is saved")
    expect(stored(tour, "boat")["fields"] == {}, "what was typed for another type, and is not seen, is not saved")
    with answered_by(tour, FEW_USERS, NOTES, "?sel=above"):
        write(console, "text", "three")
        console.press("s", CONTROL)
        console.see_text("above is saved")
    found = stored(tour, "above")
    expect(found["modified"]["userRecordName"] == found["created"]["userRecordName"], "a change is made under the creator's name")


def deletions(tour):
    """The answer about other days than those that stand there comes too late."""
    console = tour.console
    create(tour, "gone", {}, "private")
    ask(tour, "records/modify", {"operations": [{"operationType": "forceDelete", "record": {"recordName": "gone"}}]})
    with answered_by(tour, console_states.HELD, "zones/alice", "?tab=deletions"):
        console_states.hold(console, "deletions/forget", "POST")
        console.tab_to("Older than, in days")
        console.replace("0")
        console.press("Enter")
        console.until("heldAnswers.length === 1", "it is counted")
        console.page.run("sessionStorage.removeItem('test.held')")
        console.replace("36500")
        console.press("Enter")
        console.see_text("0 deletions of 0 zones would be forgotten")
        console.page.run(f"{console_states.RELEASE}; new Promise((resolve) => setTimeout(resolve))")
        console.see_text("0 deletions of 0 zones would be forgotten")
        expect(not console.has("button", "Forget…"), "what is forgotten is what was counted for these days")
        console.replace("-")
        console.see_text("Type whole days, or nothing")
        expect(console.page.run("document.querySelector('main form [type=submit]').disabled"), "what is no number is not counted")


def schema(tour):
    """A text that was begun before somebody else changed the schema."""
    console = tour.console
    tour.again("schema/Note")
    console.push("Edit the text")
    console.focused("Schema")
    text = console.page.run("document.activeElement.value")
    console.replace(text.replace("RECORD TYPE Note (", "RECORD TYPE Note (\n        mine STRING,"))
    console.open(tour.place.replace("/development", "/production") + "/schema")
    expect(not console.page.run("document.querySelector('textarea.mono') !== null"), "a text is not edited in another environment")
    tour.open("schema/Note")
    tour.server.tool("schema", "index", "remove", "Note", "urgent", "sortable")
    console.until("document.querySelector('.editor button.primary')?.disabled === false", "the text can be saved")
    console.push("Save the schema")
    console.see_text("The schema has changed since this text was begun")
    console.see("region", "What others have changed")
    now = tour.server.tool("schema", "show")
    urgent = next(line for line in now.split("\n") if "urgent" in line)
    expect("SORTABLE" not in urgent and "mine" not in now, "what somebody else changed is shown before it is undone")
    console.push("Discard")


def live(tour):
    """An event that comes before the answer does not stop what is asked."""
    console = tour.console
    with answered_by(tour, console_states.HELD, "start"):
        console_states.hold(console, "admin/usage?", "GET")
        console.page.run(f"location.hash = '{tour.place}/usage'")
        console.until("heldAnswers.length === 1", "usage is asked for")
        console.page.run("import('/_brume/console/core/calls.js').then(({ refresh }) => refresh())")
        console.page.run(console_states.RELEASE)
        console.see("image", "refused")
        console.page.run("sessionStorage.removeItem('test.held')")
        console.page.run(console_states.RELEASE)
    expect(json.loads(tour.admin("usage?span=hour"))["total"]["requests"] > 0, "a live page shows the answer that an event overtook")


def named(tour):
    """A field that is named while its record is being made is kept, and saved next."""
    console = tour.console
    with answered_by(tour, console_states.HELD, NOTES, "?new=1"):
        console_states.hold(console, "admin/records/modify", "POST")
        write(console, "text", "made")
        console.press("s", CONTROL)
        console.until("heldAnswers.length === 1", "it is made")
        console.page.run("sessionStorage.removeItem('test.held')")
        console.push("Add a field")
        console.focused("Field 1")
        console.type("afterwards")
        console.tab_to("Value of field 1")
        console.type("kept")
        console.page.run(console_states.RELEASE)
        console.see_text(" is saved")
        console.until("location.hash.includes('sel=')", "the record that was made is open")
        console.until(f"{SAVE}?.disabled === false", "and what was named is to be saved")
        console.press("s", CONTROL)
        console.until(f"{SAVE}?.disabled && {field('afterwards')}?.value === 'kept'", "it is saved next")
    expect(True, "a field that is named while its record is being made is not lost")


# A draft with something in it, and more that were only looked at than are kept.
MANY_DRAFTS = """import('/_brume/console/core/state.js').then(({ draft, drop, hasDraft }) => {
  const names = Array.from({ length: 500 }, (_, at) => `looked at ${at}`);
  draft("typed", () => ({ text: "" })).text = "kept";
  for (const name of names) draft(name, () => ({ text: "" }));
  const found = [draft("typed").text, names.filter((name) => hasDraft(name)).length <= 200, hasDraft(names[499])];
  [...names, "typed"].forEach((name) => drop(name));
  return found;
})"""


def bounds(tour):
    """A long session keeps what was typed, and not each record that was looked at."""
    for name in ("only-seen", "typed-in"):
        create(tour, name, {"text": {"value": "before"}})
    tour.again(NOTES, "?sel=only-seen")
    tour.console.until(f"{field('text')}?.value === 'before'", "a record is looked at")
    tour.open(NOTES, "?sel=typed-in")
    write(tour.console, "text", "kept")
    found = tour.console.page.run(MANY_DRAFTS)
    expect(found == ["kept", True, True], f"drafts that say nothing are forgotten when there are many {found}")
    tour.open(NOTES, "?sel=only-seen")
    tour.open(NOTES, "?sel=typed-in")
    tour.console.until(f"{field('text')}?.value === 'kept'", "what was typed into a record is there")
    tour.console.push("Discard")


WALKS = [places, values, share, damage, once, roles, deletions, schema, live, named, bounds]
