// What a subscription's bytes said is remembered, within a bound; what they could not say is not.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization
import Testing

@Suite struct DecodedSubscriptionsTests {
  private func bytes(_ id: String, _ text: String) -> [UInt8] {
    let query = Query(
      recordType: "Note", filters: [Filter(.equals, .field("title"), .string(text))])
    let kind = Subscription.Kind.query(query, zone: nil, firesOn: [.create], firesOnce: false)
    return Wire.encode(Subscription(id: id, kind: kind, info: nil))
  }

  @Test func `bytes are decoded once, and each say what they say`() throws {
    let count = Mutex(0)
    let decoded = DecodedSubscriptions {
      count.withLock { $0 += 1 }
      return try Wire.subscription($0)
    }
    let all = [bytes("a", "1"), bytes("a", "2"), bytes("b", "1"), bytes("a", "1")]
    for _ in 0..<3 {
      for content in all {
        #expect(try decoded.subscription(of: content) == Wire.subscription(content))
      }
    }
    #expect(count.withLock { $0 } == 3)
    #expect(decoded.count == 3)
  }

  @Test func `bytes that are no subscription fail each time and are not remembered`() {
    let decoded = DecodedSubscriptions { try Wire.subscription($0) }
    for _ in 0..<2 {
      #expect(throws: (any Error).self) { try decoded.subscription(of: [0x7b]) }
    }
    #expect(decoded.count == 0)
  }

  @Test func `no more bytes are remembered than a bound`() throws {
    let decoded = DecodedSubscriptions { try Wire.subscription($0) }
    let long = String(repeating: "x", count: 60_000)
    for number in 0..<200 { _ = try decoded.subscription(of: bytes("s\(number)", long)) }
    #expect(decoded.count <= DecodedSubscriptions.limit / 60_000)
    #expect(decoded.count > 0)
  }
}
