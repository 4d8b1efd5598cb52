// What makes two subscriptions the same is remembered, and never goes for others or for what one was before.

import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore

@Suite struct KnownSignaturesTests {
  private let place = SubscriptionScope(
    in: DatabaseKey.sample().containerEnvironment, scope: .private, user: UserID("_ada"))

  private func subscription(_ id: String, _ text: String) -> Subscription {
    let query = Query(
      recordType: "Note", filters: [Filter(.equals, .field("title"), .string(text))])
    return Subscription(
      id: id, kind: .query(query, zone: nil, firesOn: [.create], firesOnce: false),
      info: nil)
  }

  @Test func `a remembered signature is that of the subscription as it is now`() {
    let known = KnownSignatures()
    for (id, text) in [("a", "1"), ("a", "1"), ("a", "2"), ("b", "1"), ("a", "1")] {
      let asked = subscription(id, text)
      #expect(known.text(of: asked, in: place) == SubscriptionSignature.text(asked.kind))
      #expect(known.signature(of: asked, in: place).byteCount == asked.byteCount)
    }
    #expect(known.count == 2)
    let other = SubscriptionScope(
      in: place.containerEnvironment, scope: .public, user: UserID("_bob"))
    let asked = subscription("a", "3")
    #expect(known.text(of: asked, in: other) == SubscriptionSignature.text(asked.kind))
    #expect(known.count == 3)
  }

  @Test func `no more bytes of signatures are remembered than a bound`() {
    let known = KnownSignatures()
    let long = String(repeating: "x", count: 60_000)
    for number in 0..<200 { _ = known.text(of: subscription("s\(number)", long), in: place) }
    #expect(known.count <= KnownSignatures.limit / 60_000)
    #expect(known.count > 0)
  }
}
