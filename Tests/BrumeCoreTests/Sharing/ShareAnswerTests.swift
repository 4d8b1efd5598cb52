// How much of shares one request answers: as much as a look-up of records, however often an address is in it.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct ShareAnswerTests {
  /// Three shares that are open to all, each with a root of 1,000 letters, and their addresses.
  private func shared(
    upTo most: Int = Limits.apple.answerBytes
  ) async throws -> (fixture: EngineFixture, addresses: [String]) {
    var limits = Limits.apple
    limits.answerBytes = most
    let fixture = try await EngineFixture(limits: limits)
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    var addresses: [String] = []
    for index in 0..<3 {
      try await fixture.save(.create("r\(index)", ["text": text]))
      let share = try await fixture.save(.share("s\(index)", of: "r\(index)", open: .readOnly))
      addresses.append(try #require(share.shortGUID))
    }
    return (fixture, addresses)
  }

  private func requests(_ addresses: [String]) -> [ShortGUIDRequest] {
    addresses.map { ShortGUIDRequest(value: $0, shouldFetchRootRecord: true) }
  }

  /// What one of the shares takes in an answer.
  private func bytesOfOne() async throws -> Int {
    let (fixture, addresses) = try await shared()
    let results = try await fixture.engine.shares.resolve(requests(addresses), as: fixture.bob)
    let first = try #require(results.first).get()
    return first.share.byteCount + (first.rootRecord?.byteCount ?? 0)
  }

  @Test func `a look at shares has a bound in bytes, and the rest can be asked for again`()
    async throws
  {
    let bytes = try await bytesOfOne()
    let (exact, addresses) = try await shared(upTo: 2 * bytes)
    let shares = exact.engine.shares
    let found = try await shares.resolve(requests(addresses), as: exact.bob)
    #expect(found.codes == [nil, nil, .limitExceeded])
    let reason = found[2].failure?.error.reason ?? ""
    #expect(reason.contains(addresses[2]) && reason.contains("\(2 * bytes)"))
    #expect(reason.hasSuffix("ask for the rest in another request"))
    let rest = try await shares.resolve(requests([addresses[2]]), as: exact.bob)
    #expect(rest.codes == [nil])
    let (less, others) = try await shared(upTo: 2 * bytes - 1)
    let fewer = try await less.engine.shares.resolve(requests(others), as: less.bob)
    #expect(fewer.codes == [nil, .limitExceeded, .limitExceeded])
    let (tiny, large) = try await shared(upTo: 1)
    let one = try await tiny.engine.shares.resolve(requests(large), as: tiny.bob)
    #expect(one.codes == [nil, .limitExceeded, .limitExceeded])
  }

  @Test func `a share for which the answer has no room is not joined`() async throws {
    let bytes = try await bytesOfOne()
    for (most, joined) in [(2 * bytes, 2), (2 * bytes - 1, 1)] {
      let (fixture, addresses) = try await shared(upTo: most)
      let bob = try #require(fixture.bob.user)
      let results = try await fixture.engine.shares.accept(requests(addresses), as: fixture.bob)
      #expect(results.codes == (0..<3).map { $0 < joined ? nil : .limitExceeded })
      for index in 0..<3 {
        let details = try await fixture.fetch("s\(index)").shareDetails
        #expect((details?.participant(bob) != nil) == (index < joined))
      }
      let rest = Array(addresses[joined...].prefix(1))
      let second = try await fixture.engine.shares.accept(requests(rest), as: fixture.bob)
      #expect(second.codes == [nil])
    }
  }

  @Test func `an address that is repeated is answered again, and counts again`() async throws {
    let bytes = try await bytesOfOne()
    let (fixture, addresses) = try await shared(upTo: 2 * bytes)
    let shares = fixture.engine.shares
    let values = [addresses[0], addresses[0] + "#Trails", addresses[0], "nowhere"]
    for results in [
      try await shares.resolve(requests(values), as: fixture.bob),
      try await shares.accept(requests(values), as: fixture.bob),
    ] {
      #expect(results.codes == [nil, nil, .limitExceeded, .limitExceeded])
      #expect(try results[1].get().shortGUID.value == values[1])
      #expect(try results[1].get().rootRecord?.name == "r0")
    }
    let twice = try await shares.resolve(requests(["nowhere", "nowhere#"]), as: fixture.bob)
    #expect(twice.map { $0.failure?.id } == ["nowhere", "nowhere#"])
    #expect(twice.codes == [.notFound, .notFound])
  }
}

extension [ShareResult] {
  fileprivate var codes: [BrumeError.Code?] { map { $0.failure?.error.code } }
}
