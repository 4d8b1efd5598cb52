// Calls of the rules, with the faults that they meet on the way. Without faults each is one call of
// the engine. The plan decides; here its decisions are carried out: some items fail, somebody else
// saves first, a zone goes, the answer is lost.

package import BrumeCore
package import BrumeModel

private typealias Asked = FaultPlan.Call.Item

extension Call {
  /// A call whose items have no failures of their own.
  func withFaults<Answer: Sendable>(
    _ operation: Fault.Operation, zone: String? = nil, token: String? = nil,
    _ run: () async throws -> Answer
  ) async throws -> Answer {
    let item = FaultPlan.Call.Item(operation, zone: zone, token: token)
    let answers = try await injecting(
      FaultyCall(items: [item], describe: { $0 }, fail: { _, error in throw error })
    ) { _ in [try await run()] }
    guard let answer = answers.first else { throw BrokenConnection(ckError: 1, retryAfter: nil) }
    return answer
  }

  func modifyRecords(_ request: ModifyRecordsRequest) async throws -> [RecordResult] {
    let home = request.zone
    let zone = { (operation: RecordOperation) in
      operation.record.zone ?? home ?? ZoneID(name: ZoneID.defaultName)
    }
    var faulty = FaultyCall<RecordOperation, RecordResult>(
      items: request.operations,
      describe: { operation in
        Asked(
          operation.kind.isDelete ? .deleteRecords : .saveRecords, zone: zone(operation).name,
          record: operation.record.name)
      },
      fail: { operation, error in
        let id = RecordID(name: operation.record.name ?? "", zone: zone(operation))
        return .failure(ItemFailure(id, error))
      })
    faulty.overtake = { try await saveFirst($0, in: zone($0)) }
    if request.atomic ?? false {
      faulty.spread = { Self.spread(&$0, over: request.operations.map(zone)) }
    }
    return try await injecting(faulty) { rest in
      var request = request
      // A part of the request is another request: repeating the whole must not answer with it.
      if rest.count != request.operations.count { request.operationID = nil }
      request.operations = rest
      return try await engine.records.modify(request, in: scope, as: caller)
    }
  }

  func lookupRecords(_ request: LookupRecordsRequest) async throws -> [RecordResult] {
    let zone = { (item: LookupRecordsRequest.Item) in
      item.zone ?? request.zone ?? ZoneID(name: ZoneID.defaultName)
    }
    let faulty = FaultyCall<LookupRecordsRequest.Item, RecordResult>(
      items: request.items,
      describe: { Asked(.fetchRecords, zone: zone($0).name, record: $0.name) },
      fail: { .failure(ItemFailure(RecordID(name: $0.name, zone: zone($0)), $1)) })
    return try await injecting(faulty) { rest in
      var request = request
      request.items = rest
      return try await engine.records.lookup(request, in: scope, as: caller)
    }
  }

  func lookupZones(_ zones: [ZoneID]) async throws -> [ZoneResult] {
    let faulty = FaultyCall<ZoneID, ZoneResult>(
      items: zones, describe: { Asked(.fetchZones, zone: $0.name) },
      fail: { .failure(ItemFailure($0, $1)) })
    return try await injecting(faulty) {
      try await engine.zones.lookup($0, in: scope, as: caller)
    }
  }

  func modifyZones(_ operations: [ZoneOperation]) async throws -> [ZoneResult] {
    var faulty = FaultyCall<ZoneOperation, ZoneResult>(
      items: operations,
      describe: { Asked($0.kind == .create ? .saveZones : .deleteZones, zone: $0.zone.name) },
      fail: { .failure(ItemFailure($0.zone, $1)) })
    faulty.pretend = { .success(ZoneState(zone: $0.zone, isAtomic: true)) }
    return try await injecting(faulty) {
      try await engine.zones.modify($0, in: scope, as: caller)
    }
  }

  func zoneChanges(_ requests: [ZoneChangesRequest]) async throws -> [ZoneChangesResult] {
    let faulty = FaultyCall<ZoneChangesRequest, ZoneChangesResult>(
      items: requests,
      describe: { Asked(.fetchZoneChanges, zone: $0.zone.name, token: $0.token) },
      fail: { .failure(ItemFailure($0.zone, $1)) })
    return try await injecting(faulty) {
      try await engine.changes.ofZones($0, in: scope, as: caller)
    }
  }

  func modifySubscriptions(
    _ operations: [SubscriptionOperation]
  ) async throws -> [SubscriptionResult] {
    let faulty = FaultyCall<SubscriptionOperation, SubscriptionResult>(
      items: operations,
      describe: { operation in
        switch operation {
        case .save: Asked(.saveSubscriptions)
        case .delete: Asked(.deleteSubscriptions)
        }
      },
      fail: { operation, error in
        switch operation {
        case .save(let subscription): .failure(ItemFailure(subscription.id, error))
        case .delete(let id): .failure(ItemFailure(id, error))
        }
      })
    return try await injecting(faulty) {
      try await engine.subscriptions.modify($0, in: scope, as: caller)
    }
  }

