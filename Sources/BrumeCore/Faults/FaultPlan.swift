// Which of the faults that somebody asked for meets a call. Only decides: carrying faults out is the
// composition's (`FaultyCall.swift`), and a plan that nobody fills changes nothing.
//
// The rules: faults added together wait for each other, the next begins when the one before is
// used up. At most one fault applies to a call, the oldest that matches. A fault first lets `skip` matching
// calls pass. A token that a fault expired stays expired, as on a real server.

package import BrumeModel

/// The faults that wait or apply. Says of each call what it meets.
package struct FaultPlan: Equatable, Sendable {
  /// One call, as far as faults look at it.
  package struct Call: Equatable, Sendable {
    /// One thing that a call asks for: a record to save, a zone to list.
    package struct Item: Equatable, Sendable {
      package var operation: Fault.Operation
      package var zone: String?
      package var record: String?
      /// The change token that it came with.
      package var token: String?
      /// Whose zone it is, as the call says; nil: the caller's.
      package var owner: String?
      package init(
        _ operation: Fault.Operation, zone: String? = nil, record: String? = nil,
        token: String? = nil, owner: String? = nil
      ) {
        self.operation = operation
        self.zone = zone
        self.record = record
        self.token = token
        self.owner = owner
      }
    }
    package var user: UserID?
    package var device: DeviceID?
    /// In the order of the request; a call about one thing has one.
    package var items: [Item]
    /// Which database it is about; nil: none.
    package var scope: DatabaseScope?
    package init(
      user: UserID?, device: DeviceID?, items: [Item], in scope: DatabaseScope? = nil
    ) {
      self.user = user
      self.device = device
      self.items = items
      self.scope = scope
    }
  }

  /// What becomes of a call.
  package struct Decision: Equatable, Sendable {
    /// The fault that applies, and the items that it meets.
    package var fault: Fault?
    /// Places in `Call.items`.
    package var items: Set<Int> = []
    /// Items whose token is expired.
    package var expired: Set<Int> = []
    /// The call goes on as without faults.
    package static let none = Decision()
  }

  /// A fault that waits or applies.
  package struct Entry: Equatable, Sendable {
    /// Counts from 1; never used again.
    package let id: Int
    package var fault: Fault
    /// The entry that must be used up first.
    package let after: Int?
    fileprivate(set) var wasMet = false

    /// Whether a call has to meet it still: once, if it is there for ever.
    package var isWaiting: Bool { fault.count != nil || !wasMet }
  }

  /// A device, as the proofs of its requests name it.
  private struct Account: Hashable {
    let user: UserID
    let device: DeviceID?
  }

  private let limit: Int
  /// In the order in which they were added.
  package private(set) var entries: [Entry] = []
  private var lastID = 0
  private var expiredTokens: [String] = []
  /// Who is signed in instead; nil: nobody.
  private var accounts: [Account: UserID?] = [:]

  package init(limits: Limits) { limit = limits.faults }

  /// Whether no call can meet anything; a changed sign-in does not count.
  package var isEmpty: Bool { entries.isEmpty && expiredTokens.isEmpty }

  /// Adds faults that follow each other. Answers the ID of the first.
  ///
  /// - Throws: `limitExceeded`, with nothing added, if there would be too many.
  @discardableResult
  package mutating func add(_ faults: [Fault]) throws(BrumeError) -> Int {
    guard entries.count + faults.count <= limit else {
      throw BrumeError(
        .limitExceeded, "there are \(entries.count) faults already; clear them first")
    }
    let first = lastID + 1
    var before: Int?
    for fault in faults where fault.count != 0 {
      lastID += 1
      entries.append(Entry(id: lastID, fault: fault, after: before))
      before = lastID
    }
    return first
  }

  /// Takes back all faults, expired tokens and changed sign-ins.
  package mutating func clear() {
    entries = []
    expiredTokens = []
    accounts = [:]
  }

  /// Who is signed in on the device of a user's token: that user, unless a fault changed it.
  package func user(of user: UserID, on device: DeviceID?) -> UserID? {
    accounts[Account(user: user, device: device)] ?? user
  }

  /// A call arrives.
  package mutating func decide(_ call: Call) -> Decision {
    var decision = Decision()
    let waiting = Set(entries.map(\.id))
    for index in entries.indices {
      if let after = entries[index].after, waiting.contains(after) { continue }
      let items = entries[index].fault.items(of: call)
      guard !items.isEmpty else { continue }
      if entries[index].fault.skip > 0 {
        entries[index].fault.skip -= 1
      } else if decision.fault == nil {
        decision.fault = entries[index].fault
        decision.items = items
        entries[index].wasMet = true
        entries[index].fault.count = entries[index].fault.count.map { $0 - 1 }
      }
    }
    entries.removeAll { $0.fault.count == 0 }
    if decision.fault?.expiresToken == true { expire(decision.items, of: call) }
    if case .changeAccount(let user) = decision.fault?.effect { changeAccount(of: call, to: user) }
    decision.expired = expired(in: call)
    return decision
  }

  private mutating func changeAccount(of call: Call, to new: UserID?) {
    // The one who calls may be there, or gone, by an earlier change; the proofs still name the first.
    let earlier = accounts.first { $0.key.device == call.device && $0.value == call.user }?.key
    let caller = call.user.map { Account(user: $0, device: call.device) }
    guard let proven = earlier ?? caller, earlier != nil || accounts.count < limit else {
      return
    }
    accounts.updateValue(new, forKey: proven)
  }

  private mutating func expire(_ items: Set<Int>, of call: Call) {
    expiredTokens += items.sorted().compactMap { call.items[$0].token }
    expiredTokens.removeFirst(max(0, expiredTokens.count - limit))
  }

  private func expired(in call: Call) -> Set<Int> {
    guard !expiredTokens.isEmpty else { return [] }
    return Set(
      call.items.indices.filter { index in
        call.items[index].token.map { expiredTokens.contains($0) } ?? false
      })
  }
}

