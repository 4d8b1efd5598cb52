"""Pages of the console on which the other walks only look (docs/operating/console.md), acted on by keyboard alone: what may
call, people, data, the schema, what is sent and counted, and what a page shows while the server does not answer.

usage: console_pages.py --brume PATH [--pictures FOLDER] [--only WALK]
"""
import os

import console_pages_data
import console_pages_edits
import console_pages_keys
import console_pages_operators
import console_pages_people
import console_pages_schema
import console_pages_sent
import console_pages_states
import console_pages_zones
from brume_server import Server, expect
from console_page import arguments, browsing, is_there
from console_pages_tour import Tour
from other_sides import Apple, Certificates, Receiver

QUOTA = 100_000
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE editor;
    RECORD TYPE Note (
        "___recordID" REFERENCE QUERYABLE,
        text STRING QUERYABLE,
        urgent INT64 QUERYABLE SORTABLE,
        GRANT WRITE TO "_creator",
        GRANT WRITE TO editor,
        GRANT CREATE TO "_icloud",
        GRANT READ TO "_world"
    );
"""
WALKS = [*console_pages_keys.WALKS, *console_pages_people.WALKS, *console_pages_data.WALKS,
         *console_pages_zones.WALKS, *console_pages_schema.WALKS,
         *console_pages_sent.WALKS, *console_pages_states.WALKS, *console_pages_edits.WALKS,
         *console_pages_operators.WALKS]


class World:
    """A server, Apple, a program that is called about changes, and their certificates."""

    def __init__(self, binary, folder):
        self.folder = folder
        certificates = Certificates(folder)
        self.apple, self.hooks = Apple(certificates), Receiver(certificates, 200)
        address = f"https://localhost:{self.apple.port}"
        self.server = Server(binary, os.path.join(folder, "data"), extra=[
            "--apns-url", address, "--apns-sandbox-url", address, "--push-trust", certificates.root,
            "--push-allow", "localhost", "--push-timeout", "2", "--user-quota", str(QUOTA)]).start()
        self.file("schema.ckdb", SCHEMA)
        self.server.tool("schema", "import", os.path.join(folder, "schema.ckdb"))

    def stop(self):
        return self.server.stop()

    def file(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)


def main():
    parser = arguments()
    parser.add_argument("--only", help="names of walks with commas between them, for a quick look")
    options = parser.parse_args()
    if not is_there():
        return
    with browsing(options, lambda folder: World(options.brume, folder)) as (world, browser, _):
        tour = Tour(world, browser, options.pictures)
        tour.sign_in()
        for walk in WALKS:
            if not options.only or walk.__name__ in options.only.split(','):
                walk(tour)
        complaints = tour.complaints()
        expect(not complaints, f"the browser complained about nothing in all of this {complaints or ''}")


if __name__ == "__main__":
    main()
