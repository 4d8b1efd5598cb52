// One call on its way past the faults. The plan decides; here its decisions are carried out: some items
// fail, somebody else saves first, a zone goes, the answer is lost.

import BrumeCore
import BrumeModel

/// A call made of items, for the faults.
struct FaultyCall<Item: Sendable, Answer: Sendable> {
  var items: [Item]
  var describe: (Item) -> FaultPlan.Call.Item
  var fail: (Item, BrumeError) throws -> Answer
  /// The answer of an item that is not carried out.
  var pretend: (Item) -> Answer? = { _ in nil }
  /// Somebody else does the same first.
  var overtake: (Item) async throws -> Void = { _ in }
  var spread: (inout [Int: BrumeError]) -> Void = { _ in }
}

extension FaultyCall {
  /// A call whose items have answers of their own, each under the ID of its item.
  init<Success, ID>(
    items: [Item], id: @escaping (Item) -> ID, describe: @escaping (Item) -> FaultPlan.Call.Item
  ) where Answer == Result<Success, ItemFailure<ID>> {
    self.init(
      items: items, describe: describe, fail: { .failure(ItemFailure(id($0), $1)) })
  }
}

extension FaultyCalls {
  /// Asks the plan, and runs what it leaves of the call.
  func carryOut<Item: Sendable, Answer: Sendable>(
    _ faulty: FaultyCall<Item, Answer>, in scope: DatabaseScope? = nil, as caller: Caller,
    _ run: ([Item]) async throws -> [Answer]
  ) async throws -> [Answer] {
    if injector.isIdle { return try await run(faulty.items) }
    let call = FaultPlan.Call(
      user: caller.user, device: caller.device, items: faulty.items.map(faulty.describe),
      in: scope)
    let decision = injector.decide(call)
    try decision.failWhole()
    try await prepare(decision, call, faulty, as: caller)
    var errors = decision.itemErrors(of: call)
    faulty.spread(&errors)
    var answers: [Int: Answer] = [:]
    for (index, error) in errors { answers[index] = try faulty.fail(faulty.items[index], error) }
    if decision.fault?.effect == .pretend {
      for index in decision.items { answers[index] = faulty.pretend(faulty.items[index]) }
    }
    let rest = faulty.items.indices.filter { answers[$0] == nil }
    // A call of nothing is for the rules, which refuse it (case ZON-19).
    if !rest.isEmpty || faulty.items.isEmpty {
      for (index, answer) in zip(rest, try await run(rest.map { faulty.items[$0] })) {
        answers[index] = answer
      }
    }
    if decision.fault?.effect == .loseAnswer {
      throw BrokenConnection(ckError: 34, retryAfter: nil)
    }
    return faulty.items.indices.compactMap { answers[$0] }
  }

  /// What happens before the call is looked at.
  private func prepare<Item, Answer>(
    _ decision: FaultPlan.Decision, _ call: FaultPlan.Call, _ faulty: FaultyCall<Item, Answer>,
    as caller: Caller
  ) async throws {
    guard let fault = decision.fault else { return }
    for index in decision.items.sorted() where fault.isConflict(of: call.items[index]) {
      try await faulty.overtake(faulty.items[index])
    }
    guard case .removeZone(let reason) = fault.effect else { return }
    let zones = Set(decision.items.map { call.zone(at: $0) })
    for zone in zones.sorted(by: { $0.name < $1.name }) {
      try await remove(zone, because: reason, as: caller)
    }
  }

  /// One that is gone already, or never was there, is none of the fault's: the call says so itself.
  private func remove(
    _ zone: ZoneID, because reason: Zone.Deletion, as caller: Caller
  ) async throws {
    do {
      try await removal.remove(zone, because: reason, as: caller)
    } catch let error as BrumeError
      where error.code == .zoneNotFound || error.code == .userDeletedZone
    {}
  }

  /// What another device would have done: the same record, with a tag of its own.
  func saveFirst(
    _ operation: RecordOperation, in zone: ZoneID, of scope: DatabaseScope, as caller: Caller
  ) async throws {
    guard let name = operation.record.name else { return }
    var draft = operation.record
    draft.changeTag = nil
    draft.zone = zone
    let other = caller.another()
    let known = try await records.lookup(
      LookupRecordsRequest(items: [LookupRecordsRequest.Item(name: name, zone: zone)]), in: scope,
      as: other)
    if case .success(.saved)? = known.first { draft.fields = [:] }
    _ = try await records.modify(
      ModifyRecordsRequest(operations: [RecordOperation(.forceUpdate, draft)]), in: scope,
      as: other)
  }
}

extension Caller {
  /// The same user, or the owner of a zone, on a device that nobody has.
  func another(as owner: UserID? = nil) -> Caller {
    Caller(
      in: containerEnvironment, user: owner ?? user, device: DeviceID("brume-fault"),
      kind: kind, requestID: requestID)
  }
}

extension FaultPlan.Call {
  /// The zone of an item, with its owner where that is another user.
  fileprivate func zone(at index: Int) -> ZoneID {
    ZoneID(
      name: items[index].zone ?? "", ownerName: scope == .shared ? items[index].owner : nil)
  }
}

extension Fault {
  /// A conflict is made rather than claimed: the answer carries a true server record.
  fileprivate func isConflict(of item: FaultPlan.Call.Item) -> Bool {
    effect == .conflict || effect == .error(.serverRecordChanged) && !isClaimed(at: item.operation)
  }

  /// The error to answer with.
  fileprivate func error(_ code: ErrorCode) -> BrumeError? {
    code.answer.map {
      BrumeError(
        $0, "a fault that was asked for with `faults add` (CKError \(code.rawValue))",
        retryAfter: retryAfter)
    }
  }
}

extension FaultPlan.Decision {
  /// Throws if the call fails as a whole.
  fileprivate func failWhole() throws {
    if case .changeAccount = fault?.effect { throw BrumeError.signedOutByFault }
    guard let fault, case .error(let code) = fault.effect else { return }
    // An answer of 500 would be a server that broke down, which frameworks report as something else.
    let isSaid = code != .internalError || fault.isAboutItems
    guard isSaid, let error = fault.error(code) else {
      throw BrokenConnection(ckError: code.rawValue, retryAfter: fault.retryAfter)
    }
    if !fault.isAboutItems { throw error }
  }

  fileprivate func itemErrors(of call: FaultPlan.Call) -> [Int: BrumeError] {
    var errors: [Int: BrumeError] = [:]
    if let fault, case .error(let code) = fault.effect, let error = fault.error(code) {
      for index in items where fault.isClaimed(at: call.items[index].operation) {
        errors[index] = error
      }
    }
    for index in expired {
      errors[index] = BrumeError(
        .changeTokenExpired,
        "this change token has expired, as a fault asked for; drop it and fetch from the beginning")
    }
    return errors
  }
}

extension BrumeError {
  /// The answer to a device whose account is gone.
  static var signedOutByFault: BrumeError {
    BrumeError(
      .authenticationFailed,
      "the account of this device changed, as a fault asked for; 'faults clear' takes that back")
  }
}
