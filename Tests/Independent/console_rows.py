"""Very many rows stay few in the page: all pages of a table are walked by keyboard, and what stands in the document is counted."""
from brume_server import expect

NAMES = "[...document.querySelectorAll('tbody tr')].map((row) => row.querySelector('code').title)"
# The button that has the focus is the one that is pressed.
AT_END = "document.activeElement.disabled || document.activeElement === document.body"


def walk(console, address, page, most, rows):
    """From the first row to the last; nothing is shown twice, and no page has more than its rows."""
    console.open(address)
    console.until(f"{NAMES}.length === {page}", "the first page")
    in_a_page(console, page)
    console.tab_to("Older")
    seen = set()
    while True:
        names = console.page.run(NAMES)
        count = console.page.run("document.querySelectorAll('*').length")
        if len(names) > page or count >= most or seen & set(names):
            raise SystemExit(f"FAILED: a page of {len(names)} rows and {count} elements, with {len(seen & set(names))} rows of earlier ones")
        seen |= set(names)
        if console.page.run(AT_END):
            break
        console.press("Enter")
        console.until(f"{NAMES}.length > 0 && {NAMES}[0] !== {names[0]!r} || {AT_END}", "the next page")
    # One more is there for links.
    expect(len(seen) == rows + 1, f"by keys all {len(seen)} rows are seen, the last of them too, and never more than {page} stand in the page")


def in_a_page(console, page):
    """The ends of a page, and back to its middle, by keys of one tab stop."""
    at = "[...document.querySelectorAll('tbody tr')].indexOf(document.activeElement)"
    console.page.run("document.activeElement.blur()")
    console.press("l")
    for key, wanted in (("End", page - 1), ("Home", 0), ("PageDown", 10), ("PageDown", 20), ("ArrowDown", 21), ("PageUp", 11)):
        console.press(key)
        console.until(f"{at} === {wanted}", f"{key} leads to row {wanted}")
    stops = console.page.run("document.querySelectorAll('tbody tr[tabindex=\"0\"]').length")
    expect(stops == 1, "the rows of a page are one tab stop, and keys lead to its ends and its middle")
