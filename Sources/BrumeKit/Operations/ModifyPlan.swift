// How the saves and deletes of one operation become a request. Only decides.
//
// The rules: a malformed record, or a new share without its root, is refused without asking the
// server, and, if the operation is atomic, with it everything of its zone (CloudKit: the `isAtomic`
// text of Apple's CKModifyRecordsOperation header). What is left goes in one request, in the app's
// order. The server takes up to 400 items of a request with an operation ID; two requests would tear
// apart what belongs together: a child and its parent (cases ATM-10, DEL-11), a record that is named
// twice (SAV-14, SAV-15), a share and its root.

import BrumeModel

/// The request of one operation that saves and deletes records.
struct ModifyPlan {
  /// One item in the app's order, saves first.
  struct Item {
    let zone: CKRecordZone.ID
    var operation: Result<RecordOperation, CKError>
  }

  /// An item that goes to the server.
  typealias Sent = (position: Int, operation: RecordOperation)

  private(set) var items: [Item]
  let isAtomic: Bool
  /// Whose ends are known.
  private var ended: Set<Int> = []

  init(_ items: [Item], isAtomic: Bool) {
    self.items = items
    self.isAtomic = isAtomic
    refuseSharesWithoutRoots()
  }

  /// A new share goes together with its root, as on Apple's systems (case SHR-02).
  private mutating func refuseSharesWithoutRoots() {
    var saved: [CKRecordZone.ID: Set<String>] = [:]
    for item in items {
      guard let operation = try? item.operation.get(), !operation.kind.isDelete else { continue }
      saved[item.zone, default: []].insert(operation.record.name ?? "")
    }
    for (index, item) in items.enumerated() {
      guard let root = try? item.operation.get().record.shareRoot?.name,
        saved[item.zone]?.contains(root) != true
      else { continue }
      items[index].operation = .failure(
        CKError(
          .invalidArguments,
          "An added share is being saved without its root record '\(root)'. Save both in one "
            + "operation."))
    }
  }

  /// The files of an item were uploaded, or could not be.
  mutating func send(_ uploaded: Result<[AssetSpot: Asset], CKError>, with position: Int) {
    items[position].operation = items[position].operation.flatMap { operation in
      uploaded.map { operation.sending($0) }
    }
  }

  /// What became of these items is known: nothing more is done about them.
  mutating func end(_ positions: some Sequence<Int>) { ended.formUnion(positions) }

  /// Items that are not sent, by position.
  func refusals() -> [Int: CKError] {
    var refused: [Int: CKError] = [:]
    var spoiled: Set<CKRecordZone.ID> = []
    let open = open
    for index in open {
      let item = items[index]
      guard case .failure(let error) = item.operation else { continue }
      refused[index] = error
      if isAtomic { spoiled.insert(item.zone) }
    }
    for index in open where spoiled.contains(items[index].zone) {
      refused[index] =
        refused[index]
        ?? CKError(
          .batchRequestFailed,
          "Another record of zone '\(items[index].zone.zoneName)' is malformed, and the operation is "
            + "atomic. Correct that one and try all again.")
    }
    return refused
  }

  /// The items of which that is not known, by position.
  var open: [Int] { items.indices.filter { !ended.contains($0) } }

  /// Whether an item goes with the next request.
  func isSent(_ position: Int) -> Bool {
    !ended.contains(position) && refusals()[position] == nil
  }

  /// Whose database an item is in. The server carries out and remembers what is asked of each for itself.
  func owner(of position: Int) -> String { items[position].zone.ownerName }

  /// The items that are sent, by position.
  func sent() -> [Sent] {
    let refused = refusals()
    return open.compactMap { position in
      guard refused[position] == nil, let operation = try? items[position].operation.get()
      else { return nil }
      return (position, operation)
    }
  }
}
