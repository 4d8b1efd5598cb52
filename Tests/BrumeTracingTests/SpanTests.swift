// What is measured, and what is not, without a collector.

import AsyncHTTPClient
import BrumeModel
import NIOCore
import Synchronization
import Testing
import Tracing

@testable import BrumeTracing

struct SpanTests {
  private struct Refused: Error {}
  private let queue = SpanQueue(capacity: 4)

  private func spans(percent: Int = 100, remembering requests: Int = 10) -> Spans {
    let count = Atomic<UInt64>(0)
    let tracer = OTLPTracer(queue, percent: percent) { bytes in
      let next = count.wrappingAdd(1, ordering: .relaxed).newValue
      return (0..<bytes).map { UInt8(truncatingIfNeeded: next &+ UInt64($0)) }
    }
    return Spans(tracer, remembering: requests)
  }

  @Test func `work inside of a request is part of its trace`() async throws {
    let spans = spans()
    await spans.request("R", traceparent: nil) { request in
      request.rename("GET /")
      await spans.run("store") { _ in }
    }
    let ended = queue.take(upTo: 10)
    #expect(ended.map(\.name) == ["store", "GET /"])
    #expect(ended[0].parent == ended[1].place.span && ended[0].place.trace == ended[1].place.trace)
    #expect(ended[1].parent == nil)
  }

  @Test func `what a request causes later is inside of what it has caused before`() async {
    let spans = spans()
    await spans.request("R", traceparent: nil) { _ in }
    spans.note("fan-out", causedBy: "R", 5...7)
    await spans.run("push", .producer, causedBy: "R") { _ in }
    let ended = queue.take(upTo: 10)
    #expect(ended.map(\.name) == ["request", "fan-out", "push"])
    #expect(ended[1].parent == ended[0].place.span && ended[2].parent == ended[1].place.span)
    #expect(ended[1].start == 5 && ended[1].end == 7)
  }

  @Test func `what no known request has caused is not measured`() async {
    let spans = spans(remembering: 1)
    await spans.request("old", traceparent: nil) { _ in }
    await spans.request("new", traceparent: nil) { _ in }
    _ = queue.take(upTo: 10)
    await spans.run("sweep") { _ in }
    await spans.run("push", .producer, causedBy: "old") { span in #expect(span.traceparent == nil) }
    #expect(queue.take(upTo: 10).isEmpty)
  }

  @Test(arguments: [("00", 0), ("01", 1)])
  func `a caller decides whether its trace is recorded`(flag: String, count: Int) async {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flag)"
    await spans(percent: 0).request("R", traceparent: parent) { _ in }
    #expect(queue.take(upTo: 10).count == count)
  }

  @Test func `at zero percent nothing is recorded`() async {
    await spans(percent: 0).request("R", traceparent: nil) { _ in }
    #expect(queue.take(upTo: 10).isEmpty)
  }

  @Test func `work that fails is marked as such, without its words`() async {
    let spans = spans()
    await spans.request("R", traceparent: nil) { _ in
      try? await spans.run("rules") { _ in throw Refused() }
    }
    let ended = queue.take(upTo: 10)
    #expect(ended.map(\.isFailed) == [true, false])
    let text = String(decoding: OTLPText.body(ended, version: "1"), as: UTF8.self)
    #expect(text.contains(#""error.type""#) && text.contains(#""status":{"code":2}"#))
  }

  @Test func `a full queue takes no more, and counts`() {
    let spans = spans()
    for _ in 0..<6 { spans.note("x", causedBy: "nobody", 1...2) }
    #expect(queue.dropped == 0)
    let place = TraceParent(trace: [1], span: [2], isSampled: true)
    for _ in 0..<6 {
      queue.add(
        EndedSpan(
          place: place, parent: nil, name: "x", kind: .internal, start: 1, end: 2, attributes: [:],
          isFailed: false))
    }
    #expect(queue.dropped == 2 && queue.take(upTo: 10).count == 4)
  }

  @Test func `a call takes so many spans, and the next the rest`() async {
    let spans = spans()
    for number in 0..<3 { await spans.request("R\(number)", traceparent: nil) { _ in } }
    #expect(queue.take(upTo: 2).count == 2)
    #expect(queue.take(upTo: 2).count == 1)
    #expect(Limits.apple.spansPerCall == 512)
  }

  @Test func `a collector that falls silent amid its answer is given up`() {
    #expect(OTLPExporter.configuration.timeout.read == .seconds(10))
  }

  @Test func `without traces a call only runs its body`() async {
    let answer = await Spans.off.request("R", traceparent: nil) { span in
      await Spans.off.run("store") { _ in span.traceparent ?? "nothing" }
    }
    #expect(answer == "nothing" && !Spans.off.isOn)
  }
}