  /// All or nothing per zone: the other items of a failing one's zone fail because of it.
  private static func spread(_ errors: inout [Int: BrumeError], over zones: [ZoneID]) {
    let failing = Set(errors.keys.map { zones[$0] }).filter { $0.name != ZoneID.defaultName }
    for index in zones.indices where errors[index] == nil && failing.contains(zones[index]) {
      errors[index] = BrumeError(
        .atomicError, "another record of zone '\(zones[index].name)' failed; send all again")
    }
  }
}

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

extension Call {
  private func injecting<Item: Sendable, Answer: Sendable>(
    _ faulty: FaultyCall<Item, Answer>, _ run: ([Item]) async throws -> [Answer]
  ) async throws -> [Answer] {
    guard let injector = server.faults, !injector.isIdle else { return try await run(faulty.items) }
    let call = FaultPlan.Call(
      user: caller.user, device: caller.device, items: faulty.items.map(faulty.describe))
    let decision = injector.decide(call)
    try decision.failWhole()
    try await prepare(decision, call, faulty)
    var errors = decision.itemErrors(of: call)
    faulty.spread(&errors)
    var answers: [Int: Answer] = [:]
    for (index, error) in errors { answers[index] = try faulty.fail(faulty.items[index], error) }
    if decision.fault?.effect == .pretend {
      for index in decision.items { answers[index] = faulty.pretend(faulty.items[index]) }
    }
    let rest = faulty.items.indices.filter { answers[$0] == nil }
    if !rest.isEmpty {
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
    _ decision: FaultPlan.Decision, _ call: FaultPlan.Call, _ faulty: FaultyCall<Item, Answer>
  ) async throws {
    guard let fault = decision.fault else { return }
    for index in decision.items.sorted() where fault.isConflict(of: call.items[index]) {
      try await faulty.overtake(faulty.items[index])
    }
    guard case .removeZone(let reason) = fault.effect else { return }
    let zones = decision.items.compactMap { fault.zone ?? call.items[$0].zone }
    for zone in Set(zones).sorted() {
      try await engine.removeZone(zone, because: reason, as: caller)
    }
    if zones.isEmpty, reason == .encryptedDataReset {
      try await engine.removeZone("", because: reason, as: caller)
    }
  }

  /// What another device would have done: the same record, with a tag of its own.
  private func saveFirst(_ operation: RecordOperation, in zone: ZoneID) async throws {
    guard let name = operation.record.name else { return }
    var draft = operation.record
    draft.changeTag = nil
    draft.zone = zone
    let other = caller.another
    let known = try await engine.records.lookup(
      LookupRecordsRequest(items: [LookupRecordsRequest.Item(name: name, zone: zone)]), in: scope,
      as: other)
    if case .success(.saved)? = known.first { draft.fields = [:] }
    _ = try await engine.records.modify(
      ModifyRecordsRequest(operations: [RecordOperation(.forceUpdate, draft)]), in: scope,
      as: other)
  }
}

extension Engine {
  /// A zone goes, for one of the reasons for which zones go.
  package func removeZone(
    _ name: String, because reason: Zone.Deletion, as caller: Caller
  ) async throws {
    let user = try caller.requireUser()
    switch reason {
    case .deleted:
      _ = try await zones.modify(
        [ZoneOperation(.delete, ZoneID(name: name))], in: .private, as: caller.another)
    case .purged:
      try await zoneAdministration.purge(
        name, of: user, container: caller.container, environment: caller.environment)
    case .encryptedDataReset:
      try await zoneAdministration.resetEncryptedData(
        of: user, container: caller.container, environment: caller.environment)
    }
  }
}

extension Caller {
  /// The same user on a device that nobody has.
  package var another: Caller {
    Caller(
      container: container, environment: environment, user: user, device: DeviceID("brume-fault"),
      kind: kind, requestID: requestID)
  }
}

extension Fault {
  /// A conflict is made rather than claimed: the answer carries a true server record.
  fileprivate func isConflict(of item: FaultPlan.Call.Item) -> Bool {
    effect == .conflict || effect == .error(14) && !isClaimed(at: item.operation)
  }

  /// The error to answer with.
  fileprivate func error(_ number: Int) -> BrumeError? {
    guard let code = BrumeError.Code.allCases.first(where: { $0.meaning.ckError == number }) else {
      return nil
    }
    return BrumeError(
      code, "a fault that was asked for with `faults add` (CKError \(number))",
      retryAfter: retryAfter)
  }
}

extension FaultPlan.Decision {
  /// Throws if the call fails as a whole.
  fileprivate func failWhole() throws {
    if case .changeAccount = fault?.effect { throw BrumeError.signedOutByFault }
    guard let fault, case .error(let number) = fault.effect else { return }
    // An answer of 500 would be a server that broke down, which frameworks report as something else.
    let isSaid = number != BrumeError.Code.internalError.meaning.ckError || fault.isAboutItems
    guard isSaid, let error = fault.error(number) else {
      throw BrokenConnection(ckError: number, retryAfter: fault.retryAfter)
    }
    if !fault.isAboutItems { throw error }
  }

  fileprivate func itemErrors(of call: FaultPlan.Call) -> [Int: BrumeError] {
    var errors: [Int: BrumeError] = [:]
    if let fault, case .error(let number) = fault.effect, let error = fault.error(number) {
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
