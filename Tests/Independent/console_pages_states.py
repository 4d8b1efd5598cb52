"""What parts of pages, and forms that ask, show while they wait, where the role does not allow it, and when it failed."""
import json

import console_states
from brume_server import expect
from console_pages_edits import answered_by
from console_pages_keys import place

CHECKING, FAILED = [200, {"state": "checking", "bytes": 1, "of": 2}], [500, {"reason": "the store does not answer"}]
APPLIED = [200, {"state": "applied"}]


def of_restore(*answers):
    """What is answered first about a restore; then it is what the server says."""
    return """(() => {
      const real = window.fetch, answers = %s;
      window.fetch = async (address, options) => {
        const next = /backups.restore$/.test(address) ? answers.shift() : undefined;
        if (!next) return real(address, options);
        return new Response(JSON.stringify(next[1]), { status: next[0], headers: { "content-type": "application/json" } });
      };
    })()""" % json.dumps(answers)


# A clock for which two wait at the same time.
WAITING = """(() => {
  const real = window.fetch;
  const timer = { time: 1000, name: "a push that may be merged with the next" };
  window.clockAnswers = 0;
  window.fetch = async (address, options) => {
    if (!/admin.clock$/.test(address)) return real(address, options);
    window.clockAnswers += 1;
    return new Response(JSON.stringify({ now: 0, manual: true, timers: [timer, timer] }),
      { headers: { "content-type": "application/json" } });
  };
})()"""


def states(tour):
    console, phone, zone = tour.console, tour.phone, {"zoneName": "Notebook"}
    phone.call("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    token = phone.call("changes/zone", {"zones": [{"zoneID": zone}]})["zones"][0]["syncToken"]
    tour.save("changed", text="x")
    change = json.loads(tour.admin(f"log?{place(tour)}&limit=1"))["changes"][0]["id"]
    console_states.walk(console, tour.place, [*console_states.PARTS, (f"faults?then={change}", "admin/log/then")])
    console.do("Page.setDownloadBehavior", behavior="allow", downloadPath=tour.folder)
    console_states.quiet(console, tour.place)
    console_states.press(console, tour.place)
    console_states.ask(console, tour.place, {"Token": token, "Older than, in days": "0"})


def restoring(tour):
    """After an error what is under way is asked about again by a button, and not shown as if it went on."""
    console = tour.console
    with answered_by(tour, of_restore(CHECKING, FAILED), "backup"):
        console.see_text("the store does not answer. What is shown is older.")
        console.see_text("The server checks it: 1 byte of 2 bytes")
        console.push("Retry")
        console.until("!/What is shown is older|The server checks it/.test(document.querySelector('main').innerText)",
                      "what is under way by now is shown")
    with answered_by(tour, of_restore(APPLIED), "backup"):
        console.see_text("Restart the server")
        tour.open("start")
        tour.open("backup")
        console.until("!document.querySelector('main').innerText.includes('Restart the server')", "what is so by now is shown")
    expect(True, "a restore is asked about again by a key after an error, and by who comes back to its page")


def twice(tour):
    """Two that wait for the same at the same time are two, also when the page is drawn again."""
    console = tour.console
    rows = """[...document.querySelectorAll("table")].find((one) => one.caption?.textContent === "What waits")?.tBodies[0].rows.length"""
    with answered_by(tour, WAITING, "faults"):
        console.see("table", "What waits")
        console.page.run("import('/_brume/console/core/calls.js').then(({ refresh }) => refresh())")
        console.until("window.clockAnswers > 1", "the clock is asked again")
        expect(console.page.run(rows) == 2, "two that wait for the same at the same time are two")


WALKS = [states, restoring, twice]
