// Tracing as the server uses it: work that has a name and a duration, inside of other work. While it is off,
// each call is the call of its body.
//
// A request begins a trace, or goes on with the one that its `traceparent` names (W3C Trace Context). What
// happens later because of it (fan-out, pushes) finds the trace by the request's ID, as long as this process
// remembers it: other servers of the same store do not.

import Tracing

/// Measures work as spans. A value: copies send to the same place.
package struct Spans: Sendable {
  /// What a span is of, for whoever draws them.
  package enum Kind: Sendable {
    /// A request to this server.
    case server
    /// A call of this server to another.
    case client
    /// Something that another part of the server receives.
    case producer
    case `internal`
  }
  /// More about a span: names as OpenTelemetry has them, never what is anybody's data.
  package typealias Facts = KeyValuePairs<String, Fact>
  /// What is said of a span under one name.
  package enum Fact: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    package init(stringLiteral value: String) { self = .text(value) }
  }

  private let tracer: OTLPTracer?
  private let traces: TracesOfRequests

  /// Nothing is measured.
  package static let off = Spans(nil, remembering: 1)

  init(_ tracer: OTLPTracer?, remembering requests: Int) {
    self.tracer = tracer
    traces = TracesOfRequests(capacity: requests)
  }

  /// Whether spans are recorded.
  package var isOn: Bool { tracer != nil }

  /// Measures a request. What it causes later is found by `requestID`.
  ///
  /// - Parameter traceparent: the header of that name, from whomever: what is malformed begins a new trace.
  package func request<Answer>(
    _ requestID: String, traceparent: String?, _ body: (RunningSpan) async throws -> Answer
  ) async rethrows -> Answer {
    guard let tracer else { return try await body(RunningSpan(nil)) }
    var parent = ServiceContext.topLevel
    parent.trace = traceparent.flatMap { TraceParent($0) }
    return try await tracer.withSpan("request", context: parent, ofKind: .server) { span in
      if span.isRecording { traces.note(span.context.trace, of: requestID) }
      return try await body(RunningSpan(span))
    }
  }

  /// Measures work inside of what is measured around it; what belongs to no trace is not measured.
  package func run<Answer>(
    _ name: String, _ kind: Kind = .internal, _ facts: Facts = [:],
    _ body: (RunningSpan) async throws -> Answer
  ) async rethrows -> Answer {
    guard let tracer, let context = ServiceContext.current, context.trace != nil else {
      return try await body(RunningSpan(nil))
    }
    return try await tracer.withSpan(name, context: context, ofKind: kind.spanKind) { span in
      span.add(facts)
      return try await body(RunningSpan(span))
    }
  }

  /// Measures work that a request has caused; what no known request has is not measured.
  package func run<Answer>(
    _ name: String, _ kind: Kind, causedBy requestID: String, _ facts: Facts = [:],
    _ body: (RunningSpan) async throws -> Answer
  ) async rethrows -> Answer {
    guard tracer != nil, let cause = traces.trace(of: requestID) else {
      return try await body(RunningSpan(nil))
    }
    var context = ServiceContext.topLevel
    context.trace = cause
    return try await ServiceContext.withValue(context) {
      try await run(name, kind, facts, body)
    }
  }

  /// Notes work that was measured elsewhere; later work of the request counts as part of it.
  ///
  /// - Parameter time: nanoseconds since 1970.
  package func note(
    _ name: String, causedBy requestID: String, _ time: ClosedRange<UInt64>, _ facts: Facts = [:]
  ) {
    guard let tracer, let cause = traces.trace(of: requestID) else { return }
    var context = ServiceContext.topLevel
    context.trace = cause
    let span = tracer.startSpan(
      name, context: context, ofKind: .internal, at: SpanTime(time.lowerBound))
    span.add(facts)
    span.end(at: SpanTime(time.upperBound))
    traces.note(span.context.trace, of: requestID)
  }

  /// Nanoseconds since 1970.
  package var now: UInt64 { DefaultTracerClock.now.nanosecondsSinceEpoch }
}

/// A span while its work goes on.
package struct RunningSpan: Sendable {
  private let span: OTLPSpan?

  init(_ span: OTLPSpan?) { self.span = span }

  /// Its name, once that is known better.
  package func rename(_ name: @autoclosure () -> String) {
    if let span { span.operationName = name() }
  }

  /// More about it.
  package func add(_ facts: @autoclosure () -> Spans.Facts) {
    if let span { span.add(facts()) }
  }

  /// The work did not succeed.
  package func fail() { span?.setStatus(SpanStatus(code: .error)) }

  /// The header `traceparent` for a call to another server; nil while nothing is measured.
  package var traceparent: String? { span?.context.trace?.text }
}

extension OTLPSpan {
  fileprivate func add(_ facts: Spans.Facts) {
    guard isRecording else { return }
    updateAttributes { attributes in
      for (name, fact) in facts {
        switch fact {
        case .text(let text): attributes[name] = SpanAttribute.string(text)
        case .number(let number): attributes[name] = SpanAttribute.int64(Int64(number))
        }
      }
    }
  }
}

extension Spans.Kind {
  fileprivate var spanKind: SpanKind {
    switch self {
    case .server: .server
    case .client: .client
    case .producer: .producer
    case .internal: .internal
    }
  }
}
