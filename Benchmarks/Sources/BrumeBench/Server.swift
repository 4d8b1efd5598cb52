// A release build of `brume` with a data folder on the same disk as the baseline.

import Foundation

final class Server: @unchecked Sendable {
  // Sendable because everything is set once, before other threads see it.
  let port: UInt16
  private let process: Process
  private let adminToken: String
  private let values: [String: String]

  /// - Parameter arguments: more than every server gets, such as where records are kept.
  init(binary: String, folder: String, arguments: [String] = []) throws {
    process = Process()
    process.executableURL = URL(filePath: binary)
    process.arguments =
      [
        "serve", "--dev", "--port", "0", "--data", folder, "--log-level", "error",
        "--connections", "12000", "--address-connections", "12000",
      ] + arguments
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    var found: [String: String] = [:]
    for _ in 0..<600 where found["BRUME_URL"] == nil && process.isRunning {
      usleep(50_000)
      found = Server.status(binary, folder)
    }
    guard let url = found["BRUME_URL"].flatMap(URL.init(string:)), let port = url.port else {
      if process.isRunning { process.terminate() }
      process.waitUntilExit()
      throw BenchError("the server did not start: it ended with \(process.terminationStatus)")
    }
    self.port = UInt16(port)
    values = found
    let file = try Data(contentsOf: URL(filePath: folder + "/server.json"))
    let json = try JSONSerialization.jsonObject(with: file) as? [String: Any]
    adminToken = json?["adminToken"] as? String ?? ""
  }

  private static func status(_ binary: String, _ folder: String) -> [String: String] {
    let status = Process()
    status.executableURL = URL(filePath: binary)
    status.arguments = ["status", "--data", folder, "--format", "env"]
    let pipe = Pipe()
    status.standardOutput = pipe
    status.standardError = FileHandle.nullDevice
    guard (try? status.run()) != nil else { return [:] }
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    status.waitUntilExit()
    let pairs = text.split(separator: "\n").compactMap { line -> (String, String)? in
      guard let equals = line.firstIndex(of: "=") else { return nil }
      return (String(line[..<equals]), String(line[equals...].dropFirst()))
    }
    return Dictionary(pairs) { $1 }
  }

  func connect() throws -> Connection { try Connection(host: "127.0.0.1", port: port) }

  /// A path of Apple's protocol with the credentials of one of alice's devices.
  func path(_ endpoint: String, device: String = "bench") -> String {
    "/database/1/\(values["BRUME_CONTAINER"] ?? "")/development/private/\(endpoint)?\(credentials(device))"
  }
  func credentials(_ device: String) -> String {
    let token = values["BRUME_USER_TOKEN_ALICE"] ?? ""
    let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return
      "ckAPIToken=\(values["BRUME_API_TOKEN"] ?? "")&ckWebAuthToken=\(escaped)&clientId=\(device)"
  }
  var streamPath: String {
    "/_brume/stream?container=\(values["BRUME_CONTAINER"] ?? "")&environment=development&\(credentials("listener"))"
  }

  /// The credentials of a user that is made for the occasion.
  func credentials(ofUser name: String, _ connection: Connection? = nil) throws -> String {
    let header = "Authorization: Bearer \(adminToken)\r\n"
    let connection = try connection ?? connect()
    let query = "?container=\(values["BRUME_CONTAINER"] ?? "")&environment=development"
    _ = try connection.request(
      "POST", "/_brume/admin/users" + query, Array(#"{"name":"\#(name)"}"#.utf8), headers: header)
    let answer = try connection.request(
      "POST", "/_brume/admin/users/token" + query, Array(#"{"user":"\#(name)"}"#.utf8),
      headers: header)
    let token = Bodies.string("token", in: answer) ?? ""
    let escaped = token.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    return "ckAPIToken=\(values["BRUME_API_TOKEN"] ?? "")&ckWebAuthToken=\(escaped)"
  }
  func path(
    _ endpoint: String, _ scope: String, _ credentials: String, device: String
  ) -> String {
    "/database/1/\(values["BRUME_CONTAINER"] ?? "")/development/\(scope)/\(endpoint)?\(credentials)&clientId=\(device)"
  }
  func publicPath(_ endpoint: String) -> String {
    "/database/1/\(values["BRUME_CONTAINER"] ?? "")/development/public/\(endpoint)?\(credentials("bench"))"
  }
  func streamPath(_ credentials: String, device: String) -> String {
    "/_brume/stream?container=\(values["BRUME_CONTAINER"] ?? "")&environment=development&\(credentials)&clientId=\(device)"
  }
  var processIdentifier: Int32 { process.processIdentifier }

  static func residentKilobytes(_ process: Int32) -> Int {
    let status =
      (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  /// Resident memory in MB.
  var residentMemory: Int { Server.residentKilobytes(process.processIdentifier) / 1024 }

  func stop() {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }
}
