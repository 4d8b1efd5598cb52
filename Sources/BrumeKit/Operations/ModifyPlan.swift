// How the saves and deletes of one operation become requests. Only decides.
//
// The rules: a malformed record, or a new share without its root, is refused without asking the
// server, and, if the operation is atomic, with it everything of its zone (CloudKit: the `isAtomic`
// text of Apple's CKModifyRecordsOperation header). What is left is cut into requests by `BatchPlan`.

import BrumeClient
import BrumeModel

/// The requests of one operation that saves and deletes records.
struct ModifyPlan {
  /// One item in the app's order, saves first.
  struct Item {
    let zone: CKRecordZone.ID
    var operation: Result<RecordOperation, CKError>
  }

  private(set) var items: [Item]
  let isAtomic: Bool

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

  /// Items that are not sent, by position.
  func refusals() -> [Int: CKError] {
    var refused: [Int: CKError] = [:]
    var spoiled: Set<CKRecordZone.ID> = []
    for (index, item) in items.enumerated() {
      guard case .failure(let error) = item.operation else { continue }
      refused[index] = error
      if isAtomic { spoiled.insert(item.zone) }
    }
    for (index, item) in items.enumerated() where spoiled.contains(item.zone) {
      refused[index] =
        refused[index]
        ?? CKError(
          .batchRequestFailed,
          "Another record of zone '\(item.zone.zoneName)' is malformed, and the operation is "
            + "atomic. Correct that one and try all again.")
    }
    return refused
  }

  /// The positions of the items of each request.
  func requests() throws(BrumeError) -> [[Int]] {
    let refused = refusals()
    let sent = items.indices.filter { refused[$0] == nil }
    let plan = try BatchPlan(
      sent.compactMap { position in
        (try? items[position].operation.get()).map { batchItem($0, in: items[position].zone) }
      })
    return plan.requests.map { $0.map { sent[$0] } }
  }

  /// Default zones are never atomic (case ATM-05).
  private func batchItem(
    _ operation: RecordOperation, in zone: CKRecordZone.ID
  ) -> BatchPlan.Item {
    var parent: String?
    if case .set(let reference) = operation.record.parent { parent = reference.recordName }
    return BatchPlan.Item(
      name: operation.record.name ?? "", zone: ZoneID(zone),
      isAtomic: isAtomic && zone.zoneName != CKRecordZone.ID.defaultZoneName, parent: parent,
      root: operation.record.shareRoot?.name)
  }
}
