// One change of which very many users are notified, each on a device of its own that is not connected:
// what it costs a writer who has nothing to do with it, and what the server's own figures say meanwhile.

import Foundation

struct Subscribers {
  let server: Server
  let table: Table
  let count: Int
  /// How long a writer alone is measured.
  let seconds: Double
  private static let threads = 16

  func run() throws {
    let preparing = ContinuousClock.now
    try subscribe()
    let spent = preparing.duration(to: .now).asSeconds
    table.say(String(format: "  %d users subscribed in %.0f s", count, spent))
    try fanOutWithoutWriters()
    let writer = try Writer(server)
    let alone = try save(alone: writer)
    try settle()
    let before = Server.residentKilobytes(server.processIdentifier)
    let watch = try Watch(server, until: count)
    let start = ContinuousClock.now
    try change()
    watch.begin()
    let meanwhile = try writer.save { watch.isDone }
    let seconds = start.duration(to: .now).asSeconds
    try watch.check()
    try settle()
    let after = Server.residentKilobytes(server.processIdentifier)
    let aloneAgain = try save(alone: writer)
    show("a writer alone", alone)
    show("a writer beside one change to \(count)", meanwhile, beside: (alone, aloneAgain))
    show("a writer alone again", aloneAgain)
    report(watch.samples, seconds: seconds, (before, after))
  }

  private func report(
    _ samples: [Metrics], seconds: Double, _ kilobytes: (before: Int, after: Int)
  ) {
    table.add(
      Row(
        name: "one change delivered to \(count) while a writer writes",
        ours: String(format: "%.1f s, %.0f devices/s", seconds, Double(count) / seconds)))
    let most = samples.map(\.kilobytes).max() ?? 0
    table.add(
      Row(
        name: "  server memory before, at most, after",
        ours: "\(kilobytes.before / 1024), \(most / 1024), \(kilobytes.after / 1024) MB"))
    let lefts = stride(from: 0, to: samples.count, by: max(1, samples.count / 8))
      .map { "\(samples[$0].unserved)" }
    table.add(
      Row(
        name: "  its metrics: the notifier's lag at most",
        ours: "\(samples.map(\.milliseconds).max() ?? 0) ms, "
          + "\(samples.map(\.entries).max() ?? 0) entries",
        verdict: "subscriptions left " + lefts.joined(separator: ", ") + ", 0"))
  }

  private func fanOutWithoutWriters() throws {
    try settle()
    let watch = try Watch(server, until: count)
    let start = ContinuousClock.now
    try change()
    watch.begin()
    while !watch.isDone { usleep(5000) }
    try watch.check()
    table.add(
      Row(
        name: "one change delivered to \(count) with nobody writing",
        ours: String(format: "%.1f s", start.duration(to: .now).asSeconds)))
  }

  private func save(alone writer: Writer) throws -> Saves {
    // Who looks at the figures costs something too, so it looks in all parts.
    let watch = try Watch(server, until: .max / 2)
    watch.begin()
    let saves = try writer.save(seconds: seconds)
    watch.end()
    try watch.check()
    return saves
  }

  private func change() throws {
    _ = try server.connect().request(
      "POST", server.publicPath("records/modify"), Bodies.saveNote)
  }

  private func show(
    _ what: String, _ saves: Saves, beside alone: (before: Saves, after: Saves)? = nil
  ) {
    var row = Row(
      name: what, ours: String(format: "%.0f saves/s", saves.rate),
      verdict: String(
        format: "p50 %.2f ms, p99 %.2f ms, slowest %.2f ms", saves.times.percentile(50),
        saves.times.percentile(99), saves.times.max() ?? 0))
    if let alone {
      let usual = (alone.before.rate + alone.after.rate) / 2
      row.baseline = String(format: "alone %.0f", usual)
      row.ratio = String(format: "%.2f", saves.rate / usual)
      row.verdict = Bound(must: 0.93, aim: 1).verdict(saves.rate / usual) + "; " + row.verdict
    }
    table.add(row)
  }

