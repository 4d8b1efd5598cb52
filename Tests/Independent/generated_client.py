#!/usr/bin/env python3
"""Generates a Python client from docs/protocol/openapi.yaml, compiles it, and uses it against a real server.

usage: generated_client.py --brume PATH

Needs openapi-python-client. A warning of the generator is a failure: it would leave an endpoint out.
"""
import argparse
import compileall
import importlib
import os
import subprocess
import sys
import tempfile

from brume_server import Server, expect

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PACKAGE = "brume_client"


def generate(folder):
    """The package's folder, with all that the generator can make of the description."""
    settings = os.path.join(folder, "settings.yaml")
    with open(settings, "w") as file:
        file.write(f"package_name_override: {PACKAGE}\npost_hooks: []\n")
    output = os.path.join(folder, "generated")
    made = subprocess.run(
        [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--config", settings,
         "--path", os.path.join(ROOT, "docs", "protocol", "openapi.yaml"), "--output-path", output],
        capture_output=True, text=True)
    said = made.stdout + made.stderr
    expect(made.returncode == 0, "a client is generated from the description" + (f": {said}" if made.returncode else ""))
    expect(compileall.compile_dir(os.path.join(output, PACKAGE), quiet=1), "the generated client compiles")
    return output


class Generated:
    """The generated functions, with a container's path and a user's credentials filled in."""

    def __init__(self, server):
        values = server.values
        self.models = importlib.import_module(f"{PACKAGE}.models")
        self.client = importlib.import_module(PACKAGE).Client(
            base_url=values["BRUME_URL"],
            httpx_args={"params": {"ckAPIToken": values["BRUME_API_TOKEN"],
                                   "ckWebAuthToken": values["BRUME_USER_TOKEN_ALICE"]}})
        self.container, self.environment = values["BRUME_CONTAINER"], values["BRUME_ENVIRONMENT"]

    def call(self, name, body=None, database="private"):
        function = importlib.import_module(f"{PACKAGE}.api.default.{name}")
        arguments = {} if body is None else {"body": body}
        return function.sync(self.container, self.environment, database, client=self.client, **arguments)


def records_go_and_come(client):
    models = client.models
    zone = {"zoneName": "Trails"}
    made = client.call("post_zones_modify", models.ModifyZones.from_dict(
        {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]}))
    expect(made.zones[0].zone_id.zone_name == "Trails", "a zone is made")
    hike = {"recordType": "Hike", "recordName": "h-1", "fields": {
        "title": {"value": "Lake path"}, "km": {"value": 12.5}, "tags": {"value": ["lake", "easy"]},
        "start": {"value": {"latitude": 47.1, "longitude": 11.4}}}}
    saved = client.call("post_records_modify", models.ModifyRecords.from_dict(
        {"zoneID": zone, "operations": [{"operationType": "create", "record": hike}]})).records[0]
    expect(isinstance(saved, models.Record) and saved.record_change_tag, "a record is saved")
    expect(saved.fields["km"].value == 12.5 and saved.fields["km"].type_ == "DOUBLE", "a field has its value and type")
    found = client.call("post_records_query", models.QueryRecords.from_dict(
        {"zoneID": zone, "query": {"recordType": "Hike", "filterBy": [
            {"comparator": "GREATER_THAN", "fieldName": "km", "fieldValue": {"value": 10}}]}}))
    expect([record.record_name for record in found.records] == ["h-1"], "a query finds it")
    changes = client.call("post_changes_zone", models.ZoneChangesRequest.from_dict({"zones": [{"zoneID": zone}]}))
    expect([record.record_name for record in changes.zones[0].records] == ["h-1"], "the change feed has it")
    expect({zone.zone_id.zone_name for zone in client.call("get_zones_list").zones} >= {"Trails"}, "zones are listed")


def errors_have_their_classes(client):
    models = client.models
    again = {"operations": [{"operationType": "create", "record": {"recordType": "Hike", "recordName": "h-1"}}],
             "zoneID": {"zoneName": "Trails"}}
    refused = client.call("post_records_modify", models.ModifyRecords.from_dict(again)).records[0]
    expect(isinstance(refused, models.RecordError) and refused.server_error_code == models.ErrorCode.CONFLICT,
           "an error of an item has a class and a code")
    unknown = {"zoneID": {"zoneName": "Nowhere"}, "query": {"recordType": "Hike"}}
    whole = client.call("post_records_query", models.QueryRecords.from_dict(unknown))
    expect(isinstance(whole, models.Error) and whole.server_error_code == models.ErrorCode.ZONE_NOT_FOUND,
           f"so has an error of a whole request: {getattr(whole, 'reason', whole)}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = parser.parse_args().brume
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, generate(folder))
        server = Server(brume, os.path.join(folder, "data"), store="memory").start()
        try:
            client = Generated(server)
            records_go_and_come(client)
            errors_have_their_classes(client)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
