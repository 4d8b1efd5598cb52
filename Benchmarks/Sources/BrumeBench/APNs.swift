// The APNs sender beside h2load, both against nghttpd over TLS on one connection (all from Debian's
// package nghttp2). What the other side answers does not matter, only that it does.

import Foundation

enum APNs {
  static func run(_ brume: String, _ folder: String, isTiny: Bool) throws {
    guard let nghttpd = tool("nghttpd"), let h2load = tool("h2load"), let openssl = tool("openssl")
    else { return BrumeBench.show("  APNs sender: not measured (apt-get install nghttp2 openssl)") }
    let (certificate, key) = (folder + "/server.pem", folder + "/sender.p8")
    try make(openssl, folder, certificate, key)
    let port = 30_000 + Int(getpid()) % 10_000
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
    usleep(700_000)
    let count = isTiny ? 2_000 : 50_000
    let (ours, theirs) = (
      try sender(brume, port, certificate, key, count), try baseline(h2load, folder, port, count)
    )
    BrumeBench.show(
      String(
        format: "  APNs sender, 1 connection: %.0f pushes/s (must 4500): %@; h2load %.0f; "
          + "ratio %.2f (must 0.03, aim 0.1)",
        ours, ours >= 4500 ? "must met" : "BELOW MUST", theirs, ours / theirs))
  }

  private static func make(
    _ openssl: String, _ folder: String, _ certificate: String, _ key: String
  ) throws {
    _ = try output(
      openssl,
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", folder + "/server.key", "-out", certificate, "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
      ])
    _ = try output(
      openssl,
      ["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key])
  }

  private static func sender(
    _ brume: String, _ port: Int, _ certificate: String, _ key: String, _ count: Int
  ) throws -> Double {
    let answer = try output(
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
    _ h2load: String, _ folder: String, _ port: Int, _ count: Int
  ) throws -> Double {
    try Data(repeating: 0x78, count: 387).write(to: URL(filePath: folder + "/push"))
    let answer = try output(
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

  private static func tool(_ name: String) -> String? {
    ["/usr/bin/", "/usr/sbin/", "/usr/local/bin/"].map { $0 + name }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func output(_ program: String, _ arguments: [String]) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw BenchError("\(program) failed: \(text)") }
    return text
  }
}
