// What an app gets when there is no server, or one that breaks off: real sockets, no scripts.

import BrumeKit
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

@Suite(.timeLimit(.minutes(10)))
struct NoServerTests {
  private static func device(_ url: URL) -> Device {
    Device(
      Brume.container(
        Brume.Configuration(
          url: url, container: "iCloud.test", apiToken: "token", userToken: "user",
          deviceID: "phone")))
  }

  /// A port of this machine where nobody listens: it was free a moment ago, and nobody gets it while
  /// it stays bound.
  private static func withClosedPort(_ body: (URL) async throws -> Void) async throws {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(server) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(server, $0, length) == 0 && getsockname(server, $0, &length) == 0
      }
    }
    try #require(isBound)
    let port = UInt16(bigEndian: address.sin_port)
    try await body(try #require(URL(string: "http://127.0.0.1:\(port)")))
  }

  private static func errors(_ device: Device) async throws -> [CKError] {
    [
      try await failure { _ = try await device.fetch("a") },
      try await failure { _ = try await device.save("a") },
      try await failure { _ = try await device.container.userRecordID() },
    ]
  }

  @Test func `LIM-07 without a server every call is networkFailure and asks whether it runs`()
    async throws
  {
    try await Self.withClosedPort { url in
      for error in try await Self.errors(Self.device(url)) {
        #expect(error.code == .networkFailure)
        #expect(error.localizedDescription.contains("is the server running?"))
      }
    }
  }

  @Test func `LIM-07 a host that nobody knows is networkUnavailable`() async throws {
    let url = try #require(URL(string: "http://nowhere.invalid:8787"))
    for error in try await Self.errors(Self.device(url)) {
      #expect(error.code == .networkUnavailable)
      #expect(error.localizedDescription.contains("nowhere.invalid"))
    }
  }

  @Test(arguments: [
    "", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "this is no HTTP\r\n\r\n",
  ])
  func `an answer that breaks off is lost to a save and a network failure to a fetch`(
    answer: String
  ) async throws {
    let server = try BusyServer(answering: answer)
    let device = Self.device(server.url)
    let errors = try await Self.errors(device)
    #expect(errors.map(\.code) == [.networkFailure, .serverResponseLost, .networkFailure])
    withExtendedLifetime(server) {}
  }

  @Test func `a zone goes to a new connection when the server took nothing in on the first`()
    async throws
  {
    let body = #"{"zones":[{"zoneID":{"zoneName":"Z"}}]}"#
    let server = try BusyServer(inTurn: [
      "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
    ])
    let zone = try await Self.device(server.url).makeZone("Z")
    #expect(zone.zoneID.zoneName == "Z")
    withExtendedLifetime(server) {}
  }

  @Test func `a fetch of an answer that breaks off is made again`() async throws {
    let body = #"{"userRecordName":"_1"}"#
    let server = try BusyServer(inTurn: [
      "", "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
    ])
    let user = try await Self.device(server.url).container.userRecordID()
    #expect(user.recordName == "_1")
    withExtendedLifetime(server) {}
  }

  @Test func `an asset that cannot be sent is a network failure of its record`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("picture".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try await Self.withClosedPort { url in
      let device = Self.device(url)
      let error = try await failure {
        _ = try await device.save("a", ["picture": CKAsset(fileURL: file)])
      }
      #expect(error.code == .networkFailure)
    }
  }
}
