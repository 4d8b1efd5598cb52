// This program measures a release build of the server beside others in the same run: raw SQLite and raw
// PostgreSQL on the same disk, and programs that do one thing only. Absolute figures depend on the machine and its
// load; the ratios are what counts. It ends with 1 if a part failed.

import Foundation

@main
struct BrumeBench {
  static let parts = [
    "writes", "reads", "pushes", "matching", "apns", "fanout", "subscribers", "growth", "history",
    "postgres",
    "postgres-pages", "nodes", "citus", "capacity",
  ]

  static func main() {
    do {
      let run = try Run(arguments: Array(CommandLine.arguments.dropFirst()))
      exit(try run.measure() == 0 ? 0 : 1)
    } catch {
      FileHandle.standardError.write(Data("benchmark failed: \(error)\n".utf8))
      exit(64)
    }
  }
}

struct Run {
  let brume: String
  /// The program of an earlier build, which growth is compared with.
  let before: String?
  let isTiny: Bool
  let chosen: Set<String>
  /// Numbers of devices, of users and of records, instead of the usual ones.
  let sizes: [Int]
  let folder: String
  let table = Table()

  init(arguments: [String]) throws {
    var words = arguments.dropFirst().filter { $0 != "--tiny" }
      .map { $0 == "--growth" ? "growth" : $0 }
    before = try Self.value(of: "--before", in: &words)
    let unknown = words.filter { !BrumeBench.parts.contains($0) && Int($0) == nil }
    guard let brume = arguments.first, unknown.isEmpty else {
      throw BenchError(
        "'\(unknown.first ?? "")' is not known; usage: BrumeBench PATH-TO-BRUME [--tiny] "
          + "[--before PATH-TO-BRUME] "
          + BrumeBench.parts.map { "[\($0)]" }.joined(separator: " ") + " [NUMBER…]; NUMBER is how "
          + "many devices fanout, how many users subscribers or how many records growth has; "
          + "growth is compared with the build of --before")
    }
    self.brume = brume
    isTiny = arguments.contains("--tiny")
    chosen = Set(words.filter { Int($0) == nil })
    sizes = words.compactMap { Int($0) }
    // Beside the builds: it is never committed, and it is the disk that is measured.
    folder = FileManager.default.currentDirectoryPath + "/.build/bench-\(getpid())"
  }

  /// Takes an option with its value out of the words; nil: it is not among them.
  private static func value(of option: String, in words: inout [String]) throws -> String? {
    guard let place = words.firstIndex(of: option) else { return nil }
    guard place + 1 < words.count else { throw BenchError("\(option) needs a value") }
    defer { words.removeSubrange(place...place + 1) }
    return words[place + 1]
  }

  /// All chosen parts, then the table on standard output; answers how many parts failed.
  func measure() throws -> Int {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let files = Programs.raiseOpenFiles()
    withServer("main", ["writes", "reads", "pushes", "matching"]) { server in
      let raw = try RawSQLite(path: folder + "/raw.sqlite")
      part("writes") {
        try Storage(server: server, raw: raw, table: table).writes(isTiny ? 0.5 : 5)
      }
      part("reads") {
        try Storage(server: server, raw: raw, table: table)
          .reads(isTiny ? 0.5 : 5, records: isTiny ? 2_000 : 100_000)
      }
      part("pushes") { try Pushes.run(server, table, count: isTiny ? 50 : 1000) }
      part("matching") { try Matching.run(brume, server, table, isTiny: isTiny) }
    }
    part("apns") { try APNs.run(brume, folder, table, isTiny: isTiny) }
    for devices in sizes.isEmpty ? (isTiny ? [20] : [1, 100, 1_000, 10_000]) : sizes {
      part("fanout", "fanout \(devices)") { try fanOut(devices, openFiles: files) }
    }
    for users in sizes.isEmpty ? [isTiny ? 200 : 20_000] : sizes {
      withServer("subscribers \(users)", ["subscribers"]) { server in
        try Subscribers(
          server: server, table: table, count: users, seconds: isTiny ? 0.5 : 5
        ).run()
      }
    }
    part("growth") { try growth() }
    part("history") {
      try HistoryCost(brume: brume, folder: folder + "/history", table: table, isTiny: isTiny).run()
    }
    measurePostgres()
    print(heading + "\n\n" + table.text)
    return table.failures
  }

  private var heading: String {
    let size = isTiny ? "; TINY: this shows that it runs, not how fast it is" : ""
    return "records of about 1 KB, synchronous=FULL on both sides, disk of \(folder)\(size)"
  }

  func isChosen(_ part: String) -> Bool { chosen.isEmpty || chosen.contains(part) }

  func part(_ part: String, _ name: String? = nil, _ body: () throws -> Void) {
    if isChosen(part) { table.measure(name ?? part, body) }
  }

  /// A server for some parts. That it does not start is the failure of all of them, in one row.
  private func withServer(
    _ name: String, _ parts: [String], _ body: (Server) throws -> Void
  ) {
    let wanted = parts.filter(isChosen)
    guard !wanted.isEmpty else { return }
    table.measure(parts.count == 1 ? name : wanted.joined(separator: ", ")) {
      let server = try Server(
        binary: brume, folder: folder + "/" + name.replacingOccurrences(of: " ", with: ""))
      defer { server.stop() }
      try body(server)
    }
  }

  /// One zone, on one server or on one of each build.
  private func growth() throws {
    func side(_ binary: String, _ name: String) throws -> GrowthSide {
      let place = folder + "/" + name
      return try GrowthSide(try Server(binary: binary, folder: place), folder: place)
    }
    let now = try side(brume, "growth")
    defer { now.server.stop() }
    let earlier = try before.map { try side($0, "growth-before") }
    defer { earlier?.server.stop() }
    try Growth(
      now: now, before: earlier, table: table, isTiny: isTiny,
      sizes: sizes.isEmpty ? Growth.usualSizes(isTiny: isTiny) : sizes
    ).run()
  }

  /// Each number of devices on a server of its own.
  private func fanOut(_ devices: Int, openFiles: Int) throws {
    guard openFiles >= devices + FanOut.otherFiles else {
      throw NotMeasured(
        "a process may open \(openFiles) files here, \(devices + FanOut.otherFiles) are needed "
          + "(ulimit -Hn)")
    }
    let server = try Server(binary: brume, folder: folder + "/fanout\(devices)")
    defer { server.stop() }
    let mosquitto = try Mosquitto(folder: folder)
    defer { mosquitto?.stop() }
    let writer = try server.connect()
    _ = try writer.request("POST", server.publicPath("records/modify"), Bodies.saveNote)
    try FanOut(
      server: server, mosquitto: mosquitto, raw: try RawSQLite(path: folder + "/commits\(devices)"),
      devices: devices, table: table
    ).run()
  }
}
