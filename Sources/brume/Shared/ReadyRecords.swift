// Which records an import sends at once, and which not yet: a server refuses a record whose parent is not there, or the
// target of a reference with action VALIDATE, and keeps the files that were sent for it.

import BrumeCore
import BrumeModel
import BrumeWire

/// Records of one request, divided by whether what they need is there.
struct ReadyRecords {
  private(set) var ready: [Record]
  /// The others, each with the name of a record that it needs.
  private(set) var early: [(record: Record, needs: String)] = []

  /// Divides them by what the server has.
  ///
  /// - Parameter lookup: the answer of `records/lookup` to as many names as a request may have.
  /// - Throws: what `lookup` throws.
  static func among(
    _ records: [Record], lookup: ([String]) async throws -> JSON
  ) async throws -> ReadyRecords {
    var rest = needed(by: records)[...]
    if rest.isEmpty { return ReadyRecords(ready: records) }
    var there: Set<String> = []
    while !rest.isEmpty {
      let names = rest.prefix(Limits.apple.operationsPerRequest)
      rest = rest.dropFirst(names.count)
      let answers = try await lookup(Array(names))["records"]?.array ?? []
      for (name, answer) in zip(names, answers) where !Self.isMissing(answer) {
        there.insert(name)
      }
    }
    return ReadyRecords(records, there: there)
  }

  /// What to ask for: nothing where no file would be sent for a record that needs another.
  static func needed(by records: [Record]) -> [String] {
    guard records.contains(where: { !$0.needs.isEmpty && !$0.files.isEmpty }) else { return [] }
    return records.reduce(into: Set<String>()) { $0.formUnion($1.needs) }.sorted()
  }

  private static func isMissing(_ answer: JSON) -> Bool {
    answer["serverErrorCode"] != nil && Wire.error(answer).code == .notFound
  }

  private init(ready: [Record]) { self.ready = ready }

  /// - Parameter there: the names of all needed records that the server has.
  init(_ records: [Record], there: Set<String>) {
    ready = records
    var known = there.union(records.map(\.name))
    var isSettled = false
    while !isSettled {
      let all = ready
      ready = []
      for record in all {
        guard let name = record.needs.sorted().first(where: { !known.contains($0) }) else {
          ready.append(record)
          continue
        }
        early.append((record, name))
        // An older one may be there.
        if !there.contains(record.name) { known.remove(record.name) }
      }
      isSettled = ready.count == all.count
    }
  }

  /// Why a record was not sent.
  static func missing(_ name: String) -> BrumeError {
    BrumeError(
      .validatingReferenceError,
      "'\(NameRules.shown(name))', its parent or what it refers to with action VALIDATE, is not there"
    )
  }
}

extension LookupRecordsRequest {
  /// - Parameter desiredKeys: fields that come back; nil: all.
  init(_ names: [String], in zone: String, desiredKeys: [String]? = nil) {
    self.init(
      zone: ZoneID(name: zone), items: names.map { Item(name: $0) }, desiredKeys: desiredKeys)
  }
}

extension BrumeError {
  /// What is wrong is with a record that this one needs.
  var isAboutAnother: Bool { code == .validatingReferenceError }
}

extension Record {
  /// The records of its zone without which it is refused.
  var needs: Set<String> {
    var names = targets(by: .validate)
    if let parent { names.insert(parent) }
    return names
  }
}
