"""What parts of pages, and forms that ask, show while they wait, where the role does not allow it, and when it failed."""
import console_states


def states(tour):
    """At the end, as its answers are errors for the browser."""
    console, phone = tour.console, tour.phone
    phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notebook"}}}]})
    problems = list(tour.browser.problems)
    console_states.walk(console, tour.place, console_states.PARTS)
    console_states.ask(console, tour.place)
    # The answers were meant to be errors; what was before stays.
    tour.browser.problems[:] = problems


WALKS = [states]
