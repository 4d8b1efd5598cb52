"""The schema on the console: a mistake in the text is named with line and column, and F8 goes there; an index that no query has
used says so; and production stays as it is when another word is typed."""
from brume_server import expect


def mistake(tour):
    """In a text that is longer than what is seen of it."""
    console, text = tour.console, tour.server.tool("schema", "show")
    lines = text.rstrip().split("\n")
    wrong = next(at for at, line in enumerate(lines) if "text" in line and "STRING" in line)
    lines[wrong:wrong + 1] = [f"        field{at:02} STRING," for at in range(60)] + [lines[wrong].replace("STRING", "STRINK")]
    tour.open("schema/Note")
    console.push("Edit the text")
    console.focused("Schema")
    console.replace("\n".join(lines) + "\n")
    line, column = wrong + 61, lines[wrong + 60].index("STRINK") + 1
    console.see_text(f"{line}:{column} encountered 'STRINK', was expecting a type")
    expect(console.has("alert", ""), f"a mistake is named with its line and column, {line}:{column}")
    console.page.run("document.activeElement.setSelectionRange(0, 0); document.activeElement.scrollTop = 0")
    console.press("F8")
    at = console.page.run("""(() => { const { value, selectionStart } = document.activeElement;
      const before = value.slice(0, selectionStart).split("\\n");
      return [before.length, before.at(-1).length + 1]; })()""")
    expect(at == [line, column], f"F8 goes there: {at}")
    seen = console.page.run("""(() => { const area = document.activeElement, style = getComputedStyle(area);
      const height = area.scrollHeight / area.value.split("\\n").length;
      return [area.scrollTop / height, (area.scrollTop + area.clientHeight) / height]; })()""")
    expect(seen[0] <= line - 1 and line <= seen[1], f"and its line is in sight: lines {seen[0]:.0f} to {seen[1]:.0f}")
    tour.done("schema-mistake", "a mistake with its line and column")
    console.press("Tab")
    console.push("Discard")
    console.focused("Edit the text")
    expect(True, "who discards a text has the focus where it began")
    tour.open("schema/Ghost")
    console.see_text("There is no type Ghost here")


def unused(tour):
    console = tour.console
    tour.phone.call("records/query", {"query": {"recordType": "Note", "filterBy": [
        {"fieldName": "text", "comparator": "EQUALS", "fieldValue": {"value": "x"}}]}}, "public")
    tour.open("start")
    tour.open("schema/Note")
    tour.see_cell("Fields of Note", "text", "Used", lambda text: text.isdigit() and int(text) > 0, "how often queries used an index")
    tour.see_cell("Fields of Note", "urgent", "Used", "never", "one that no query used says 'never'")
    tour.done("schema-unused", "used and unused indexes")


def wrong_word(tour):
    console = tour.console
    def production():
        return tour.server.tool("schema", "show", "--environment", "production")
    before = production()
    tour.open("schema/Note")
    console.push("Promote to production")
    console.focused("Type ")
    word = console.page.run("document.querySelector('dialog b').innerText")
    for typed in (word.replace("production", "development"), word[:-1], ""):
        console.replace(typed)
        console.press("Enter")
        expect(console.has("dialog", "Promote to production") and production() == before, f"'{typed}' promotes nothing")
    disabled = "[...document.querySelectorAll('dialog button')].find((one) => one.innerText === 'Promote').disabled"
    expect(console.page.run(disabled), "nor does the button, which cannot be pressed")
    console.escape()
    expect(production() == before, "production has the schema that it had")


WALKS = [mistake, unused, wrong_word]
