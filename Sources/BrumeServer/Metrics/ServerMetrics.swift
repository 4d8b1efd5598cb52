// What the server counts. What is counted under which name is `Metric.swift`.

package import BrumeDelivery
import BrumeModel
import CoreMetrics
package import HTTPTypes
import Synchronization

/// Where the server counts. Each method is called when what it names has happened.
package struct ServerMetrics: Sendable {
  package let registry: MetricsRegistry
  /// Nil in tests of metrics alone.
  private let usage: Usage?
  private let routes = RouteSeries()
  private let savedRecords: Counter
  private let deletedRecords: Counter
  private let forgottenDeletions: Counter
  private let connectedStreams: Meter
  private let waitingPolls: Meter
  private let delivered: Counter
  private let uploadedBytes: Counter
  private let downloadedBytes: Counter
  private let refusedConnections: Counter

  package init(
    registry: MetricsRegistry = MetricsRegistry(meanings: Metric.meanings), usage: Usage? = nil
  ) {
    self.registry = registry
    self.usage = usage
    savedRecords = Counter(label: Metric.savedRecords.name, factory: registry)
    deletedRecords = Counter(label: Metric.deletedRecords.name, factory: registry)
    forgottenDeletions = Counter(label: Metric.forgottenDeletions.name, factory: registry)
    connectedStreams = Meter(label: Metric.connectedStreams.name, factory: registry)
    waitingPolls = Meter(label: Metric.waitingPolls.name, factory: registry)
    uploadedBytes = Counter(label: Metric.uploadedBytes.name, factory: registry)
    downloadedBytes = Counter(label: Metric.downloadedBytes.name, factory: registry)
    refusedConnections = Counter(label: Metric.refusedConnections.name, factory: registry)
    delivered = Counter(label: Metric.delivered.name, factory: registry)
  }

  /// - Parameter route: the path as the table has it, so that the number of series stays bounded.
  package func finished(
    _ method: HTTPRequest.Method, route: String, status: HTTPResponse.Status, in time: Duration
  ) {
    let (count, seconds) = routes.series(method, route, status.code / 100, registry)
    count.increment(by: 1)
    seconds.record(Double(time.microseconds) / 1_000_000)
  }

  /// Records that one request saved and deleted.
  package func records(saved: Int, deleted: Int) {
    if saved > 0 { savedRecords.increment(by: saved) }
    if deleted > 0 { deletedRecords.increment(by: deleted) }
    usage?.count(.saved, Int64(saved))
    usage?.count(.deleted, Int64(deleted))
  }

  /// Deletions that zones were made to forget.
  package func deletionsForgotten(_ count: Int) { forgottenDeletions.increment(by: count) }

  /// An upload that is complete, of so many bytes.
  package func assetUploaded(bytes: Int64) {
    uploadedBytes.increment(by: bytes)
    usage?.count(.uploadedBytes, bytes)
  }
  /// A piece of a file that was sent.
  package func assetDownloaded(bytes: Int64) {
    downloadedBytes.increment(by: bytes)
    usage?.count(.downloadedBytes, bytes)
  }

  /// A connection that was not let in.
  package func connectionRefused() { refusedConnections.increment() }

  /// A stream began.
  package func streamOpened() { connectedStreams.increment() }
  /// A stream ended.
  package func streamClosed() { connectedStreams.decrement() }
  /// A poll waits.
  package func pollBegan() { waitingPolls.increment() }
  /// A poll waits no more.
  package func pollEnded() { waitingPolls.decrement() }
  /// Notifications that streams and polls have handed out.
  package func notificationsDelivered(_ count: Int) {
    delivered.increment(by: count)
    usage?.count(.pushes, Int64(count))
  }

  /// A channel to the outside got an answer.
  package func pushAnswered(_ report: DeliveryWorker.Report) {
    registry.counter(
      Metric.pushes.name, [("channel", report.channel), ("verdict", report.verdict.rawValue)]
    ).increment(by: 1)
    registry.histogram(Metric.pushTime.name, [("channel", report.channel)], .seconds)
      .record(Double(report.time) / 1000)
    usage?.count(report.verdict == .sent ? .pushes : .failedPushes)
  }

  /// Read from the store when somebody looks.
  package func gauge(_ metric: Metric, _ value: Int64) {
    registry.gauge(metric.name, []).set(value)
  }

  /// Sets a gauge that counts seconds.
  package func gauge(_ metric: Metric, seconds: Double) {
    registry.gauge(metric.name, []).set(seconds)
  }

  /// The same of what only rises.
  package func total(_ metric: Metric, _ value: Int64) {
    registry.counter(metric.name, []).raise(to: value)
  }
}

/// Finds a route's two series without making their labels anew for each request.
private final class RouteSeries: Sendable {
  private struct Key: Hashable {
    let method: String
    let route: String
    let family: Int
  }
  private let known = Mutex<[Key: (CountingHandler, HistogramHandler)]>([:])

  func series(
    _ method: HTTPRequest.Method, _ route: String, _ family: Int, _ registry: MetricsRegistry
  ) -> (CountingHandler, HistogramHandler) {
    let key = Key(method: method.shownName, route: route, family: family)
    if let pair = known.withLock({ $0[key] }) { return pair }
    let count = registry.counter(
      Metric.requests.name,
      [("method", key.method), ("route", route), ("status", "\(family)xx")])
    let seconds = registry.histogram(Metric.requestTime.name, [("route", route)], .seconds)
    known.withLock { $0[key] = (count, seconds) }
    return (count, seconds)
  }
}
