// A zone and its schema as they will be if a batch succeeds: what is stored, with the batch's changes laid over.
// Nothing is written here, so a refused item leaves no trace, and the order of a batch's items does
// not matter (cases ATM-09, ATM-10).

import BrumeModel
import BrumeStorage

final class Stage {
  let transaction: any WriteTransaction
  let zone: ZoneKey
  private(set) var puts: [String: Record] = [:]
  private(set) var removals: Set<String> = []
  /// Whether a record that was put here is or was the root of a share.
  private(set) var hasRoots = false
  private(set) var schema: JustInTimeSchema
  private var stored: [String: Record?] = [:]

  init(_ transaction: any WriteTransaction, zone: ZoneKey, schema: JustInTimeSchema) {
    self.transaction = transaction
    self.zone = zone
    self.schema = schema
  }

  /// Runs what an item does. If it is refused, the schema has learned nothing of it.
  func attempt(_ item: () throws -> Judgement) throws -> Judgement {
    let before = schema
    do {
      return try item()
    } catch {
      schema = before
      throw error
    }
  }

  func put(_ record: Record) {
    puts[record.name] = record
    if record.share != nil { hasRoots = true }
  }
  func remove(_ name: String) { removals.insert(name) }

  /// Leaves the record as it is stored.
  func withdraw(_ name: String) {
    puts[name] = nil
    removals.remove(name)
  }

  /// The fields in the schema's types, after the schema learned what is new.
  func admit(
    _ fields: [String: DraftField], of type: String, in scope: DatabaseScope
  ) throws(BrumeError) -> [String: DraftField] {
    try schema.admit(fields, of: type, in: scope)
  }

  /// The record before the batch.
  func before(_ name: String) throws -> Record? {
    if let known = stored[name] { return known }
    let key = RecordKey(zone: zone, name: name)
    let found =
      try transaction.records.find(key)?.record() ?? transaction.users.untouchedRecord(key)
    stored.updateValue(found, forKey: name)
    return found
  }

  /// The record after the batch.
  func after(_ name: String) throws -> Record? {
    if removals.contains(name) { return nil }
    return try puts[name] ?? before(name)
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
