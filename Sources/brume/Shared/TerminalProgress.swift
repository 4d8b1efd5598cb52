// One line of progress that is written over itself: on a terminal only, and only for what takes longer than two
// seconds. Scripts and logs never see it.

import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

final class TerminalProgress: Sendable {
  static let isOnTerminal = isatty(STDERR_FILENO) == 1
  private static let pauses = (first: Duration.seconds(2), others: Duration.milliseconds(200))
  private let next = Mutex(ContinuousClock.now + pauses.first)
  private let isShown = Mutex(false)
  /// What was last shown of the work itself.
  private let latest = Mutex<ProgressLine?>(nil)

  func show(_ words: @autoclosure () -> String) {
    show(line: ProgressLine(words: words(), share: nil))
  }

  /// The same with a bar. Where it is not known how much there is, `all` is 0, and there is none.
  func show(_ words: @autoclosure () -> String, _ done: Int64, of all: Int64) {
    let share = all > 0 ? ProgressLine.Share(done: done, all: all) : nil
    show(line: ProgressLine(words: words(), share: share))
  }

  private func show(line: @autoclosure () -> ProgressLine) {
    guard Self.isOnTerminal else { return }
    let line = line()
    latest.withLock { $0 = line }
    let now = ContinuousClock.now
    let isDue = next.withLock { next in
      guard now >= next else { return false }
      next = now + Self.pauses.others
      return true
    }
    if isDue { write(line) }
  }

  /// Shows what is said meanwhile, again and with the seconds while nothing new comes: a server may be silent for long.
  ///
  /// - Parameter first: what to say before anything else was shown.
  func during<Value>(
    _ first: String, _ work: () async throws -> Value
  ) async throws -> Value {
    guard Self.isOnTerminal else { return try await work() }
    latest.withLock { $0 = nil }
    let start = ContinuousClock.now
    let talk = Task { [self] in
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        repeatLatest(or: first, after: ContinuousClock.now - start)
      }
    }
    defer {
      talk.cancel()
      end()
    }
    return try await work()
  }

  private func repeatLatest(or first: String, after time: Duration) {
    guard next.withLock({ ContinuousClock.now >= $0 }) else { return }
    var line = latest.withLock { $0 } ?? ProgressLine(words: first, share: nil)
    line.words += ": \(time.components.seconds) s"
    write(line)
  }

  /// What somebody waits for: says so, with the seconds that it took, on a line that `work` may write to as well.
  static func waiting<Value: Sendable>(
    for what: @autoclosure @escaping @Sendable () -> String,
    on progress: TerminalProgress = TerminalProgress(),
    _ work: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard isOnTerminal else { return try await work() }
    let start = ContinuousClock.now
    let talk = Task {
      while !Task.isCancelled {
        try await Task.sleep(for: .seconds(1))
        progress.show("\(what()): \((ContinuousClock.now - start).components.seconds) s")
      }
    }
    defer {
      talk.cancel()
      progress.end()
    }
    return try await work()
  }

  /// Clears the line before something else is said.
  func end() {
    let wasShown = isShown.withLock { isShown in
      defer { isShown = false }
      return isShown
    }
    if wasShown { Output.replaceLine(with: "") }
  }

  private func write(_ line: ProgressLine) {
    isShown.withLock { $0 = true }
    Output.replaceLine(with: line.text(width: ProgressLine.terminalWidth))
  }

  /// Bytes in words: "12.3 MB".
  static func bytes(_ count: Int64) -> String {
    for (unit, size) in [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1000)]
      as [(String, Int64)]
    where count >= size {
      return "\(count / size).\(count % size * 10 / size) \(unit)"
    }
    return "\(count) bytes"
  }
}