extension Fault {
  fileprivate var expiresToken: Bool {
    switch effect {
    case .expireToken, .error(.changeTokenExpired): true
    case .error, .loseAnswer, .conflict, .pretend, .removeZone, .changeAccount, .dropPush,
      .duplicatePush, .holdPush:
      false
    }
  }

  /// The items of a call that this fault is about.
  fileprivate func items(of call: FaultPlan.Call) -> Set<Int> {
    if let user, user != call.user { return [] }
    if let device, device != call.device { return [] }
    return Set(call.items.indices.filter { isAbout(call.items[$0], in: call.scope) })
  }

  private func isAbout(_ item: FaultPlan.Call.Item, in scope: DatabaseScope?) -> Bool {
    (operations.isEmpty ? isMeant(for: item.operation) : operations.contains(item.operation))
      && isPossible(at: item.operation)
      && (zone == nil || zone == item.zone) && (record == nil || record == item.record)
      && (!expiresToken || item.token != nil || isClaimed(at: item.operation))
      && findsZone(of: item, in: scope)
  }

  /// What a fault without operations means, of those that it is possible at.
  private func isMeant(for operation: Operation) -> Bool {
    switch effect {
    case .error(.serverRecordChanged), .conflict: operation == .saveRecords
    case .error(.changeTokenExpired): operation.bringsToken
    // A zone that is saved anew right after it went was mostly never there.
    case .removeZone(.deleted), .removeZone(.purged): operation != .saveZones
    case .error, .loseAnswer, .expireToken, .pretend, .removeZone, .changeAccount, .dropPush,
      .duplicatePush, .holdPush:
      true
    }
  }

  /// Whether a zone can go because of an item: one that it names, of a user. A reset needs no name.
  private func findsZone(of item: FaultPlan.Call.Item, in scope: DatabaseScope?) -> Bool {
    guard case .removeZone(let reason) = effect else { return true }
    if scope == .public { return false }
    guard let zone = item.zone else { return reason == .encryptedDataReset }
    if scope == .shared, item.owner == nil { return false }
    return reason != .deleted || zone != ZoneID.defaultName
  }
}
