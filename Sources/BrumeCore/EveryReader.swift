// All readers of this target for bytes that come from outside or from a store, at once: for those who try whether
// any bytes may come (Tests/Fuzz). None of them may trap, whoever wrote the bytes.

package import BrumeModel
import BrumeStorage

/// Reads bytes as everything that they could be.
package enum EveryReader {
  /// Reads bytes as the payload of each kind of seal, and as each value that settings hold.
  ///
  /// - Returns: how many took them.
  /// - Throws: what a reader throws: never for the bytes, which are none of its kind then.
  @discardableResult
  package static func read(_ bytes: [UInt8]) throws -> Int {
    try sealed(bytes) + kept(bytes)
  }

  private static func sealed(_ bytes: [UInt8]) -> Int {
    let token = TokenRules.token(bytes)
    if let token, TokenRules.token(TokenRules.bytes(token)) != token {
      preconditionFailure("a change token is not what was written")
    }
    let seal = Seal(secret: [1])
    func text(_ purpose: Seal.Purpose) -> String { seal.text(bytes, for: purpose) }
    let taken: [Bool] = [
      token != nil, ContinuationMarker(bytes) != nil, WebAuthToken(bytes) != nil,
      SealedCourierToken(bytes) != nil, AuthorizationState(bytes) != nil, SignInState(bytes) != nil,
      OperatorAuthorizationState(bytes) != nil,
      seal.assetTicket(text(.assetTicket)) != nil, seal.assetReceipt(text(.assetReceipt)) != nil,
      seal.downloadToken(text(.downloadToken)) != nil,
      seal.exportedAsset(text(.exportedAsset)) != nil,
      (try? BackupHeader(bytes)) != nil, BackupAssetPiece(bytes) != nil,
      BackupAssetCount(bytes) != nil, BackupRowsEnd(bytes) != nil,
    ]
    return taken.count { $0 }
  }

  private final class OneSetting: SettingReading {
    let bytes: [UInt8]
    init(_ bytes: [UInt8]) { self.bytes = bytes }
    func value(_ key: SettingKey) throws -> [UInt8]? { bytes }
  }

  private static func kept(_ bytes: [UInt8]) throws -> Int {
    let (setting, user) = (OneSetting(bytes), UserID("_a"))
    let pending = try PendingUploads(of: user, now: 0, lifetime: 1, from: setting)
    var unpacker = Unpacker(bytes)
    let taken: [Bool] = [
      pending.bytes != 0, OperationMemory.Heading(&unpacker) != nil,
      OperationMemory.kept(1, from: &unpacker) != nil,
      !ClientData.Entries(bytes, ofIncarnation: 1).list.isEmpty, KeptCount(bytes, of: .zone) != nil,
      KeptCount(bytes, of: .database) != nil,
      !SubscriptionTypes(bytes).kinds.isEmpty, isMarked(bytes),
      (try? MoveNote(text: String(decoding: bytes, as: UTF8.self))) != nil,
    ]
    return taken.count { $0 }
  }

  private static func isMarked(_ bytes: [UInt8]) -> Bool {
    let marks = SequenceMarks(bytes)
    guard SequenceMarks(marks.bytes) == marks else {
      preconditionFailure("marks of sequences are not what was written")
    }
    var later = marks
    later.note(1, at: 1_795_176_000_000, every: 1)
    later.forget(through: 1)
    return !marks.marks.isEmpty
  }

  /// Reads a signature of a server key, secrets of operators, or addresses of web pages.
  package static func readProof(
    publicKey: String, date: String, signature: String, now: Milliseconds
  ) {
    let containerEnvironment = ContainerEnvironment(ContainerID("iCloud.a"), .development)
    let key = ServerKey(
      id: "k", name: "k", in: containerEnvironment, publicKey: publicKey, user: UserID("_a"))
    let request = SignedRequest(
      keyID: "k", date: date, signature: signature, target: "/database/1", body: [])
    let proof = ServerKeySignature(request: request)
    _ = proof.obstacle(key: key, now: now, limits: .apple)
    _ = proof.identity
    _ = OperatorSecret.id(of: signature)
    try? OriginRules.origin(signature, limits: .apple)
    try? OriginRules.callback(signature, limits: .apple)
  }
}
