// Where the outcome of a request with an `operationID` is kept, and how what is kept there is known again.
//
// Outcomes live in a fixed number of slots per user, so that nobody has to sweep them; an outcome
// that lost its slot to another is forgotten.

import BrumeModel
import BrumeStorage

struct OperationPlace: Sendable {
  private let id: String
  let key: SettingKey
  private let database: DatabaseKey
  private let lifetime: Milliseconds
  /// Ours: of an outcome. What is refused for its name is kept with it, however long it is.
  private static let mostBytes = 1 << 20

  /// Nil when the request has no ID or nobody sends it.
  ///
  /// - Parameter prefix: for requests of other endpoints than that for records.
  init?(
    _ id: String?, prefix: String = "", in database: DatabaseKey, _ scope: DatabaseScope,
    as caller: Caller, limits: Limits
  ) {
    guard let id, !id.isEmpty, id.utf8.count <= limits.labelBytes, let user = caller.user else {
      return nil
    }
    self.id = prefix + id
    lifetime = limits.operationLifetime
    self.database = database
    var hash = StableHash()
    let parts = [
      database.container.name, database.environment.rawValue, database.ownerName, scope.rawValue,
      self.id,
    ]
    for part in parts { hash.add(part) }
    key = .operation(user: user, id: String(hash.value % limits.rememberedOperations))
  }

  /// For a transaction that asks whether something is kept.
  var reads: ReadPlan {
    let key = key
    return ReadPlan { [.setting(key)] }
  }

  /// Nothing is kept of an outcome that is too large.
  ///
  /// - Parameter results: nil for an outcome that is not to be kept; what was there before goes.
  func keep(
    _ results: [(index: Int, kept: OperationMemory.Kept)]?,
    in transaction: any WriteTransaction, now: Milliseconds
  ) throws {
    guard let results else { return try transaction.settings.set(key, to: nil) }
    var packer = Packer()
    packer.add(database.containerEnvironment)
    packer.add(database.ownerName)
    packer.add(id)
    packer.add(now)
    packer.add(Int64(results.count))
    OperationMemory.add(results, to: &packer)
    let isKept = packer.bytes.count <= Self.mostBytes
    try transaction.settings.set(key, to: isKept ? packer.bytes : nil)
  }

  /// The same of a request whose items are all in one transaction.
  func keep(
    _ results: [OperationMemory.Kept], in transaction: any WriteTransaction, now: Milliseconds
  ) throws {
    try keep(
      results.enumerated().map { (index: $0.offset, kept: $0.element) }, in: transaction, now: now)
  }

  /// What was kept of the first try; nil if there was none with so many results, or it is too long ago.
  func kept(
    _ count: Int, in transaction: any ReadTransaction, now: Milliseconds
  ) throws -> [OperationMemory.Kept]? {
    guard let bytes = try transaction.settings.value(key) else { return nil }
    var unpacker = Unpacker(bytes)
    guard let heading = OperationMemory.Heading(&unpacker), heading.isOf(database, id),
      heading.time > now - lifetime, heading.count == count
    else { return nil }
    return OperationMemory.kept(count, from: &unpacker)
  }
}
