// The numbers that `/_brume/metrics` shows: a backend for swift-metrics that keeps counters, gauges
// and histograms in memory and writes them as Prometheus text. No time series, no aggregation beyond
// fixed buckets: that is the scraper's work.

import BrumeModel
package import CoreMetrics
import Synchronization

/// One series: a name with its labels.
struct SeriesID: Hashable, Sendable {
  let name: String
  let labels: [String]

  init(_ label: String, _ dimensions: [(String, String)]) {
    name = SeriesID.safe(label)
    labels = dimensions.map { "\(SeriesID.safe($0.0))=\"\(SeriesID.escaped($0.1))\"" }.sorted()
  }

  /// Metric and label names are letters, digits and underscores.
  private static func safe(_ name: String) -> String {
    String(
      decoding: name.utf8.map { $0.isLetter || $0.isDigit ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
  }
  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

/// Keeps every series of one server.
package final class MetricsRegistry: MetricsFactory {
  private struct State {
    var counters: [SeriesID: CountingHandler] = [:]
    var gauges: [SeriesID: GaugeHandler] = [:]
    var histograms: [SeriesID: HistogramHandler] = [:]
  }
  private let state = Mutex(State())
  private let meanings: [String: String]

  /// - Parameter meanings: by name, on one line each.
  package init(meanings: [String: String] = [:]) { self.meanings = meanings }

  func counter(_ label: String, _ dimensions: [(String, String)]) -> CountingHandler {
    let id = SeriesID(label, dimensions)
    return state.withLock { state in
      if let known = state.counters[id] { return known }
      let new = CountingHandler()
      state.counters[id] = new
      return new
    }
  }

  func gauge(_ label: String, _ dimensions: [(String, String)]) -> GaugeHandler {
    let id = SeriesID(label, dimensions)
    return state.withLock { state in
      if let known = state.gauges[id] { return known }
      let new = GaugeHandler()
      state.gauges[id] = new
      return new
    }
  }

  func histogram(
    _ label: String, _ dimensions: [(String, String)], _ scale: HistogramHandler.Scale
  ) -> HistogramHandler {
    let id = SeriesID(label, dimensions)
    return state.withLock { state in
      if let known = state.histograms[id] { return known }
      let new = HistogramHandler(scale: scale)
      state.histograms[id] = new
      return new
    }
  }

  // MARK: MetricsFactory

  package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    counter(label, dimensions)
  }
  package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
    gauge(label, dimensions)
  }
  package func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler {
    aggregate ? histogram(label, dimensions, .plain) : gauge(label, dimensions)
  }
  package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    histogram(label, dimensions, .seconds)
  }
  /// Series live as long as the server: a scraper expects counters to stay.
  package func destroyCounter(_ handler: any CounterHandler) {}
  package func destroyMeter(_ handler: any MeterHandler) {}
  package func destroyRecorder(_ handler: any RecorderHandler) {}
  package func destroyTimer(_ handler: any TimerHandler) {}

  // MARK: Prometheus text

  /// All series in the text form of Prometheus.
  package func text() -> String {
    let (counters, gauges, histograms) = state.withLock {
      ($0.counters, $0.gauges, $0.histograms)
    }
    var lines: [String] = []
    write(counters, "counter", to: &lines) { handler, id in ["\(id.line()) \(handler.value)"] }
    write(gauges, "gauge", to: &lines) { handler, id in ["\(id.line()) \(handler.text)"] }
    write(histograms, "histogram", to: &lines) { handler, id in handler.lines(id) }
    return lines.joined(separator: "\n") + "\n"
  }

  private func write<Handler>(
    _ series: [SeriesID: Handler], _ kind: String, to lines: inout [String],
    _ each: (Handler, SeriesID) -> [String]
  ) {
    var named: [String: [SeriesID]] = [:]
    for id in series.keys { named[id.name, default: []].append(id) }
    for (name, ids) in named.sorted(by: { $0.key < $1.key }) {
      if let meaning = meanings[name] { lines.append("# HELP \(name) \(meaning)") }
      lines.append("# TYPE \(name) \(kind)")
      for id in ids.sorted(by: { $0.labels.lexicographicallyPrecedes($1.labels) }) {
        if let handler = series[id] { lines += each(handler, id) }
      }
    }
  }
}

extension SeriesID {
  /// The series as Prometheus spells it, with a suffix to the name and more labels if given.
  func line(_ suffix: String = "", adding label: String? = nil) -> String {
    let all = labels + (label.map { [$0] } ?? [])
    return all.isEmpty ? name + suffix : "\(name)\(suffix){\(all.joined(separator: ","))}"
  }
}
