// Other programs: where they are, what they print, and when they listen.

import Foundation

#if canImport(Glibc)
  import Glibc
#endif

enum Programs {
  /// - Throws: `NotMeasured`, with the Debian package to install, if it is not there.
  static func find(_ name: String, package: String) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let folders = path.split(separator: ":").map(String.init) + ["/usr/local/sbin", "/usr/sbin"]
    let found = folders.map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
    guard let found else {
      throw NotMeasured("\(name) is not installed (apt-get install \(package))")
    }
    return found
  }

  /// What a program prints. If it fails, its own words are in the error.
  static func output(_ program: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    let talk = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID().uuidString)")
    try Data().write(to: talk)
    defer { try? FileManager.default.removeItem(at: talk) }
    process.standardError = try FileHandle(forWritingTo: talk)
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let words = (try? String(contentsOf: talk, encoding: .utf8)) ?? ""
      let last = (words + text).split(separator: "\n").last ?? "it says nothing"
      let name = URL(filePath: program).lastPathComponent
      throw BenchError(
        "\(name) \(arguments.first ?? "") ended with \(process.terminationStatus): \(last)")
    }
    return text
  }

  /// A port that nobody uses now.
  static func freePort() throws -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, length) == 0 ? getsockname(socket, $0, &length) : -1
      }
    }
    guard status == 0 else { throw BenchError("no port is free: \(errno)") }
    return UInt16(bigEndian: address.sin_port)
  }

  /// Returns when something listens at a port; throws when the process has ended or after a while.
  static func wait(for process: Process, listeningAt port: UInt16) throws {
    for _ in 0..<500 where process.isRunning {
      if let socket = try? TCP.connect(port: port) {
        close(socket)
        return
      }
      usleep(20_000)
    }
    let name = process.executableURL?.lastPathComponent ?? "a program"
    throw BenchError("\(name) does not listen at port \(port)")
  }

  /// As many open files as this machine allows, for us and for what we start.
  static func raiseOpenFiles() -> Int {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    return Int(clamping: limit.rlim_cur)
  }
}
