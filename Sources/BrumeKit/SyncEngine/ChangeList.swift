// Changes of records that wait: each record once, in the order in which it came first, with what was wanted last.
// It knows the places of the records, so that thousands can be added one by one.

struct ChangeList: Sendable {
  typealias Change = CKSyncEngine.PendingRecordZoneChange
  private(set) var all: [Change] = []
  private var places: [CKRecord.ID: Int] = [:]

  init(_ changes: [Change] = []) { add(changes) }

  func contains(_ change: Change) -> Bool { places[change.recordID].map { all[$0] } == change }

  /// Whether anything is to become of a record.
  func names(_ record: CKRecord.ID) -> Bool { places[record] != nil }

  /// Answers whether something is new.
  @discardableResult
  mutating func add(_ changes: [Change]) -> Bool {
    var isNew = false
    for change in changes where !contains(change) {
      isNew = true
      if let place = places[change.recordID] {
        all[place] = change
      } else {
        places[change.recordID] = all.count
        all.append(change)
      }
    }
    return isNew
  }

  /// Answers whether something was there.
  @discardableResult
  mutating func remove(_ changes: [Change]) -> Bool {
    let gone = Set(changes.filter(contains))
    if gone.isEmpty { return false }
    self = ChangeList(all.filter { !gone.contains($0) })
    return true
  }
}

extension ChangeList: Equatable {
  static func == (one: ChangeList, other: ChangeList) -> Bool { one.all == other.all }
}
