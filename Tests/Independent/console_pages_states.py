"""What parts of pages, and forms that ask, show while they wait, where the role does not allow it, and when it failed."""
import json

import console_states
from console_pages_keys import place


def states(tour):
    console, phone, zone = tour.console, tour.phone, {"zoneName": "Notebook"}
    phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    token = phone.call("changes/zone", {"zones": [{"zoneID": zone}]})["zones"][0]["syncToken"]
    tour.save("changed", text="x")
    change = json.loads(tour.admin(f"log?{place(tour)}&limit=1"))["changes"][0]["id"]
    console_states.walk(console, tour.place, [*console_states.PARTS, (f"faults?then={change}", "admin/log/then")])
    console.do("Page.setDownloadBehavior", behavior="allow", downloadPath=tour.folder)
    console_states.press(console, tour.place)
    console_states.ask(console, tour.place, {"Token": token, "Older than, in days": "0"})


WALKS = [states]
