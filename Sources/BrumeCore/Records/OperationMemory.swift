// Repeating a request whose answer was lost: a client may name its request by an `operationID`, and
// the outcome of the first try is kept beside the records it wrote. A second try is answered from
// it and changes nothing (case LIM-06). It is a first try for a caller who may no longer do what
// they ask: then the rules answer. What was done in a zone that they do not see any more is refused by itself.
// An outcome that is forgotten (OperationPlace.swift) meets the change tag's rule when it is repeated.

import BrumeModel
import BrumeStorage

struct OperationMemory: Sendable {
  let place: OperationPlace

  /// Nil when the request has no ID or nobody sends it.
  init?(
    _ id: String?, in database: DatabaseKey, _ scope: DatabaseScope, as caller: Caller,
    limits: Limits
  ) {
    guard let place = OperationPlace(id, in: database, scope, as: caller, limits: limits)
    else { return nil }
    self.place = place
  }

  /// Nothing is kept of a request that did nothing for want of files, which may come again under its name: its repetition is
  /// a first try.
  func keep(
    _ results: [Int: RecordResult], in transaction: any WriteTransaction, now: Milliseconds
  ) throws {
    let kept = results.sorted { $0.key < $1.key }.map { (index: $0.key, kept: Kept($0.value)) }
    try place.keep(results.values.lacksFiles ? nil : kept, in: transaction, now: now)
  }

  /// The first try's results with the records as they are now, or nil if this is the first try. An
  /// ID that was used for other records is a first try too: their answers would be taken for these. What else the
  /// request asks of other databases may be there or not: the first try's items are known by their order.
  ///
  /// - Parameter access: what the caller may do now.
  func recall(
    for items: [RecordItem], _ access: RecordAccess, now: Milliseconds
  ) throws -> [Int: RecordResult]? {
    var access = access
    guard let all = try place.kept(items.count, in: access.transaction, now: now) else {
      return nil
    }
    var results: [Int: RecordResult] = [:]
    var answer = BoundedAnswer(access.limits)
    for (item, kept) in zip(items.sorted(by: { $0.index < $1.index }), all) {
      guard let result = try result(kept, of: item, &access) else { return nil }
      let fitting = try answer.fitting(result)
      guard fitting.answers(item) else { return nil }
      results[item.index] = fitting
    }
    return results
  }

  private func result(
    _ kept: Kept, of item: RecordItem, _ access: inout RecordAccess
  ) throws -> RecordResult? {
    let database = item.key.zone.database
    let key = RecordKey(zone: ZoneKey(database: database, name: kept.zone), name: kept.name)
    let id = RecordID(name: kept.name, zone: key.zone.id)
    // That something was deleted says nothing that its sender does not know.
    if kept.isDeletion { return .success(.deleted(name: kept.name, zone: id.zone)) }
    let stored = try access.transaction.records.find(key)
    // It fails alone, as it would by the rules: what else the request did is not done again.
    if let error = try refusal(of: key.zone, &access) { return .failure(ItemFailure(id, error)) }
    guard try mayStill(kept, of: item, stored, in: key.zone, &access) else { return nil }
    guard var error = kept.failure else {
      return try saved(stored, id, sequence: kept.sequence)
    }
    if error.code == .conflict {
      // Without the record that it is with, nobody could solve it.
      guard let stored else { return .failure(ItemFailure(id, Self.gone)) }
      error.serverRecord = try stored.record()
    }
    return .failure(ItemFailure(id, error))
  }
}

extension OperationMemory {
  private static let gone = BrumeError(.notFound, "Record not found: it was deleted since")

  /// The record as it is now, under the tag that its save got. Whoever takes this answer saves with that tag next,
  /// and learns by a conflict what somebody else has changed meanwhile; with the tag of now they would save over it.
  private func saved(
    _ stored: StoredRecord?, _ id: RecordID, sequence: Int64?
  ) throws -> RecordResult? {
    guard let stored else { return .failure(ItemFailure(id, Self.gone)) }
    if case .unreadable(let error) = stored.content { return .failure(ItemFailure(id, error)) }
    guard let sequence, sequence != stored.sequence else { return .success(.saved(stored)) }
    var record = try stored.record()
    record.changeTag = ChangeTag.text(sequence)
    return .success(
      .saved(
        StoredRecord(
          name: stored.name, type: stored.type, sequence: sequence, content: .value(record))))
  }

  /// Why the zone is not there for the caller; nil if it is.
  private func refusal(of zone: ZoneKey, _ access: inout RecordAccess) throws -> BrumeError? {
    do {
      _ = try access.view(of: zone)
      return nil
    } catch let error as BrumeError {
      return error
    }
  }

  /// Whether the record, if it still is there, is open to what the caller did.
  private func mayStill(
    _ kept: Kept, of item: RecordItem, _ stored: StoredRecord?, in zone: ZoneKey,
    _ access: inout RecordAccess
  ) throws -> Bool {
    guard let stored else { return true }
    let mayRead = try access.allows(.read, stored, in: zone)
    guard kept.isSave else { return mayRead }
    if mayRead, try access.allows(.write, stored, in: zone) { return true }
    // Where a type grants CREATE and no WRITE, its creator may not change it, and is not to make another.
    guard item.kind.mayCreate, mayRead || stored.sequence == kept.sequence,
      try stored.record().created?.user == access.caller.user
    else { return false }
    return try access.allows(.create, stored, in: zone)
  }
}

extension RecordResult {
  /// Whether this can be the answer to an operation; one without a name got its name from the server.
  fileprivate func answers(_ item: RecordItem) -> Bool {
    switch self {
    case .success(.saved(let stored)):
      !item.kind.isDelete && (item.draft.name == nil || stored.name == item.name)
    case .success(.deleted(let name, let zone)):
      item.kind.isDelete && RecordID(name: name, zone: zone) == item.id
    case .failure(let failure): item.draft.name == nil || failure.id == item.id
    }
  }
}
