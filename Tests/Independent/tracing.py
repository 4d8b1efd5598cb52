"""Traces of a real server, by a collector of the test's own that takes OTLP/HTTP with JSON.

A save that brings a `traceparent` is followed to an event stream and a webhook: one tree of spans. Another comes over
HTTP/2 and is followed to Apple's side and a Web Push service (tracing_outside.py).
A collector that does not answer costs spans, and nothing else.

usage: tracing.py --brume PATH
"""
import argparse
import json
import os
import tempfile
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import tracing_outside
from brume_server import Listener, Server, expect, expect_quietly

TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


class Receiver:
    """Takes POSTs: a collector, or a webhook."""

    def __init__(self, status=200):
        self.calls, self.status, receiver = [], status, self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.calls.append((self.path, dict(self.headers), body))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.listener.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        threading.Thread(target=self.listener.serve_forever, daemon=True).start()

    @property
    def spans(self):
        """All spans that came, by their IDs."""
        found = {}
        for path, headers, body in list(self.calls):
            expect_quietly(path == "/v1/traces" and {name.lower(): value for name, value in headers.items()}["content-type"] == "application/json", f"{path} {headers}")
            for resource in json.loads(body)["resourceSpans"]:
                for scope in resource["scopeSpans"]:
                    found.update((span["spanId"], span) for span in scope["spans"])
        return found


def wait(condition, what):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.05)
    raise SystemExit(f"FAILED: {what}")


def attributes(span):
    return {entry["key"]: next(iter(entry["value"].values())) for entry in span["attributes"]}


class Traced(Server):
    def post(self, endpoint, body, user="alice", device="writer", headers=()):
        values = self.values
        url = (f"{values['BRUME_URL']}/database/1/{values['BRUME_CONTAINER']}/development/private/{endpoint}"
               f"?{self.client(user, device).credentials()}")
        request = urllib.request.Request(url, json.dumps(body).encode(), dict(headers), method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def save(self, name, headers=()):
        answer = self.post("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [{
            "operationType": "create", "record": {"recordType": "Note", "recordName": name, "fields": {
                "text": {"value": "a secret text"}}}}]}, headers=headers)
        expect_quietly("serverErrorCode" not in json.dumps(answer), answer)

    def prepare(self):
        self.post("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]})
        self.post("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "all", "subscriptionType": "zone", "zoneID": {"zoneName": "Notes"},
            "notificationInfo": {"shouldSendContentAvailable": True}}}]})


