// Records with five fields that are searched in one zone and not in the other, and the searches for them. At every size a search has 200 matches or
// about as many, so that what grows is the zone and not the answer.

import Foundation

enum GrowthBodies {
  static let zone = "growth"
  static let plainZone = "plain"

  private static let blob = Data(repeating: 0x5A, count: 600).base64EncodedString()
  private static let vocabulary = 5000

  /// Which 200 records are found together: they were saved far from each other.
  static func group(_ number: Int) -> Int {
    switch number {
    case ..<10_000: number % 50
    case ..<100_000: 50 + number % 450
    default: 500 + number % 4500
    }
  }

  /// Names and values are the same in every run, and in no order.
  static func save(_ numbers: Range<Int>, zone: String) -> [UInt8] {
    let operations = numbers.map { number -> String in
      var random = NumberMixer(number)
      let name = String(random.next(), radix: 36) + "-" + String(random.next(), radix: 36)
      let fields = fields(number, &random)
      let type = zone == plainZone ? "Plain" : "Hike"
      return
        #"{"operationType":"create","record":{"recordName":"\#(name)","recordType":"\#(type)","fields":{\#(fields)"rank":{"value":\#(number),"type":"INT64"},"body":{"value":"\#(blob)","type":"BYTES"}}}}"#
    }
    return Array(
      #"{"zoneID":{"zoneName":"\#(zone)"},"atomic":true,"operations":[\#(operations.joined(separator: ","))]}"#
        .utf8)
  }

  /// A number in no order, one that 200 have, a time, a kind, and a title of five words.
  private static func fields(_ number: Int, _ random: inout NumberMixer) -> String {
    let group = group(number)
    let words = (0..<4).map { _ in "w\(random.next() % UInt64(vocabulary))" } + ["t\(group)"]
    return
      #""km":{"value":\#(Double(random.next() % 1_000_000_000) / 1000),"type":"DOUBLE"},"n":{"value":\#(group),"type":"INT64"},"day":{"value":\#(1_700_000_000_000 + number * 1000),"type":"TIMESTAMP"},"kind":{"value":"kind\#(random.next() % 200)","type":"STRING"},"title":{"value":"\#(words.joined(separator: " "))","type":"STRING"},"#
  }

  /// Equality, range with a sort, words; then the fields that are only loaded.
  static func searches(group: Int) -> [[UInt8]] {
    let start = Double(group % 450) * 2000 + 0.5
    return [
      search(
        #"{"comparator":"EQUALS","fieldName":"n","fieldValue":{"value":\#(group),"type":"INT64"}}"#),
      search(
        #"{"comparator":"GREATER_THAN","fieldName":"km","fieldValue":{"value":\#(start),"type":"DOUBLE"}}"#,
        sorts: #"{"fieldName":"km","ascending":true}"#),
      search(
        #"{"comparator":"CONTAINS_ALL_TOKENS","fieldName":"title","fieldValue":{"value":"t\#(group)","type":"STRING"}}"#
      ),
      search(
        #"{"comparator":"EQUALS","fieldName":"day","fieldValue":{"value":5,"type":"TIMESTAMP"}}"#),
      search(
        #"{"comparator":"EQUALS","fieldName":"kind","fieldValue":{"value":"x","type":"STRING"}}"#),
    ]
  }

  /// The field that nobody searches before: its index is built from all records.
  static let newSearch = search(
    #"{"comparator":"EQUALS","fieldName":"rank","fieldValue":{"value":7,"type":"INT64"}}"#)

  private static func search(_ filter: String, sorts: String = "") -> [UInt8] {
    Array(
      #"{"zoneID":{"zoneName":"\#(zone)"},"resultsLimit":50,"query":{"recordType":"Hike","filterBy":[\#(filter)],"sortBy":[\#(sorts)]}}"#
        .utf8)
  }
}

/// Numbers that look like chance and are the same for the same start.
private struct NumberMixer {
  private var state: UInt64
  init(_ start: Int) { state = UInt64(start) &* 0x9e37_79b9_7f4a_7c15 }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }
}
