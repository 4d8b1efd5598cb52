import BrumeModel
import BrumePredicate
import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct SubscriptionIndexTests {
  private func matches(_ index: CheckedIndex, _ entry: LogEntry) -> [String] {
    guard case .record(let change) = entry.event else { return [] }
    return index.value.ids(
      index.value.matches(entry, image: try? change.image?.record()) { $0 == "text" })
  }

  @Test func `equal predicates are one node with a list of owners`() {
    var index = CheckedIndex()
    for number in 0..<100 {
      let filters = [
        Filter(.equals, .field("a"), .int64(1)), Filter(.equals, .field("b"), .double(2)),
      ]
      index.put(
        stored(
          "s", query("T", number % 2 == 0 ? filters : filters.reversed()),
          in: place(.public, UserID("_\(number)"))))
    }
    let main = zone("Z", of: nil)
    let hit = record("r", "T", in: main, ["a": .int64(1), "b": .int64(2)])
    let found = index.value.matches(change(.created, hit, in: main), image: hit) { _ in false }
    #expect(found.groups.map(\.count) == [100])
    #expect(found.rows.isEmpty)
  }

  @Test func `a record leads only to thresholds that it meets, however many there are`() {
    var index = CheckedIndex()
    for number in 0..<2000 {
      let filters = [
        Filter(.equals, .field("genre"), .string("g\(number % 100)")),
        Filter(.greaterThan, .field("priority"), .int64(Int64(number))),
      ]
      index.put(stored("s\(number)", query("T", filters), in: place(.public, alice)))
    }
    let main = zone("Z", of: nil)
    let event = record("r", "T", in: main, ["genre": .string("g7"), "priority": .int64(1000)])
    // Of the 20 conditions on g7, the thresholds up to 1000: 7, 107, … 907.
    #expect(matches(index, change(.created, event, in: main)).count == 10)
    // Nothing is evaluated for it: the value and the bound are the whole condition.
    #expect(index.value.conditions.inUse == 0)
  }

  @Test func `a record does not cut the texts of searches into words, however long they are`() {
    var index = CheckedIndex()
    let ignored = String(repeating: " a", count: 30_000)
    for number in 0..<15 {
      let search = Filter(.containsAnyTokens, .field("text"), .string("x u\(number)" + ignored))
      index.put(stored("s\(number)", query("T", [search]), in: place(.public, alice)))
    }
    let main = zone("Z", of: nil)
    let note = record("r", "T", in: main, ["text": .string("x")])
    let asked = AskedRecord(note) { _ in false }
    let found = index.value.matches(change(.created, note, in: main), asked: asked)
    #expect(index.value.ids(found).count == 15)
    #expect(asked.textsCut == 0)
    // The count can rise.
    #expect(asked.answer(Filter(.containsAnyTokens, .field("text"), .string("x"))) == true)
    #expect(asked.textsCut == 1)
  }

  @Test(arguments: [Comparator.beginsWith, .listMemberBeginsWith])
  func `texts are looked up in sixteen lengths, whatever prefixes are asked for:`(
    comparator: Comparator
  ) throws {
    var index = CheckedIndex()
    for length in 0..<500 {
      let prefix = Filter(comparator, .field("f"), .string(String(repeating: "p", count: length)))
      index.put(stored("s\(length)", query("T", [prefix]), in: place(.public, alice)))
    }
    let main = zone("Z", of: nil)
    let watch = SubscriptionIndex.Watch.queries(main.database, type: "T", zone: nil)
    let scope = try #require(index.value.scopes.find(watch))
    #expect(index.value.scopes[scope].uses.count <= 16)
    let text = FieldValue.string(String(repeating: "p", count: 100))
    let value = comparator == .beginsWith ? text : .list([.string(""), text], of: .string)
    let note = record("r", "T", in: main, ["f": value])
    #expect(matches(index, change(.created, note, in: main)).count == 101)
  }

  @Test(arguments: [Comparator.greaterThan, .lessThan])
  func `at a bound, too, who starts later or fires on something else does not match:`(
    comparator: Comparator
  ) {
    let main = zone("Z", of: nil)
    let event = record("r", "T", in: main, ["genre": .string("g"), "priority": .int64(5)])
    var index = CheckedIndex()
    for (number, bound) in [2, 5, 8].enumerated() {
      let filters = [
        Filter(.equals, .field("genre"), .string("g")),
        Filter(comparator, .field("priority"), .int64(Int64(bound))),
      ]
      for (id, wanted, startPosition) in [
        ("created", Subscription.Event.create, Int64(1)), ("updated", .update, 1),
        ("young", .create, 20),
      ] {
        let kind = query("T", filters, on: [wanted])
        index.put(
          stored("\(id)\(number)", kind, in: place(.public, alice), startPosition: startPosition))
      }
    }
    let met = comparator == .greaterThan ? "0" : "2"
    #expect(matches(index, change(.created, event, in: main, at: 10)) == ["created" + met])
    #expect(matches(index, change(.updated, event, in: main, at: 10)) == ["updated" + met])
    #expect(
      matches(index, change(.created, event, in: main, at: 30)) == ["created" + met, "young" + met])
    for number in 0...2 {
      index.remove(SubscriptionKey(scope: place(.public, alice), id: "young\(number)"))
    }
    #expect(matches(index, change(.created, event, in: main, at: 30)) == ["created" + met])
  }

  @Test func `a replaced subscription is found by its new condition only`() {
    let notes = zone("Notes", of: alice)
    var index = CheckedIndex()
    let red = Filter(.equals, .field("color"), .string("red"))
    let blue = Filter(.equals, .field("color"), .string("blue"))
    index.put(stored("s", query("Note", [red]), in: place(.private, alice)))
    index.put(stored("s", query("Note", [blue]), in: place(.private, alice)))
    #expect(index.count == 1)
    let redNote = record("n", "Note", in: notes, ["color": .string("red")])
    let blueNote = record("n", "Note", in: notes, ["color": .string("blue")])
    #expect(matches(index, change(.created, redNote, in: notes)) == [])
    #expect(matches(index, change(.created, blueNote, in: notes)) == ["s"])
    index.put(stored("s", .zone(notes.id, recordType: nil), in: place(.private, alice)))
    #expect(matches(index, change(.created, redNote, in: notes)) == ["s"])
    #expect(matches(index, change(.created, blueNote, in: notes)) == ["s"])
  }

  @Test func `shared database subscriptions are found by their user`() {
    let notes = zone("Notes", of: alice)
    var index = CheckedIndex()
    index.put(stored("s", .database(recordType: nil), in: place(.shared, bob)))
    index.put(stored("typed", .database(recordType: "Photo"), in: place(.shared, bob)))
    let entry = change(.created, record("n", "Note", in: notes), in: notes)
    #expect(matches(index, entry) == [])
    #expect(index.value.ids(index.value.matches(entry, sharedWith: [bob])) == ["s"])
    #expect(index.value.ids(index.value.matches(entry, sharedWith: [alice])) == [])
    let joined = LogEntry(
      position: 9, database: notes.database, event: .membership(bob, notes), origin: origin())
    #expect(index.value.ids(index.value.matches(joined, sharedWith: [bob])) == ["s"])
  }

  /// The index is only a faster way to `FireRules.fires`; here it has to prove it, on values that
  /// are hard to hash, sort and compare, while subscriptions come and go.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `the index answers the same as evaluating every subscription`(seed: UInt64) throws {
    var generator = SubscriptionGenerator(seed: seed)
    var index = CheckedIndex()
    var all: [SubscriptionKey: StoredSubscription] = [:]
    var hits = 0
    for round in 0..<1200 {
      for _ in 0..<2 {
        let subscription = generator.subscription(startPosition: Int64(round))
        index.put(subscription)
        all[subscription.key] = subscription
      }
      if round % 3 == 0, let key = all.keys.randomElement(using: &generator.random) {
        index.remove(key)
        all[key] = nil
      }
      let entry = generator.entry(at: Int64.random(in: 0...Int64(round), using: &generator.random))
      let expected = generator.expected(all.values, entry)
      #expect(matches(index, entry) == expected, "seed \(seed), round \(round)")
      hits += expected.count
    }
    #expect(index.count == all.count)
    // A test in which nothing ever matches would prove nothing.
    #expect(hits > 1000)
    for key in all.keys { index.remove(key) }
    #expect(index.count == 0)
    #expect(matches(index, generator.entry(at: 5000)) == [])
  }
}
