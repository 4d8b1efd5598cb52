// The APNs sender beside h2load, both against nghttpd over TLS on one connection (all from Debian's
// package nghttp2). What the other side answers does not matter, only that it does.

import Foundation

enum APNs {
  static func run(_ brume: String, _ folder: String, _ table: Table, isTiny: Bool) throws {
    let nghttpd = try Programs.find("nghttpd", package: "nghttp2-server")
    let h2load = try Programs.find("h2load", package: "nghttp2-client")
    let openssl = try Programs.find("openssl", package: "openssl")
    let (certificate, key) = (folder + "/server.pem", folder + "/sender.p8")
    try make(openssl, folder, certificate, key)
    let port = try Programs.freePort()
    let other = Process()
    other.executableURL = URL(filePath: nghttpd)
    other.arguments = [
      "-n1", "-d", folder, "-a", "127.0.0.1", String(port), folder + "/server.key", certificate,
    ]
    other.standardOutput = FileHandle.nullDevice
    other.standardError = FileHandle.nullDevice
    try other.run()
    defer {
      other.terminate()
      other.waitUntilExit()
    }
    try Programs.wait(for: other, listeningAt: port)
    let count = isTiny ? 2_000 : 50_000
    let (ours, theirs) = (
      try sender(brume, port, certificate, key, count), try baseline(h2load, folder, port, count)
    )
    table.add(
      Row(
        name: "APNs sender, 1 connection", ours: String(format: "%.0f pushes/s", ours),
        baseline: String(format: "h2load %.0f", theirs),
        ratio: String(format: "%.2f", ours / theirs),
        verdict: Bound(must: 0.03, aim: 0.1).verdict(ours / theirs)
          + (ours >= 4500 ? "" : "; BELOW MUST of 4500 pushes/s")))
  }

  private static func make(
    _ openssl: String, _ folder: String, _ certificate: String, _ key: String
  ) throws {
    _ = try Programs.output(
      openssl,
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", folder + "/server.key", "-out", certificate, "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ])
    _ = try Programs.output(
      openssl,
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key])
  }

  private static func sender(
    _ brume: String, _ port: UInt16, _ certificate: String, _ key: String, _ count: Int
  ) throws -> Double {
    let answer = try Programs.output(
      brume,
      [
        "bench", "apns", "https://localhost:\(port)", "--trust", certificate, "--key-file", key,
        "--pushes", String(count), "--json",
      ])
    let json = try JSONSerialization.jsonObject(with: Data(answer.utf8)) as? [String: Any]
    guard let rate = json?["pushesPerSecond"] as? Double else {
      throw BenchError("brume bench apns: \(answer)")
    }
    return rate
  }

  /// A body as long as a usual push.
  private static func baseline(
    _ h2load: String, _ folder: String, _ port: UInt16, _ count: Int
  ) throws -> Double {
    try Data(repeating: 0x78, count: 387).write(to: URL(filePath: folder + "/push"))
    let answer = try Programs.output(
      h2load,
      [
        "-c1", "-m1000", "-n\(count * 2)", "-d", folder + "/push",
        "https://127.0.0.1:\(port)/3/device/abc",
      ])
    let words = answer.split(whereSeparator: { $0 == " " || $0 == "," || $0 == "\n" })
    guard let place = words.firstIndex(of: "req/s"), place > 0, let rate = Double(words[place - 1])
    else { throw BenchError("h2load: \(answer)") }
    return rate
  }
}
