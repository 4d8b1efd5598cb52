import BrumeModel
import Testing

@testable import BrumeCore

@Suite struct FaultPlanTests {
  private func save(_ record: String, zone: String = "Z", by device: DeviceID? = nil)
    -> FaultPlan.Call
  {
    FaultPlan.Call(
      user: UserID("alice"), device: device,
      items: [.init(.saveRecords, zone: zone, record: record)])
  }

  private func fetch(_ token: String?) -> FaultPlan.Call {
    FaultPlan.Call(
      user: nil, device: nil, items: [.init(.fetchZoneChanges, zone: "Z", token: token)])
  }

  private func plan(_ faults: Fault...) throws -> FaultPlan {
    var plan = FaultPlan(limits: .apple)
    try plan.add(faults)
    return plan
  }

  @Test func `a fault applies to one call, and is used up`() throws {
    var plan = try plan(Fault(.error(.requestRateLimited)))
    #expect(plan.decide(save("a")).fault?.effect == .error(.requestRateLimited))
    #expect(plan.decide(save("a")) == .none)
    #expect(plan.isEmpty)
  }

  @Test func `calls that do not match pass`() throws {
    var plan = try plan(
      Fault(
        .error(.zoneNotFound), on: [.saveRecords], zone: "Z", record: "a", device: DeviceID("phone")
      ))
    #expect(plan.decide(save("a")) == .none)
    #expect(plan.decide(save("a", zone: "Y", by: DeviceID("phone"))) == .none)
    #expect(plan.decide(save("b", by: DeviceID("phone"))) == .none)
    #expect(plan.decide(fetch(nil)) == .none)
    #expect(plan.decide(save("a", by: DeviceID("phone"))).fault != nil)
  }

  @Test func `a fault lets as many calls pass as it says`() throws {
    var plan = try plan(Fault(.conflict, skip: 1, count: 2))
    let met = (0..<4).map { _ in plan.decide(save("a")).fault != nil }
    #expect(met == [false, true, true, false])
  }

  @Test func `of a batch only the items that match are met`() throws {
    var plan = try plan(Fault(.error(.unknownItem), record: "b"))
    var call = save("a")
    call.items.append(.init(.saveRecords, zone: "Z", record: "b"))
    #expect(plan.decide(call).items == [1])
  }

  @Test func `faults that were added together follow each other`() throws {
    var plan = try plan(
      Fault(.conflict, skip: 1), Fault(.error(.networkFailure), on: [.saveRecords]))
    let met = (0..<4).map { _ in plan.decide(save("a")).fault?.effect }
    #expect(met == [nil, .conflict, .error(.networkFailure), nil])
  }

  @Test func `faults that were added apart do not wait, and the oldest comes first`() throws {
    var plan = try plan(Fault(.error(.requestRateLimited)))
    try plan.add([Fault(.error(.serviceUnavailable))])
    #expect(plan.decide(save("a")).fault?.effect == .error(.requestRateLimited))
    #expect(plan.decide(save("a")).fault?.effect == .error(.serviceUnavailable))
  }

  @Test func `a fault without an end meets every call until it is cleared`() throws {
    var plan = try plan(Fault(.error(.networkUnavailable), count: nil))
    #expect(plan.entries.map(\.isWaiting) == [true])
    let met = (0..<3).map { _ in plan.decide(save("a")).fault != nil }
    #expect(met == [true, true, true])
    #expect(plan.entries.map(\.isWaiting) == [false])
    plan.clear()
    #expect(plan.decide(save("a")) == .none)
  }

  @Test func `an expired token stays expired, and a new one works`() throws {
    var plan = try plan(Fault(.expireToken))
    #expect(plan.decide(fetch(nil)) == .none)
    #expect(plan.decide(fetch("old")).expired == [0])
    #expect(plan.decide(fetch("old")).expired == [0])
    #expect(plan.decide(fetch("new")).expired == [])
  }

