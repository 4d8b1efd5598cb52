"""What parts of pages, and forms that ask, show while they wait, where the role does not allow it, and when it failed."""
import console_states


def states(tour):
    console, phone, zone = tour.console, tour.phone, {"zoneName": "Notebook"}
    phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    token = phone.call("changes/zone", {"zones": [{"zoneID": zone}]})["zones"][0]["syncToken"]
    console_states.walk(console, tour.place, console_states.PARTS)
    console_states.ask(console, tour.place, {"Token": token, "Older than, in days": "0"})


WALKS = [states]
