// A zone and its schema as they will be if a batch succeeds: what is stored, with the batch's changes laid over.
// Nothing is written here, so a refused item leaves no trace, and the order of a batch's items does
// not matter (cases ATM-09, ATM-10).

import BrumeModel
import BrumeStorage

final class Stage {
  let transaction: any ReadTransaction
  let zone: ZoneKey
  private(set) var puts: [String: Record] = [:]
  private(set) var removals: Set<String> = []
  /// What shares that are made or end here do to their roots.
  private var rootLinks = RootLinks()
  private(set) var schema: JustInTimeSchema
  private let schemaBefore: JustInTimeSchema
  /// What records brought since the schema learned something, by their names.
  private var admittedFields: [String: AdmittedFields] = [:]
  private var hasWithdrawnFields = false
  private var stored: [String: StoredRecord?] = [:]
  /// Bytes of what was read under a bound, also in zones of the request before.
  var boundBytes = 0
  /// Bytes of what was read to be counted, and is not there for the caller. They are none of `boundBytes`.
  var hiddenBytes = 0
  /// Nil: what is read has other bounds.
  private var mostBytes: Int?
  private let bound: Int

  private struct AdmittedFields {
    let type: String
    let fields: [String: DraftField]
    let stored: Record?
  }

  init(
    _ transaction: any ReadTransaction, zone: ZoneKey, schema: JustInTimeSchema, _ limits: Limits
  ) {
    self.transaction = transaction
    bound = 2 * limits.cascadeBytes
    self.zone = zone
    self.schema = schema
    schemaBefore = schema
  }

  /// Runs what an item does. If it is refused, the schema has learned nothing of it.
  func attempt(_ name: String, _ item: () throws -> Judgement) throws -> Judgement {
    let before = schema
    do {
      return try item()
    } catch {
      schema = before
      admittedFields[name] = nil
      throw error
    }
  }

  func put(_ record: Record) { puts[record.name] = record }
  func remove(_ name: String) { removals.insert(name) }

  /// Puts a new share, which its root will name.
  func put(_ share: Record, of root: String, shortGUID: String) {
    put(share)
    rootLinks.make(share.name, of: root, shortGUID: shortGUID)
  }

  /// Ends a share, which its root will name no more.
  func remove(_ share: String, of root: String) {
    remove(share)
    rootLinks.end(share, of: root)
  }

  /// Names of records that are put here and have a share, or whose share is made or ends here.
  var rootNames: [String] {
    puts.values.filter { $0.share != nil }.map(\.name) + rootLinks.rootNames
  }

  /// Names of stored records that get another parent here.
  func movedNames() throws -> [String] {
    try puts.values.filter { try moves($0) }.map(\.name)
  }

  /// Whether a record is stored with another parent.
  func moves(_ record: Record) throws -> Bool {
    try before(record.name).map { $0.parent != record.parent } ?? false
  }

  /// Puts the roots as their shares leave them, as soon as it is certain which of these are made and which end.
  func putRoots() throws {
    for name in rootLinks.rootNames.sorted() {
      guard let root = try after(name) else { continue }
      let own = try puts[name] ?? before(name)
      if root.share != own?.share || root.shortGUID != own?.shortGUID { put(root) }
    }
  }

  /// Leaves the record as it is stored, and what it does to others undone.
  func withdraw(_ name: String) {
    puts[name] = nil
    removals.remove(name)
    rootLinks.withdraw(name)
    if admittedFields.removeValue(forKey: name) != nil { hasWithdrawnFields = true }
  }

  /// The fields of a record in the schema's types, after the schema learned what is new.
  func admit(
    _ fields: [String: DraftField], of type: String, for name: String, in scope: DatabaseScope,
    after stored: Record?
  ) throws(BrumeError) -> [String: DraftField] {
    let admitted = try schema.admit(fields, of: type, in: scope, after: stored)
    if schema.didChange {
      admittedFields[name] = AdmittedFields(type: type, fields: admitted, stored: stored)
    }
    return admitted
  }

