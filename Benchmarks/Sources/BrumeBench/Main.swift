// Measures a release build of the server against raw SQLite on the same disk, in the same run.
// Absolute figures depend on the machine and its load; the ratios are what counts.

import Foundation

@main
struct BrumeBench {
  static func main() {
    do { try run() } catch {
      FileHandle.standardError.write(Data("benchmark failed: \(error)\n".utf8))
      exit(1)
    }
  }

  static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 2 else {
      throw BenchError(
        "usage: BrumeBench PATH-TO-BRUME [--tiny] [writes] [reads] [pushes] [matching] [apns] [fanout [DEVICES]] [subscribers [USERS]]"
      )
    }
    let isTiny = arguments.contains("--tiny")
    let seconds = isTiny ? 0.5 : 5.0
    let records = isTiny ? 2_000 : 100_000
    let folder = FileManager.default.currentDirectoryPath + "/.bench-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    let server = try Server(binary: arguments[1], folder: folder + "/data")
    defer { server.stop() }
    let raw = try RawSQLite(path: folder + "/raw.sqlite")
    show("records of about 1 KB, synchronous=FULL on both sides, disk of \(folder)\n")
    let chosen = arguments.dropFirst(2).filter { !$0.hasPrefix("-") }
    func isChosen(_ part: String) -> Bool { chosen.isEmpty || chosen.contains(part) }
    if isChosen("writes") { try writes(server, raw, seconds) }
    if isChosen("reads") { try reads(server, raw, seconds, records) }
    if isChosen("pushes") { try pushes(server, isTiny ? 50 : 1000) }
    if isChosen("matching") { try Matching.run(arguments[1], server, isTiny: isTiny) }
    if isChosen("apns") { try APNs.run(arguments[1], folder, isTiny: isTiny) }
    let sizes = chosen.compactMap { Int($0) }
    if isChosen("fanout") {
      let usual = isTiny ? [20] : [1, 100, 1_000, 10_000]
      try fanOut(arguments[1], folder, raw, sizes.isEmpty ? usual : sizes)
    }
    if isChosen("subscribers") {
      for users in sizes.isEmpty ? [isTiny ? 200 : 20_000] : sizes {
        let server = try Server(binary: arguments[1], folder: folder + "/subscribers\(users)")
        defer { server.stop() }
        try Subscribers(server: server, count: users).run()
      }
    }
  }

  static func writes(_ server: Server, _ raw: RawSQLite, _ seconds: Double) throws {
    let (connection, modify) = (try server.connect(), server.path("records/modify"))
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("one"))
    try alternating(
      "save 1 record, 1 connection", "saves/s", must: 0.35, aim: 0.5,
      { try rate(seconds: seconds / 5) { try raw.save(1) } },
      {
        try rate(seconds: seconds / 5, preparing: { Bodies.save(1, zone: "one") }) {
          _ = try connection.request("POST", modify, $0)
        }
      })
    try alternating(
      "save 1 record, 16 connections, 16 zones", "saves/s", must: 1, aim: 2,
      { try rate(seconds: seconds / 5) { try raw.save(1) } },
      {
        rate(seconds: seconds / 5, threads: 16) { index in
          let connection = try server.connect()
          let zone = "zone\(index)"
          _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone(zone))
          return { _ = try connection.request("POST", modify, Bodies.save(1, zone: zone)) }
        }
      })
    try alternating(
      "save 200 records a request", "records/s", must: 0.35, aim: 0.5,
      { try 200 * rate(seconds: seconds / 5) { try raw.save(200) } },
      {
        try 200
          * rate(seconds: seconds / 5, preparing: { Bodies.save(200, zone: "one") }) {
            _ = try connection.request("POST", modify, $0)
          }
      })
  }

  /// Baseline and server in turns, five times; reports the medians, of the ratios too.
  private static func alternating(
    _ what: String, _ unit: String, must: Double, aim: Double, _ baseline: () throws -> Double,
    _ ours: () throws -> Double
  ) throws {
    let rounds = try (0..<5).map { _ in (raw: try baseline(), ours: try ours()) }
    report(
      what, rounds.map(\.ours).percentile(50), unit, rounds.map(\.raw).percentile(50),
      ratio: rounds.map { $0.ours / $0.raw }.percentile(50), must: must, aim: aim)
  }

  static func reads(_ server: Server, _ raw: RawSQLite, _ seconds: Double, _ records: Int) throws {
    let (connection, fetch) = (try server.connect(), server.path("changes/zone"))
    _ = try connection.request("POST", server.path("zones/modify"), Bodies.createZone("big"))
    for _ in 0..<records / 200 {
      _ = try connection.request(
        "POST", server.path("records/modify"), Bodies.save(200, zone: "big"))
    }
    show(
      "  server memory after \(records) records: \(server.residentMemory) MB (must: at most 119)")
    let start = ContinuousClock.now
    var tokens: [String] = []
    var token: String?
    for _ in 0..<records / 200 {
      let page = try connection.request(
        "POST", fetch, Bodies.changes(zone: "big", token: token, limit: 200))
      token = Bodies.string("syncToken", in: page)
      if let token { tokens.append(token) }
    }
    let full = Double(records) / start.duration(to: .now).asSeconds
    show("  first full fetch of \(records): \(Int(full)) records/s")
    let rawPages = rate(seconds: seconds) { _ = raw.page() }
    let pages = try rate(seconds: seconds) {
      let body = Bodies.changes(zone: "big", token: tokens.randomElement(), limit: 100)
      _ = try connection.request("POST", fetch, body)
    }
    report(
      "page of 100 changes out of \(records)", pages, "pages/s", rawPages, must: 880 / rawPages,
      aim: 0.25)
    show("  server memory after reading: \(server.residentMemory) MB")
  }

  /// Each number of devices on a server of its own.
  static func fanOut(
    _ brume: String, _ folder: String, _ raw: RawSQLite, _ sizes: [Int]
  ) throws {
    for devices in sizes {
      let server = try Server(binary: brume, folder: folder + "/fanout\(devices)")
      defer { server.stop() }
      let mosquitto = try Mosquitto(folder: folder)
      defer { mosquitto?.stop() }
      let writer = try server.connect()
      _ = try writer.request("POST", server.publicPath("records/modify"), Bodies.saveNote)
      try FanOut(server: server, mosquitto: mosquitto, raw: raw, devices: devices).run()
    }
  }

  static func pushes(_ server: Server, _ count: Int) throws {
    let pushes = try Pushes.times(server, count: count).map(\.push)
    show(
      String(
        format: "  save to the other device's push: p50 %.2f ms, p99 %.2f ms",
        pushes.percentile(50), pushes.percentile(99)))
  }

  /// Unbuffered, so that figures come as they are measured.
  static func show(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  static func report(
    _ what: String, _ value: Double, _ unit: String, _ baseline: Double, ratio: Double? = nil,
    must: Double, aim: Double
  ) {
    let ratio = ratio ?? value / baseline
    let verdict = ratio >= aim ? "aim met" : ratio >= must ? "must met" : "BELOW MUST"
    show(
      String(
        format: "  %@: %.0f %@; raw SQLite %.0f; ratio %.2f (must %.2f, aim %.2f): %@",
        what, value, unit, baseline, ratio, must, aim, verdict))
  }
}
