// Which rows a record has in the index, which of them a save changes, and which fields a query wants.

import BrumeModel
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

struct IndexEntriesTests {
  private func record(_ fields: [String: FieldValue], creator: String = "_bob") -> Record {
    var record = Record(name: "r", zone: ZoneID(name: "Trails"), type: "Trail", fields: fields)
    record.created = Stamp(time: 1000, user: UserID(creator), device: "d")
    return record
  }

  private func rows(_ value: FieldValue) -> [String] {
    var rows: [String] = []
    value.eachIndexRow { rows.append("\($0) \($1)") }
    return rows
  }

  private func change(
    _ name: String, from old: Record?, to new: Record?
  ) -> IndexChange? {
    IndexChange(of: IndexedField(indexName: name), from: old, to: new, in: .sample())
  }

  @Test func `a value has one row, a list one for each element that has a key`() {
    #expect(rows(.int64(3)) == ["number int(3)"])
    #expect(rows(.bytes([1])) == [])
    #expect(
      rows(.list([.double(1.5), .double(.nan), .double(2)], of: .double))
        == ["numbers double(1.5)", "numbers double(2.0)"])
  }

  @Test(arguments: ["title", "___createTime", "~", "~title"])
  func `a name in the index leads back to the field:`(name: String) {
    #expect(IndexedField(indexName: name).indexName == name)
  }

  @Test func `the index holds no encrypted field and no owner as creator`() {
    var trail = record(["secret": .string("a")], creator: "_a1")
    trail.encryptedFields = ["secret"]
    #expect(trail.indexedValue(of: .value(.field("secret")), in: .sample()) == nil)
    #expect(trail.indexedValue(of: .words("secret"), in: .sample()) == nil)
    let creator = IndexedField.value(.system(.createdUserRecordName))
    #expect(trail.indexedValue(of: creator, in: .sample()) == nil)
    #expect(record([:]).indexedValue(of: creator, in: .sample()) != nil)
    #expect(!FieldName.system(.modifiedUserRecordName).isIndexed)
  }

  @Test func `a save changes the rows of what it changed`() {
    let (old, new) = (record(["n": .int64(1)]), record(["n": .int64(2)]))
    #expect(change("n", from: old, to: old) == nil)
    let changed = change("n", from: old, to: new)
    #expect(changed?.gone == .int64(1))
    #expect(changed?.come == .int64(2))
    // A new record without the field must be noted as one.
    let empty = change("x", from: nil, to: new)
    #expect(empty?.isThere == true && empty?.gone == nil && empty?.come == nil)
    let deleted = change("n", from: new, to: nil)
    #expect(deleted?.isThere == false && deleted?.gone == .int64(2) && deleted?.come == nil)
  }

  @Test func `of a text the words that stay are left alone`() {
    let old = record(["s": .string("a long walk to the lake")])
    let new = record(["s": .string("a long walk to the summit")])
    let changed = change("~s", from: old, to: new)
    #expect(changed?.gone == .list([.string("lake")], of: .string))
    #expect(changed?.come == .list([.string("summit")], of: .string))
  }

  @Test func `words that go and come between each other are all found`() {
    func change(_ old: String, _ new: String) -> IndexChange? {
      self.change(
        "~s", from: record(["s": .string(old)]), to: record(["s": .string(new)]))
    }
    func list(_ words: String...) -> FieldValue {
      .list(words.map { .string($0) }, of: .string)
    }
    let mixed = change("yak fox bear deer", "zebu ant fox emu deer")
    #expect(mixed?.gone == list("bear", "yak") && mixed?.come == list("ant", "emu", "zebu"))
    let longer = change("ant", "ant bear fox")
    #expect(longer?.gone == .list([], of: .string) && longer?.come == list("bear", "fox"))
    let shorter = change("ant bear fox", "fox")
    #expect(shorter?.gone == list("ant", "bear") && shorter?.come == .list([], of: .string))
  }

  @Test func `words that can be written in two ways share a row`() {
    #expect(IndexedWord.spelling(of: "hike") == "hike")
    #expect(IndexedWord.spelling(of: "\u{d55c}") == "\u{1112}\u{1161}\u{11ab}")
    #expect(IndexedWord.spelling(of: "\u{915}\u{93f}") == nil)
    let words = record(["s": .string("\u{915}\u{93f} hike")])
      .indexedValue(of: .words("s"), in: .sample())
    #expect(words == .list([.string(IndexedWord.others), .string("hike")], of: .string))
  }

  @Test func `a word is looked for in all spellings of words that are equal to it`() throws {
    #expect(IndexedWord.spellings(of: "hike") == ["hike"])
    #expect(IndexedWord.spellings(of: "\u{915}\u{93f}") == nil)
    #expect(IndexedWord.spellings(of: String(repeating: "\u{374}", count: 4)) == nil)
    let words = ["\u{3b1}\u{374}", "\u{3b1}\u{2b9}"]
    for word in words {
      let written = try #require(IndexedWord.spelling(of: word)).utf8
      for other in words {
        let spellings = IndexedWord.spellings(of: other) ?? []
        #expect(spellings.contains { $0.utf8.elementsEqual(written) })
      }
    }
  }

  @Test func `letters that are equal share a spelling, or are looked for in both`() throws {
    for value in UInt32(0x80)...0xffff {
      guard let scalar = Unicode.Scalar(value), scalar.properties.isAlphabetic,
        let word = Tokens.of(String(scalar)).first, IndexedWord.spelling(of: word) != nil
      else { continue }
      let plain = String(scalar).decomposedStringWithCanonicalMapping
      guard let equal = Tokens.of(plain).first, equal == word,
        let written = IndexedWord.spelling(of: equal)
      else { continue }
      let spellings = IndexedWord.spellings(of: word) ?? []
      #expect(spellings.contains { $0.utf8.elementsEqual(written.utf8) }, "\(value)")
    }
  }

  @Test func `a query wants the fields of its conditions and of its first sort`() {
    func wanted(_ request: EngineQuery, _ keys: TypeKeys = TypeKeys()) -> Set<String> {
      var wanted = IndexWanted(for: request)
      wanted.look(at: keys, inZone: 7)
      return Set(wanted.fields[7] ?? [])
    }
    let equal = Filter(.equals, .field("n"), .int64(1))
    let sorts = [Sort(.field("s")), Sort(.field("t"))]
    #expect(wanted(.sample([equal], sorts: sorts)) == ["n", "s"])
    #expect(wanted(.sample([equal], sorts: sorts), .sample(["n": .number])) == ["s"])
    #expect(wanted(.sample()) == ["___createTime"])
    #expect(wanted(.sample([Filter(.containsAllTokens, nil, .string("hike"))])) == ["~"])
    // Names lead to the records themselves.
    #expect(wanted(.sample([equal, Filter(.equals, .system(.recordName), .string("r"))])) == [])
    // One that is on its way is still wanted.
    let half = TypeKeys(fields: ["n": WantedField(builtTo: "r", isStarted: true)])
    #expect(wanted(.sample([equal]), half) == ["n"])
  }
}
