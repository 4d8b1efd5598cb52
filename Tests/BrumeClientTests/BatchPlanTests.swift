import BrumeModel
import Testing

@testable import BrumeClient

struct BatchPlanTests {
  private var limits: Limits {
    var limits = Limits()
    limits.operationsPerRequest = 4
    limits.itemsPerOperation = 12
    return limits
  }
  private let notes = ZoneID(name: "Notes")
  private let plain = ZoneID(name: ZoneID.defaultName)

  private func items(
    _ names: [String], zone: ZoneID, isAtomic: Bool
  ) -> [BatchPlan.Item] {
    names.map { BatchPlan.Item(name: $0, zone: zone, isAtomic: isAtomic) }
  }

  @Test func `a small batch is one request, in its order`() throws {
    let plan = try BatchPlan(items(["a", "b", "c"], zone: plain, isAtomic: false), limits: limits)
    #expect(plan.requests == [[0, 1, 2]])
  }

  @Test func `items that may fail one by one are cut at the request's limit`() throws {
    let names = (0..<10).map { "r\($0)" }
    let plan = try BatchPlan(items(names, zone: plain, isAtomic: false), limits: limits)
    #expect(plan.requests.map(\.count) == [4, 4, 2])
    #expect(plan.requests.flatMap { $0 } == Array(0..<10))
  }

  @Test func `an atomic zone is never torn apart, even above the request's limit`() throws {
    let names = (0..<7).map { "r\($0)" }
    let plan = try BatchPlan(items(names, zone: notes, isAtomic: true), limits: limits)
    #expect(plan.requests == [Array(0..<7)])
  }

  @Test func `atomic zones share a request only if both fit whole`() throws {
    let other = ZoneID(name: "Other")
    let batch =
      items(["a", "b", "c"], zone: notes, isAtomic: true)
      + items(["d", "e"], zone: other, isAtomic: true)
      + items(["f", "g"], zone: ZoneID(name: "Third"), isAtomic: true)
    let plan = try BatchPlan(batch, limits: limits)
    #expect(plan.requests == [[0, 1, 2], [3, 4, 5, 6]])
  }

  @Test func `interleaved zones come out zone by zone`() throws {
    let a = BatchPlan.Item(name: "a", zone: notes, isAtomic: true)
    let b = BatchPlan.Item(name: "b", zone: plain, isAtomic: false)
    let plan = try BatchPlan([a, b, a, b], limits: limits)
    #expect(plan.requests == [[0, 2, 1, 3]])
  }

  @Test func `a parent is sent before its children`() throws {
    var names = (0..<6).map {
      BatchPlan.Item(name: "child\($0)", zone: plain, isAtomic: false, parent: "top")
    }
    names.append(BatchPlan.Item(name: "top", zone: plain, isAtomic: false))
    let plan = try BatchPlan(names, limits: limits)
    #expect(plan.requests.first?.first == 6)
    #expect(Set(plan.requests.flatMap { $0 }) == Set(0..<7))
  }

  @Test func `a cycle of parents still has a plan`() throws {
    let plan = try BatchPlan(
      [
        BatchPlan.Item(name: "a", zone: plain, isAtomic: false, parent: "b"),
        BatchPlan.Item(name: "b", zone: plain, isAtomic: false, parent: "a"),
      ], limits: limits)
    #expect(Set(plan.requests.flatMap { $0 }) == [0, 1])
  }

  @Test func `a share travels with its root`() throws {
    var batch = items(["a", "b", "c", "root", "d"], zone: notes, isAtomic: false)
    batch.append(BatchPlan.Item(name: "share", zone: notes, isAtomic: false, root: "root"))
    let plan = try BatchPlan(batch, limits: limits)
    let withRoot = plan.requests.filter { $0.contains(3) }
    #expect(withRoot.count == 1)
    #expect(withRoot.first?.contains(5) == true)
  }

  @Test func `more items than an operation may have are refused with what to do`() throws {
    let most = items((0..<12).map { "r\($0)" }, zone: plain, isAtomic: false)
    #expect(try BatchPlan(most, limits: limits).requests.map(\.count) == [4, 4, 4])
    let names = (0..<13).map { "r\($0)" }
    #expect {
      try BatchPlan(items(names, zone: plain, isAtomic: false), limits: limits)
    } throws: { error in
      let error = error as? BrumeError
      return error?.code == .limitExceeded && error?.reason.contains("half") == true
    }
  }

  @Test func `no operations need no request`() throws {
    #expect(try BatchPlan([], limits: limits).requests.isEmpty)
  }
}
