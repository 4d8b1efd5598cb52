// What Trace's history costs where it is on all the time: two servers in turns, one of them with `--history-hours 0`. Each
// has a device at an open stream, so that every save is a push, of which the history keeps a row.

import Foundation

struct HistoryCost {
  let brume: String
  let folder: String
  let table: Table
  let isTiny: Bool
  private var saves: Int { isTiny ? 20 : 400 }
  private var rounds: Int { isTiny ? 2 : 12 }
  /// Ours: what may be paid for an answer to "why did it not come?".
  private static let most = Bound(must: 1.2)

  /// A server, and what was measured of it.
  private final class Side {
    let server: Server
    let folder: String
    var rounds: [Round] = []

    init(_ brume: String, _ folder: String, _ arguments: [String]) throws {
      self.folder = folder
      server = try Server(binary: brume, folder: folder, arguments: arguments)
    }
  }

  private struct Round {
    /// Microseconds of all threads of the server, for a save with its push.
    let processor: Double
    /// Milliseconds, in the middle.
    let reply: Double
    let push: Double
  }

  func run() throws {
    let with = try Side(brume, folder + "/with", [])
    defer { with.server.stop() }
    let without = try Side(brume, folder + "/without", ["--history-hours", "0"])
    defer { without.server.stop() }
    for side in [with, without] {
      try Pushes.prepare(side.server)
      // What a first push makes once is nobody's cost.
      _ = try measure(side)
    }
    for number in 0..<rounds {
      for side in number.isMultiple(of: 2) ? [with, without] : [without, with] {
        side.rounds.append(try measure(side))
      }
    }
    report(with, without)
    try reportDisk(with, without)
  }

  private func measure(_ side: Side) throws -> Round {
    let before = Processor.nanoseconds(of: side.server.processIdentifier)
    let times = try Pushes.measure(
      side.server, listeningAt: side.server, count: saves, pause: 0)
    let spent = Processor.nanoseconds(of: side.server.processIdentifier) - before
    return Round(
      processor: Double(spent) / 1000 / Double(saves), reply: times.map(\.reply).percentile(50),
      push: times.map(\.push).percentile(50))
  }

  private func report(_ with: Side, _ without: Side) {
    for (what, unit, value, bound) in [
      (
        "processor time of a save and its push, with Trace's history", "µs", \Round.processor,
        Self.most
      ),
      ("  its reply, p50", "ms", \.reply, nil), ("  its push, p50", "ms", \.push, nil),
    ] as [(String, String, KeyPath<Round, Double>, Bound?)] {
      let (ours, theirs) = (
        with.rounds.map { $0[keyPath: value] }, without.rounds.map { $0[keyPath: value] }
      )
      // Of the pairs, which stood beside each other.
      let ratios = zip(ours, theirs).map { $0 / max($1, 0.001) }
      let ratio = ratios.percentile(50)
      table.add(
        Row(
          name: what, ours: String(format: "%.2f %@", ours.percentile(50), unit),
          baseline: String(format: "without %.2f", theirs.percentile(50)),
          ratio: String(
            format: "%.2f (%.2f to %.2f)", ratio, ratios.min() ?? 0, ratios.max() ?? 0),
          verdict: bound?.verdict(atMost: ratio) ?? ""))
    }
  }

  /// After their end, when nothing is left in a log of the database.
  private func reportDisk(_ with: Side, _ without: Side) throws {
    for side in [with, without] { side.server.stop() }
    let changes = Double((rounds + 1) * saves)
    let (ours, theirs) = (Self.bytes(with.folder), Self.bytes(without.folder))
    table.add(
      Row(
        name: "  on the disk, for a change",
        ours: String(format: "%.2f KB", Double(ours) / changes / 1000),
        baseline: String(format: "without %.2f", Double(theirs) / changes / 1000),
        ratio: String(format: "%.2f", Double(ours) / Double(max(theirs, 1)))))
  }

  private static func bytes(_ folder: String) -> Int {
    ["brume.sqlite", "brume.sqlite-wal"].reduce(0) { sum, name in
      let file = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      return sum + ((file?[.size] as? Int) ?? 0)
    }
  }
}

/// What a process has computed.
enum Processor {
  /// Of all its threads; 0 where the system does not say.
  static func nanoseconds(of process: Int32) -> Int {
    let place = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    return threads.reduce(0) { sum, thread in
      let text =
        (try? String(contentsOfFile: "\(place)/\(thread)/schedstat", encoding: .utf8)) ?? ""
      return sum + (text.split(separator: " ").first.flatMap { Int($0) } ?? 0)
    }
  }
}