def one_trace_from_request_to_push(brume, folder):
    print("== one save, one trace")
    collector, hook = Receiver(), Receiver()
    server = Traced(brume, os.path.join(folder, "traced"), extra=[
        "--otlp-endpoint", collector.url, "--otlp-headers", "authorization=Bearer key",
        "--push-allow", f"127.0.0.1:{hook.port}"]).start()
    server.prepare()
    server.tool("webhook", "add", f"{hook.url}/changes")
    listener = Listener(server.client("alice", "phone"))
    listener.listen()
    server.save("first", headers=[("traceparent", f"00-{TRACE}-{PARENT}-01")])
    wait(lambda: listener.events, "the push comes")

    def spans():
        return [span for span in collector.spans.values() if span["traceId"] == TRACE]

    names = {"POST /database/1/:container/:environment/:database/records/modify", "rules", "store transaction",
             "fan-out", "delivery", "push webhook", "call"}
    plain = lambda name: name.replace("{", ":").replace("}", "")
    wait(lambda: names <= {plain(span["name"]) for span in spans()},
         f"all of {names} are there: {[span['name'] for span in spans()]}")
    expect(True, "the collector gets request, rules, transaction, fan-out, delivery, push and call of one trace")
    by_id = {span["spanId"]: span for span in spans()}
    request = next(span for span in by_id.values() if span["kind"] == 2)
    expect(request["parentSpanId"] == PARENT, "the request is inside of the span that traceparent names")
    expect(all(span["parentSpanId"] in by_id for span in by_id.values() if span is not request),
           "and every other span inside of one that is there")
    expect(attributes(request)["http.response.status_code"] == "200" and attributes(request)["http.route"],
           "it has route and status")

    def ancestors(span):
        while span.get("parentSpanId") in by_id:
            span = by_id[span["parentSpanId"]]
            yield span["name"]

    call = next(span for span in by_id.values() if span["name"] == "call")
    expect("push webhook" in ancestors(call) and request["name"] in ancestors(call),
           "the call of the webhook is inside of its push, and that of the request")
    transaction = next(span for span in by_id.values() if span["name"] == "store transaction")
    expect("rules" in ancestors(transaction), "the transaction is inside of the rules")
    expect(all(int(span["startTimeUnixNano"]) <= int(span["endTimeUnixNano"]) for span in by_id.values()),
           "no span ends before it begins")
    wait(lambda: hook.calls, "the webhook is called")
    header = hook.calls[0][1].get("traceparent", "")
    expect(header.split("-")[1] == TRACE and header.split("-")[2] == call["spanId"], f"the webhook gets the trace: {header}")
    expect(collector.calls[0][1].get("authorization", collector.calls[0][1].get("Authorization")) == "Bearer key",
           "the collector gets the header of the settings")
    everything = b"".join(body for _, _, body in collector.calls)
    secrets = [server.values["BRUME_API_TOKEN"], server.values["BRUME_USER_TOKEN_ALICE"], "a secret text", "first"]
    expect(not any(secret.encode() in everything for secret in secrets), "no span has a token, a name or a value")

    before = len(collector.spans)
    server.save("unsampled", headers=[("traceparent", f"00-{TRACE[::-1]}-{PARENT}-00")])
    server.save("malformed", headers=[("traceparent", f"00-{TRACE}-zzzz-01")])
    wait(lambda: len(collector.spans) > before, "a request with a malformed traceparent begins a trace")
    fresh = {span["traceId"] for span in collector.spans.values()}
    expect(TRACE[::-1] not in fresh, "a trace that its caller does not record is not sent")
    server.save("last")
    count = len(collector.spans)
    expect(server.stop() == 0 and len(collector.spans) > count, "what has ended is sent before the server ends")


def a_dead_collector_costs_spans_only(brume, folder):
    print("== a collector that does not take anything")
    collector = Receiver(status=503)
    server = Traced(brume, os.path.join(folder, "refused"), store="memory", extra=["--otlp-endpoint", collector.url]).start()
    server.prepare()
    for number in range(50):
        server.save(f"n{number}")

    def dropped():
        with urllib.request.urlopen(server.values["BRUME_URL"] + "/_brume/metrics") as answer:
            for line in answer.read().decode().splitlines():
                if line.startswith("brume_trace_spans_dropped_total "):
                    return int(line.split()[1])

    wait(lambda: dropped(), "spans that cannot be sent are counted")
    expect(len(collector.calls) >= 3, f"{dropped()} spans are given up after three attempts, and counted")
    server.save("after")
    begun = time.monotonic()
    expect(server.stop() == 0 and time.monotonic() - begun < 12, "requests go on, and the server ends in good order")


def nothing_unless_asked(brume, folder):
    print("== off by default")
    server = Traced(brume, os.path.join(folder, "off"), store="memory").start()
    with urllib.request.urlopen(server.values["BRUME_URL"] + "/_brume/metrics") as answer:
        expect(b"trace_spans" not in answer.read(), "without an endpoint there is nothing to count")
    server.stop()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--brume", required=True)
    brume = os.path.abspath(parser.parse_args().brume)
    with tempfile.TemporaryDirectory() as folder:
        one_trace_from_request_to_push(brume, folder)
        a_dead_collector_costs_spans_only(brume, folder)
        nothing_unless_asked(brume, folder)
        outside = os.path.join(folder, "outside")
        os.makedirs(outside)
        tracing_outside.save_over_http2_to_both_services(brume, outside, Receiver(), wait, attributes)
    print("traces: all as promised")


if __name__ == "__main__":
    main()
