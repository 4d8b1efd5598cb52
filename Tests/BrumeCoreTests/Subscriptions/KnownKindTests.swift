import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore

/// Kinds of subscriptions as an environment keeps them (case SUB-25).
@Suite struct KnownKindTests {
  private static func query(
    _ filters: [Filter], on events: Set<Subscription.Event> = [.create, .delete]
  ) -> Subscription.Kind {
    .query(
      Query(recordType: "Note", filters: filters), zone: nil, firesOn: events, firesOnce: false)
  }
  private static let kinds: [Subscription.Kind] = [
    .database(recordType: nil), .zone(ZoneID(name: "Z"), recordType: "Note"), query([]),
    query([], on: []),
    query([
      Filter(.equals, .field("title"), .string("Milk")),
      Filter(.greaterThan, .system(.modifiedTimestamp), .timestamp(7)),
    ]),
  ]

  @Test func `what is kept has the form that stores have, and comes back`() {
    var types = SubscriptionTypes(nil)
    for kind in Self.kinds {
      let isNew = types.learn(kind)
      #expect(isNew)
    }
    #expect(
      String(decoding: types.bytes, as: UTF8.self) == """
        database
        query\tNote\t
        query\tNote\tcreate,delete
        query\tNote\tcreate,delete\tEQUALS title\tGREATER_THAN ___modTime
        zone
        """)
    var back = SubscriptionTypes(types.bytes)
    #expect(back == types)
    for kind in Self.kinds {
      #expect(back.knows(kind))
      let isNew = back.learn(kind)
      #expect(!isNew)
    }
  }

  @Test func `other values and another order of conditions are the same kind`() {
    let title = Filter(.equals, .field("title"), .string("Milk"))
    let text = Filter(.equals, .field("text"), .int64(1))
    let other = Filter(.equals, .field("title"), .string("Bread"))
    #expect(KnownKind(Self.query([title, text])) == KnownKind(Self.query([text, other])))
    #expect(KnownKind(Self.query([title])) != KnownKind(Self.query([text])))
    #expect(KnownKind(Self.query([title])) != KnownKind(Self.query([title], on: [.update])))
  }

  @Test(
    arguments: [
      "", "zones", "zone\t", "query", "query\tNote", "query\tNote\tx", "query\tA\t\tEQUALS",
    ])
  func `a line that is no kind is none:`(line: String) {
    #expect(KnownKind(line: line) == nil)
    #expect(SubscriptionTypes(Array("\(line)\nzone".utf8)).kinds == [.zone])
  }

  @Test func `any bytes are kinds or none, and what was read is written again`() {
    var random = SeededRandom(seed: 25)
    let pieces: [[UInt8]] =
      ["zone", "database", "query", "create", "EQUALS", "Note"].map { Array($0.utf8) }
      + [[9], [10], [32], [44], [0xcc, 0x81], [0xff], [0]]
    for _ in 0..<5000 {
      let bytes = (0..<random.next(below: 10)).flatMap { _ in
        pieces[random.next(below: pieces.count)]
      }
      let types = SubscriptionTypes(bytes)
      #expect(SubscriptionTypes(types.bytes) == types, "\(bytes)")
    }
  }
}
