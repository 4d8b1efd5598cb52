// The server that a backup is taken from: the calls under /_brume/admin/backups, and what their failures mean to the
// command.

import BrumeClient
import BrumeModel
import BrumeServer
import BrumeWire

struct BackupSource: Sendable {
  /// The server does not keep the snapshot (any more).
  struct Gone: Error {}
  /// The server does not have the bytes of an asset.
  struct Missing: Error {}
  /// The server's disk takes no snapshot.
  struct NoSnapshot: Error {
    let failure: StatusFailure
    /// Where the server's database can be read without one; nil: nowhere.
    let folder: String?
  }

  let url: String
  private let access: ServerAccess
  private let adminToken: String
  private let transport = ProgramTransport()

  /// - Throws: `StatusFailure` if no admin token is named.
  init(_ access: ServerAccess) throws {
    self.access = access
    url = access.url
    adminToken = try access.requiredToken()
  }

  /// Has a snapshot made, and answers its ID.
  func begin() async throws -> String {
    let answer = try await ask("POST", "")
    guard let id = answer["id"]?.string else { throw access.noServer }
    return id
  }

  /// Waits until a snapshot is made, and answers its size in bytes.
  func size(of id: String, progress: TerminalProgress) async throws -> Int64 {
    while true {
      let answer = try await ask("GET", "?id=\(id)")
      let bytes = answer["bytes"]?.int ?? 0
      switch answer["state"]?.string {
      case "ready": return bytes
      case "failed":
        throw noSnapshot(answer)
      case .some, .none:
        progress.show("the server writes its snapshot: \(TerminalProgress.bytes(bytes))")
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func noSnapshot(_ answer: JSON) -> any Error {
    let reason = "the server could not make a snapshot: \(answer["reason"]?.string ?? "")"
    guard answer["disk"]?.bool == true else { return StatusFailure(.software, reason) }
    let isInFolder = answer["engine"]?.string == "sqlite"
    let advice =
      isInFolder && access.folder == nil
      ? ". On its machine 'brume backup FILE --data FOLDER' needs none, and no room on its disk"
      : ""
    return NoSnapshot(
      failure: StatusFailure(.disk, reason + advice), folder: isInFolder ? access.folder : nil)
  }

  func rows(
    of id: String, from offset: Int64, _ take: (ArraySlice<UInt8>) throws -> Void
  ) async throws {
    try await download("/rows?id=\(id)&offset=\(offset)", take)
  }

  func asset(
    _ object: String, checksum: String, size: Int64, of id: String,
    _ take: (ArraySlice<UInt8>) throws -> Void
  ) async throws {
    let query = FormText.query([
      ("id", id), ("object", object), ("checksum", checksum), ("size", String(size)),
    ])
    try await download("/asset\(query)", take)
  }

  /// What cannot be removed goes by itself.
  func remove(_ id: String) async {
    _ = try? await ask("POST", "/remove", (["id": .string(id)] as JSON).bytes())
  }

  // MARK: Calls

  private func call(_ method: String, _ target: String, _ body: [UInt8] = []) -> HTTPCall {
    HTTPCall(
      method: method, base: url, target: "/_brume/admin/backups" + target,
      headers: [.init("Authorization", "Bearer \(adminToken)")], body: body, timeout: .seconds(60),
      trust: access.trust)
  }

  private func ask(_ method: String, _ target: String, _ body: [UInt8] = []) async throws -> JSON {
    let answer = try await transport.send(call(method, target, body))
    try check(answer)
    guard let json = try? JSON(parsing: answer.body) else { throw access.noServer }
    return json
  }

  private func download(
    _ target: String, _ take: (ArraySlice<UInt8>) throws -> Void
  ) async throws {
    let refusal = try await transport.download(call("GET", target)) { try take($0) }
    if let refusal { try check(refusal) }
  }

  private func check(_ answer: HTTPAnswer) throws {
    if answer.isSuccess { return }
    guard let json = try? JSON(parsing: answer.body) else { throw access.noServer }
    let error = Wire.error(json)
    switch error.code {
    case .notFound where answer.status == 404: throw Gone()
    case .assetNotAvailable: throw Missing()
    // The token is known, and may only read.
    case .accessDenied: throw StatusFailure(.noPermission, error.reason)
    case .authenticationFailed, .authenticationRequired, .missingEntitlement:
      // The folder's token is of one start; an operator's lasts.
      let advice = access.folder == nil ? "" : ". A server makes a new one at each start"
      throw StatusFailure(
        .noPermission, "the server at \(url) refuses the admin token: \(error.reason)\(advice)")
    // Others take backups.
    case .throttled: throw StatusFailure(.again, error.reason)
    default:
      throw StatusFailure(answer.status < 500 ? .unavailable : .again, error.reason)
    }
  }
}
