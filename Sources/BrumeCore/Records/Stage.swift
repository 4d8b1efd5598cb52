// A zone as it will be if a batch succeeds: what is stored, with the batch's changes laid over it.
// Nothing is written here, so a refused item leaves no trace, and the order of a batch's items does
// not matter (cases ATM-09, ATM-10).

import BrumeModel
import BrumeStorage

struct Stage {
  let transaction: any WriteTransaction
  let zone: ZoneKey
  private(set) var puts: [String: Record] = [:]
  private(set) var removals: Set<String> = []
  private var stored: [String: Record?] = [:]

  init(_ transaction: any WriteTransaction, zone: ZoneKey) {
    self.transaction = transaction
    self.zone = zone
  }

  mutating func put(_ record: Record) { puts[record.name] = record }
  mutating func unput(_ name: String) { puts[name] = nil }
  mutating func remove(_ name: String) { removals.insert(name) }
  mutating func unremove(_ name: String) { removals.remove(name) }

  /// The record before the batch.
  mutating func before(_ name: String) throws -> Record? {
    if let known = stored[name] { return known }
    let key = RecordKey(zone: zone, name: name)
    let found =
      try transaction.records.find(key)?.record() ?? transaction.users.untouchedRecord(key)
    stored.updateValue(found, forKey: name)
    return found
  }

  /// The record after the batch.
  mutating func after(_ name: String) throws -> Record? {
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
