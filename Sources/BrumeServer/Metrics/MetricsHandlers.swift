// The three kinds of series: a counter, a gauge, a histogram with fixed buckets.

import CoreMetrics
import Synchronization

final class CountingHandler: CounterHandler {
  private let count = Atomic<Int64>(0)
  var value: Int64 { count.load(ordering: .relaxed) }
  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { count.store(0, ordering: .relaxed) }
  /// For what is counted elsewhere.
  func raise(to total: Int64) { count.max(total, ordering: .relaxed) }
}

final class GaugeHandler: MeterHandler, RecorderHandler {
  private let current = Mutex(0.0)
  var text: String {
    let value = current.withLock { $0 }
    return Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { current.withLock { $0 = value } }
  func increment(by amount: Double) { current.withLock { $0 += amount } }
  func decrement(by amount: Double) { current.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }
}

final class HistogramHandler: TimerHandler, RecorderHandler {
  struct Scale: Sendable {
    let bounds: [Double]
    /// Times, from half a millisecond to ten seconds.
    static let seconds = Scale(bounds: [
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10,
    ])
    /// Counts and sizes.
    static let plain = Scale(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
  }
  private struct State {
    var buckets: [Int64]
    var count: Int64 = 0
    var sum = 0.0
  }
  private let scale: Scale
  private let state: Mutex<State>

  init(scale: Scale) {
    self.scale = scale
    state = Mutex(State(buckets: Array(repeating: 0, count: scale.bounds.count)))
  }

  func record(_ value: Double) {
    let index = scale.bounds.firstIndex { value <= $0 }
    state.withLock { state in
      if let index { state.buckets[index] += 1 }
      state.count += 1
      state.sum += value
    }
  }
  func record(_ value: Int64) { record(Double(value)) }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1_000_000_000) }

  func lines(_ id: SeriesID) -> [String] {
    let state = state.withLock { $0 }
    var total: Int64 = 0
    var lines = zip(scale.bounds, state.buckets).map { bound, count in
      total += count
      return "\(id.line("_bucket", adding: "le=\"\(bound)\"")) \(total)"
    }
    lines.append("\(id.line("_bucket", adding: "le=\"+Inf\"")) \(state.count)")
    lines.append("\(id.line("_sum")) \(state.sum)")
    lines.append("\(id.line("_count")) \(state.count)")
    return lines
  }
}
