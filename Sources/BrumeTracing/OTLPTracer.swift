// A tracer of swift-distributed-tracing whose spans go into a bounded queue when they end.

import BrumeModel
import Synchronization
import Tracing

final class OTLPTracer: Tracer {
  private let queue: SpanQueue
  private let randomBytes: @Sendable (Int) -> [UInt8]
  /// How many of a hundred traces that begin here are recorded.
  private let percent: Int

  init(_ queue: SpanQueue, percent: Int, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
    self.queue = queue
    self.percent = percent
    self.randomBytes = randomBytes
  }

  /// Inside of the context's span, or as the first of a new trace.
  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
  ) -> OTLPSpan {
    var context = context()
    let parent = context.trace
    let isSampled = parent?.isSampled ?? (Int(randomBytes(1)[0]) * 100 < percent * 256)
    context.trace = TraceParent(
      trace: parent?.trace ?? randomBytes(16), span: randomBytes(8), isSampled: isSampled)
    return OTLPSpan(
      operationName, context, inside: parent?.span, kind, isRecording: isSampled,
      from: instant().nanosecondsSinceEpoch, endsIn: queue)
  }

  @available(*, deprecated)
  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    context.trace = extractor.extract(key: "traceparent", from: carrier).flatMap { TraceParent($0) }
  }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    guard let trace = context.trace else { return }
    injector.inject(trace.text, forKey: "traceparent", into: &carrier)
  }
}

/// What is known of a span when it has ended.
struct EndedSpan: Sendable {
  let place: TraceParent
  let parent: [UInt8]?
  let name: String
  let kind: SpanKind
  let start: UInt64
  let end: UInt64
  let attributes: SpanAttributes
  let isFailed: Bool
}

final class OTLPSpan: Tracing.Span {
  private struct State {
    var name: String
    var attributes = SpanAttributes()
    var isFailed = false
    var hasEnded = false
  }
  let context: ServiceContext
  let isRecording: Bool
  private let parent: [UInt8]?
  private let kind: SpanKind
  private let start: UInt64
  private let queue: SpanQueue
  private let state: Mutex<State>

  init(
    _ name: String, _ context: ServiceContext, inside parent: [UInt8]?, _ kind: SpanKind,
    isRecording: Bool, from start: UInt64, endsIn queue: SpanQueue
  ) {
    self.context = context
    self.isRecording = isRecording
    self.parent = parent
    self.kind = kind
    self.start = start
    self.queue = queue
    state = Mutex(State(name: name))
  }

  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }

  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { if isRecording { state.withLock { $0.attributes = newValue } } }
  }

  func setStatus(_ status: SpanStatus) {
    state.withLock { $0.isFailed = status.code == .error }
  }

  /// Its kind only: what an error says may hold names.
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {
    state.withLock { state in
      state.isFailed = true
      state.attributes["error.type"] = SpanAttribute.string("\(type(of: error))")
    }
  }

  /// Nothing of ours has events or links.
  func addEvent(_ event: SpanEvent) {}
  func addLink(_ link: SpanLink) {}

  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    guard isRecording, let place = context.trace else { return }
    let end = instant().nanosecondsSinceEpoch
    let last = state.withLock { state -> State? in
      if state.hasEnded { return nil }
      state.hasEnded = true
      return state
    }
    guard let last else { return }
    queue.add(
      EndedSpan(
        place: place, parent: parent, name: last.name, kind: kind, start: start,
        end: max(start, end), attributes: last.attributes, isFailed: last.isFailed))
  }
}
