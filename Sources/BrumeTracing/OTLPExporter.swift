// The exporter sends spans to a collector, some at a time, once a second while there are any. What cannot be
// sent after a few attempts is given up and counted: traces are worth less than the server's memory.

import AsyncHTTPClient
package import BrumeModel
package import Logging
import NIOCore
import NIOHTTP1

/// Where spans go.
package struct TracingSettings: Equatable, Sendable {
  /// Scheme, host, port and what stands before `/v1/traces`.
  package var endpoint: String
  /// Of requests that bring no `traceparent`.
  package var percent: Int
  /// Headers such as `Authorization`; secret.
  package var headers: [Header]

  /// A header field of every call to the collector.
  package struct Header: Equatable, Sendable {
    package let name: String
    package let value: String

    package init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  package init(endpoint: String, percent: Int, headers: [Header]) {
    self.endpoint = endpoint
    self.percent = percent
    self.headers = headers
  }
}

/// The sender of one server.
package final class OTLPExporter: Sendable {
  /// What the server measures with.
  package let spans: Spans
  private let settings: TracingSettings
  private let version: String
  private let limits: Limits
  private let queue: SpanQueue
  private let sleep: @Sendable (Duration) async throws -> Void

  package init(
    _ settings: TracingSettings, version: String, limits: Limits,
    randomBytes: @escaping @Sendable (Int) -> [UInt8],
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.settings = settings
    self.version = version
    self.limits = limits
    self.sleep = sleep
    queue = SpanQueue(capacity: limits.spansWaiting)
    spans = Spans(
      OTLPTracer(queue, percent: settings.percent, randomBytes: randomBytes),
      remembering: limits.tracedRequests)
  }

  /// Spans that could not be sent, since the start.
  package var dropped: Int64 { queue.dropped }

  /// Sends until `finish` is called, then what is left, once.
  package func run(_ logger: Logger) async {
    let client = HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: Self.configuration)
    for await _ in queue.signals {
      // What ends in the next moment goes along.
      try? await sleep(.seconds(1))
      await sendAll(by: client, logger)
    }
    await sendAll(by: client, logger)
    try? await client.shutdown()
  }

  static var configuration: HTTPClient.Configuration {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = .seconds(5)
    // The time of a call ends with the head of its answer.
    configuration.timeout.read = answerTime
    configuration.redirectConfiguration = .disallow
    return configuration
  }

  /// Ours: so long for an answer to begin, and from each part of it to the next.
  static let answerTime = TimeAmount.seconds(10)

  /// The server ends.
  package func finish() { queue.finish() }

  /// Ours: then they are given up.
  private static let attempts = 3

  private func sendAll(by client: HTTPClient, _ logger: Logger) async {
    while case let batch = queue.take(upTo: limits.spansPerCall), !batch.isEmpty {
      await send(batch, by: client, attempts: queue.isFinished ? 1 : Self.attempts, logger)
      // A collector that took nothing does not get all that is left, each with its wait.
      if queue.isFinished { return }
    }
  }

  private func send(
    _ batch: [EndedSpan], by client: HTTPClient, attempts: Int, _ logger: Logger
  ) async {
    var failure = ""
    for attempt in 1...attempts {
      do {
        let status = try await post(OTLPText.body(batch, version: version), by: client)
        if (200..<300).contains(status) { return }
        failure = "it answered \(status)"
        // Only these say that another attempt may help (OTLP/HTTP).
        guard [429, 502, 503, 504].contains(status) else { break }
      } catch {
        failure = "\(error)"
      }
      if attempt < attempts, !queue.isFinished { try? await sleep(.seconds(attempt)) }
    }
    queue.drop(batch.count)
    logger.warning(
      "the collector of traces did not take spans; they are given up",
      metadata: ["spans": "\(batch.count)", "reason": "\(failure.prefix(200))"])
  }

  private func post(_ body: [UInt8], by client: HTTPClient) async throws -> Int {
    var request = HTTPClientRequest(url: settings.endpoint + "/v1/traces")
    request.method = .POST
    request.headers.add(name: "content-type", value: "application/json")
    for header in settings.headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .bytes(body)
    let answer = try await client.execute(request, timeout: Self.answerTime)
    _ = try? await answer.body.collect(upTo: 65_536)
    return Int(answer.status.code)
  }
}