  /// Users with one subscription and one device each.
  private func subscribe() throws {
    // The first record makes the type.
    _ = try server.connect().request(
      "POST", server.publicPath("records/modify"), Bodies.saveNote)
    let (server, count, next) = (server, count, Counter())
    try onThreads(Self.threads) { _ in
      let connection = try server.connect()
      while case let number = next.increment(), number <= count {
        let credentials = try server.credentials(ofUser: "reader\(number)", connection)
        _ = try connection.request(
          "POST", server.path("subscriptions/modify", "public", credentials, device: "phone"),
          Bodies.watchNotes)
      }
    }
  }

  /// Waits until nobody waits for a push. Entries that concern nobody may stay unread.
  private func settle() throws {
    let connection = try server.connect()
    for _ in 0..<600 {
      let metrics = try Metrics(connection)
      if metrics.milliseconds == 0, metrics.unserved == 0 { return }
      usleep(100_000)
    }
    throw BenchError("the server's lag does not come down")
  }
}

/// What a writer's saves took.
struct Saves {
  var times: [Double] = []
  var rate = 0.0
}

/// Saves records of about 1 KB that nobody watches, one after the other.
private struct Writer {
  let connection: Connection
  let path: String

  init(_ server: Server) throws {
    connection = try server.connect()
    path = server.path("records/modify")
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("alone"))
  }

  func save(seconds: Double) throws -> Saves {
    let start = ContinuousClock.now
    return try save { start.duration(to: .now).asSeconds >= seconds }
  }

  func save(until isDone: () -> Bool) throws -> Saves {
    var saves = Saves()
    let begin = ContinuousClock.now
    repeat {
      let body = Bodies.save(1, zone: "alone")
      let start = ContinuousClock.now
      _ = try connection.request("POST", path, body)
      saves.times.append(start.duration(to: .now).asSeconds * 1000)
    } while !isDone()
    saves.rate = Double(saves.times.count) / begin.duration(to: .now).asSeconds
    return saves
  }
}

/// Some of the server's figures.
private struct Metrics {
  var entries = 0
  var milliseconds = 0
  var unserved = 0
  var written = 0
  var kilobytes = 0

  init(_ connection: Connection) throws {
    let text = String(decoding: try connection.request("GET", "/_brume/metrics"), as: UTF8.self)
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: " ")
      guard parts.count == 2, let number = Double(parts[1]) else { continue }
      let value = Int(number)
      switch parts[0] {
      case "brume_notifier_lag_entries": entries = value
      case "brume_notifier_lag_seconds": milliseconds = Int((number * 1000).rounded())
      case "brume_notifier_unserved_subscriptions": unserved = value
      case "brume_mailbox_entries_written": written = value
      default: continue
      }
    }
  }
}

/// Looks at the server's figures fifty times a second until so many mailbox entries more are written.
private final class Watch: @unchecked Sendable {
  // Sendable because the lock guards what changes, and only one thread uses the connection.
  private let lock = NSLock()
  private let connection: Connection
  private let process: Int32
  private let goal: Int
  private var found: [Metrics] = []
  private var ended = false
  private let errors = FirstError()
  private static let longestSeconds = 600.0

  init(_ server: Server, until count: Int) throws {
    connection = try server.connect()
    process = server.processIdentifier
    goal = try Metrics(connection).written + count
  }

  var isDone: Bool { lock.withLock { ended } }
  var samples: [Metrics] { lock.withLock { found } }

  func end() { lock.withLock { ended = true } }

  /// Throws what ended it too early.
  func check() throws { try errors.check() }

  func begin() {
    Thread.detachNewThread { [self] in
      do { try look() } catch {
        errors.note(error)
        end()
      }
    }
  }

  private func look() throws {
    let start = ContinuousClock.now
    while !isDone {
      guard start.duration(to: .now).asSeconds < Self.longestSeconds else {
        throw BenchError("not all were notified within \(Int(Self.longestSeconds)) s")
      }
      var metrics = try Metrics(connection)
      metrics.kilobytes = Server.residentKilobytes(process)
      lock.withLock {
        found.append(metrics)
        ended = ended || metrics.written >= goal
      }
      usleep(20_000)
    }
  }
}

private final class Counter: @unchecked Sendable {
  // Sendable because the lock guards the only stored state.
  private let lock = NSLock()
  private var value = 0
  func increment() -> Int {
    lock.withLock {
      value += 1
      return value
    }
  }
}