  /// The schema with what it learned of records that were not withdrawn.
  func schemaOfLiving(in scope: DatabaseScope) throws(BrumeError) -> JustInTimeSchema {
    guard hasWithdrawnFields else { return schema }
    var learned = schemaBefore
    for admitted in admittedFields.values {
      _ = try learned.admit(
        admitted.fields, of: admitted.type, in: scope, after: admitted.stored)
    }
    return learned
  }

  /// The record before the batch.
  func before(_ name: String) throws -> Record? {
    if let known = stored[name] { return try known?.record() }
    if let mostBytes, boundBytes > mostBytes { throw Self.tooManyBytes(mostBytes) }
    let key = RecordKey(zone: zone, name: name)
    let found = try transaction.records.find(key)
    let record = try found?.record() ?? transaction.users.untouchedRecord(key)
    stored.updateValue(
      record.map {
        StoredRecord(name: name, type: $0.type, sequence: found?.sequence ?? 0, content: .value($0))
      }, forKey: name)
    if mostBytes != nil { boundBytes += Removals.bytes(of: record) }
    return record
  }

  /// Runs what may have to read many records to decide about one. All that a request reads so has twice as many bytes as
  /// its deletions may take along.
  ///
  /// - Throws: also `limitExceeded` where there are more.
  func boundingReads<Value>(_ body: () throws -> Value) throws -> Value {
    let outer = mostBytes
    mostBytes = bound
    defer { mostBytes = outer }
    return try body()
  }

  /// Whether one of many is there for the caller, as far as that may be read. What is hidden has a bound of its own, half as
  /// many bytes: what others save must not keep the caller from what he may do.
  ///
  /// - Returns: false also behind that bound.
  /// - Throws: also what `boundingReads` throws.
  func counts(_ isThere: () throws -> Bool) throws -> Bool {
    guard hiddenBytes <= bound / 2 else { return false }
    let before = boundBytes
    if try boundingReads(isThere) { return true }
    hiddenBytes += boundBytes - before
    boundBytes = before
    return false
  }

  /// The record before the batch, of one that the batch only refers to or that is above one of its own.
  ///
  /// - Throws: also what `boundingReads` throws.
  func neighbour(_ name: String) throws -> Record? { try boundingReads { try before(name) } }

  /// The same after the batch.
  func neighbourAfter(_ name: String) throws -> Record? { try boundingReads { try after(name) } }

  private static func tooManyBytes(_ most: Int) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the server would have to read more than \(most) bytes of records to decide about this request; save, delete, move or "
        + "share fewer of them at once, or refer to records with action NONE")
  }

  /// The records that were looked at and have been saved.
  var found: [StoredRecord] { stored.values.compactMap { $0 }.filter { $0.sequence > 0 } }

  /// A page of the zone's shares before the batch. Shares have up to 1 MB each, so a page may be shorter than `limit`.
  func sharesBefore(
    after position: QueryPosition?, limit: Int, _ limits: Limits
  ) throws -> EngineQueryPage {
    try transaction.queries.matching(
      EngineQuery(
        database: zone.database, zone: zone.name, query: Query(recordType: Record.shareType),
        after: position, limit: limit, candidateLimit: limits.candidatesPerPage,
        byteLimit: limits.answerBytes))
  }

  /// The record after the batch.
  func after(_ name: String) throws -> Record? {
    if removals.contains(name) { return nil }
    return try (puts[name] ?? before(name)).map { rootLinks.applied(to: $0) }
  }
}

extension UserReading {
  /// The record of an account that nobody wrote to yet: it exists from the beginning (case FET-07).
  func untouchedRecord(_ key: RecordKey) throws -> Record? {
    guard key.mayBeUser else { return nil }
    let id = UserID(key.name)
    if let owner = key.zone.database.owner, owner != id { return nil }
    guard try find(id) != nil else { return nil }
    let stamp = Stamp(time: 0, user: id, device: "1")
    return Record(
      name: key.name, zone: key.zone.id, type: Record.usersType, changeTag: ChangeTag.text(0),
      created: stamp, modified: stamp)
  }
}
