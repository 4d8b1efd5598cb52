import BrumeModel
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct FireRulesTests {
  private let notes = zone("Notes", of: alice)
  private let milk = Filter(.equals, .field("title"), .string("Milk"))

  private func fires(_ subscription: StoredSubscription, _ entry: LogEntry) -> Bool {
    let image: Record? =
      if case .record(let change) = entry.event { try? change.image?.record() } else { nil }
    return FireRules.fires(subscription, on: entry, image: image) { _ in false }
  }

  @Test(arguments: [
    (RecordChange.Kind.created, Subscription.Event.create), (.updated, .update),
    (.deleted, .delete),
  ])
  func `SUB-21 each change asks for its own option, judged on the one image`(
    kind: RecordChange.Kind, event: Subscription.Event
  ) {
    let entry = change(kind, record("n", "Note", in: notes, ["title": .string("Milk")]), in: notes)
    let others = Set(Subscription.Event.allCases).subtracting([event])
    #expect(
      fires(stored("s", query("Note", [milk], on: [event]), in: place(.private, alice)), entry))
    #expect(
      !fires(stored("s", query("Note", [milk], on: others), in: place(.private, alice)), entry))
    let bread = Filter(.equals, .field("title"), .string("Bread"))
    #expect(!fires(stored("s", query("Note", [bread]), in: place(.private, alice)), entry))
  }

  @Test func `SUB-27 a subscription never fires for what happened before it was saved`() {
    let entry = change(.created, record("n", "Note", in: notes), in: notes, at: 7)
    for (startPosition, expected) in [(6, true), (7, false), (8, false)] {
      let subscription = stored(
        "s", query("Note"), in: place(.private, alice), startPosition: Int64(startPosition))
      #expect(fires(subscription, entry) == expected)
    }
  }

  @Test func `SUB-14 a database subscription leaves the default zone out`() {
    let everything = stored("s", .database(recordType: nil), in: place(.private, alice))
    let main = zone(ZoneID.defaultName, of: alice)
    #expect(fires(everything, change(.created, record("n", "Note", in: notes), in: notes)))
    #expect(!fires(everything, change(.created, record("n", "Note", in: main), in: main)))
  }

  @Test func `a query subscription limited to a zone matches only that zone`() {
    let work = zone("Work", of: alice)
    let limited = stored("s", query("Note", zone: notes.id), in: place(.private, alice))
    #expect(fires(limited, change(.created, record("n", "Note", in: notes), in: notes)))
    #expect(!fires(limited, change(.created, record("n", "Note", in: work), in: work)))
  }

  @Test
  func
    `a record type narrows zone and database subscriptions, and then changes of zones do not match`()
  {
    let entry = change(.created, record("n", "Note", in: notes), in: notes)
    let creation = LogEntry(
      position: 3, database: notes.database, event: .zoneCreated(notes), origin: origin())
    for (type, matches) in [("Note", true), ("Photo", false)] {
      let one = stored("z", .zone(notes.id, recordType: type), in: place(.private, alice))
      let all = stored("d", .database(recordType: type), in: place(.private, alice))
      #expect(fires(one, entry) == matches)
      #expect(fires(all, entry) == matches)
      #expect(!fires(all, creation))
    }
    #expect(fires(stored("d", .database(recordType: nil), in: place(.private, alice)), creation))
  }

  @Test func `SUB-23 other users, containers and environments never match`() {
    let entry = change(.created, record("n", "Note", in: notes), in: notes)
    let strangers = [
      place(.private, bob), place(.public, alice),
      SubscriptionScope(
        in: production, scope: .private, user: alice),
      SubscriptionScope(
        in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), .development),
        scope: .private, user: alice),
    ]
    for stranger in strangers {
      #expect(!fires(stored("q", query("Note"), in: stranger), entry))
      #expect(!fires(stored("z", .zone(notes.id, recordType: nil), in: stranger), entry))
      #expect(!fires(stored("d", .database(recordType: nil), in: stranger), entry))
    }
  }

  @Test func `without an image no condition is met`() {
    let entry = change(.created, record("n", "Note", in: notes), in: notes)
    let all = stored("s", query("Note"), in: place(.private, alice))
    #expect(!FireRules.fires(all, on: entry, image: nil) { _ in false })
  }
}