  @Test func `push faults meet pushes only, and others never`() throws {
    var plan = try plan(Fault(.dropPush))
    try plan.add([Fault(.error(.serviceUnavailable))])
    let push = FaultPlan.Call(user: nil, device: nil, items: [.init(.push)])
    #expect(plan.decide(push).fault?.effect == .dropPush)
    #expect(plan.decide(push) == .none)
    #expect(plan.decide(save("a")).fault?.effect == .error(.serviceUnavailable))
  }

  @Test func `an account signs out on one device, and the other keeps its user`() throws {
    let (alice, phone, laptop) = (UserID("alice"), DeviceID("phone"), DeviceID("laptop"))
    var plan = try plan(Fault(.changeAccount(to: nil), device: phone))
    #expect(plan.user(of: alice, on: phone) == alice)
    #expect(plan.decide(save("a", by: laptop)) == .none)
    #expect(plan.decide(save("a", by: phone)).fault?.effect == .changeAccount(to: nil))
    #expect(plan.user(of: alice, on: phone) == nil)
    #expect(plan.user(of: alice, on: laptop) == alice)
    plan.clear()
    #expect(plan.user(of: alice, on: phone) == alice)
  }

  @Test func `an account that switched switches again`() throws {
    let (alice, bob, phone) = (UserID("alice"), UserID("bob"), DeviceID("phone"))
    var plan = try plan(
      Fault(.changeAccount(to: bob)), Fault(.changeAccount(to: UserID("carol"))))
    _ = plan.decide(save("a", by: phone))
    #expect(plan.user(of: alice, on: phone) == bob)
    // The proofs are still alice's, and the caller is bob.
    var call = save("b", by: phone)
    call.user = bob
    _ = plan.decide(call)
    #expect(plan.user(of: alice, on: phone) == UserID("carol"))
    #expect(plan.user(of: bob, on: phone) == bob)
  }

  @Test func `a zone that goes waits for a call that names one, of a user`() throws {
    var plan = try plan(Fault(.removeZone(.deleted)), Fault(.removeZone(.purged)))
    func decide(_ item: FaultPlan.Call.Item, _ scope: DatabaseScope? = .private) -> Fault.Effect? {
      let call = FaultPlan.Call(user: UserID("bob"), device: nil, items: [item], in: scope)
      return plan.decide(call).fault?.effect
    }
    #expect(decide(.init(.fetchDatabaseChanges, token: "t")) == nil)
    #expect(decide(.init(.saveZones, zone: "Z")) == nil)
    #expect(decide(.init(.sharing), nil) == nil)
    #expect(decide(.init(.query, zone: "_defaultZone"), .public) == nil)
    #expect(decide(.init(.query, zone: "_defaultZone")) == nil, "nobody can delete it")
    #expect(decide(.init(.query, zone: "Z"), .shared) == nil, "it names no owner")
    #expect(decide(.init(.query, zone: "Z", owner: "alice"), .shared) == .removeZone(.deleted))
    #expect(decide(.init(.query, zone: "_defaultZone")) == .removeZone(.purged))
  }

  @Test(arguments: [
    (Fault.Effect.conflict, Fault.Operation.query), (.dropPush, .fetchZones),
    (.pretend, .fetchZones), (.error(.networkFailure), .push), (.loseAnswer, .push),
    (.expireToken, .saveRecords), (.removeZone(.deleted), .fetchDatabaseChanges),
    (.removeZone(.encryptedDataReset), .account), (.changeAccount(to: nil), .fetchAssets),
  ])
  func `a fault is not used up by calls at which it can do nothing`(
    effect: Fault.Effect, operation: Fault.Operation
  ) throws {
    var plan = try plan(Fault(effect, on: [operation]))
    let item = FaultPlan.Call.Item(operation, zone: "Z", record: "a", token: "t")
    #expect(plan.decide(.init(user: nil, device: nil, items: [item], in: .private)) == .none)
    #expect(plan.entries.count == 1)
  }

  @Test func `there is a limit on faults`() throws {
    var plan = FaultPlan(limits: .apple)
    try plan.add(Array(repeating: Fault(.conflict), count: 1000))
    #expect(throws: BrumeError.self) { try plan.add([Fault(.conflict)]) }
  }
}
