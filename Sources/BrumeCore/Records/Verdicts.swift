// What was judged of the items of a batch so far.

import BrumeModel
import BrumeStorage

/// What will happen for an item, if nothing fails it later.
struct Judgement {
  enum Action: Equatable { case put, remove, leaveShare, nothing }

  let action: Action
  /// The uploads whose files the record takes.
  var receipts: [String] = []
  /// Participants who lose or leave the share.
  var endedMemberships: [Membership] = []
  /// The short name of a share that is made here.
  var shortGUID: String?
}

struct Verdicts {
  /// An item's record with what was judged of it.
  typealias Judged = (position: Int, key: RecordKey, judgement: Judgement)

  let items: [RecordItem]
  private let stage: Stage
  /// By position in `items`.
  private var judgements: [Int: Judgement] = [:]
  private(set) var failures: [Int: BrumeError] = [:]
  private var failuresByName: [String: BrumeError] = [:]

  init(_ items: [RecordItem], _ stage: Stage) {
    self.items = items
    self.stage = stage
  }

  mutating func judge(_ position: Int, _ judgement: Judgement) {
    judgements[position] = judgement
  }

  /// Takes an item out of the batch again.
  mutating func fail(_ position: Int, _ error: BrumeError) {
    failures[position] = error
    failuresByName[items[position].name] = error
    stage.withdraw(items[position].name)
  }

  /// An atomic batch fails as a whole.
  mutating func spread(isAtomic: Bool) {
    AtomicBatch.spread(&failures, over: items, isAtomic: isAtomic)
  }

  func isAlive(_ position: Int) -> Bool { failures[position] == nil }

  func isAlive(_ position: Int, to action: Judgement.Action) -> Bool {
    isAlive(position) && judgements[position]?.action == action
  }

  /// Positions of living items with an action, in order.
  func positions(to action: Judgement.Action) -> [Int] {
    items.indices.filter { isAlive($0, to: action) }
  }

  /// The living items that were judged, in order.
  var alive: [Judged] {
    items.indices.compactMap { position in
      guard isAlive(position), let judgement = judgements[position] else { return nil }
      return (position, items[position].key, judgement)
    }
  }

  /// Why a record of the batch failed, if one of that name did.
  func failure(of name: String) -> BrumeError? { failuresByName[name] }

  /// The answers. An item without an outcome was deleted.
  func results(_ outcomes: [Int: RecordOutcome]) -> [RecordResult] {
    items.indices.map { position in
      let id = items[position].id
      if let error = failures[position] { return .failure(ItemFailure(id, error)) }
      return .success(
        outcomes[position] ?? .deleted(name: items[position].name, zone: id.zone))
    }
  }
}
