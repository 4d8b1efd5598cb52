// Which fields the query index holds, and under which keys, by record type and zone. Every save asks, so
// they are remembered. In memory is only what the engine has stored: first the statement, then the note.

/// The wanted fields and keys of the index, as stored and as remembered.
package final class FieldIndexes: IndexKeyReading {
  /// Ours: with more types than this, what is remembered starts anew.
  private static let limit = 100_000

  private let storing: any IndexKeyStoring
  private var known: [RecordTypeRowKey: TypeKeys] = [:]

  package init(_ storing: any IndexKeyStoring) { self.storing = storing }

  /// What the index holds of a type.
  ///
  /// - Throws: what the engine throws, as all below.
  package func keys(of type: RecordTypeRowKey) throws -> TypeKeys {
    if let keys = known[type] { return keys }
    let keys = try storing.keys(of: type)
    known[type] = keys
    return keys
  }

  /// Remembers the state of its field that the entry holds.
  func keep(_ entry: IndexEntry) {
    let (type, field) = (entry.part.type, entry.part.field)
    guard known[type]?.fields[field] != entry.wanted else { return }
    known[type]?.fields[field] = entry.wanted
  }

  /// A body is about to run.
  package func bodyBegins() { if known.count > Self.limit { forget() } }

  /// Nothing that is remembered is certain.
  package func forget() { known = [:] }

  func removeContents(ofZone zone: Int64) throws {
    try storing.removeKeys(ofZone: zone)
    known = known.filter { $0.key.zone != zone }
  }

  /// No field of a zone is wanted any more; its keys stay.
  func endFields(ofZone zone: Int64) throws {
    try storing.removeFields(ofZone: zone)
    known = known.filter { $0.key.zone != zone }
  }
}

// MARK: Fields

extension FieldIndexes {
  /// A query asks for a field that nobody asked for before.
  func want(_ part: IndexPart) throws {
    try storing.add(part)
    known[part.type]?.fields[part.field] = WantedField(builtTo: "", isStarted: false)
  }

  /// The index has records up to this name; nil: all.
  func setBuilt(_ part: IndexPart, to name: String?) throws {
    try storing.setBuilt(part, to: name)
    change(part) { $0.builtTo = name }
  }

  /// Leaves records with a greater sequence for later.
  func setBehind(_ part: IndexPart, _ sequence: Int64?) throws {
    try storing.setBehind(part, sequence)
    change(part) { $0.behind = sequence }
  }

  /// Changes what is known of how far a field is.
  private func change(_ part: IndexPart, _ change: (inout WantedField) -> Void) {
    if known[part.type]?.fields[part.field] != nil {
      change(&known[part.type]!.fields[part.field]!)
    }
  }

  /// The next type that is not finished; after the last, the first.
  /// - Parameter leavesBehind: whether records that are behind do not count.
  func unfinishedType(
    after last: RecordTypeRowKey?, leavesBehind: Bool
  ) throws -> RecordTypeRowKey? {
    try storing.unfinishedType(after: last, leavesBehind: leavesBehind)
      ?? storing.unfinishedType(after: nil, leavesBehind: leavesBehind)
  }

  /// How many fields, of whatever type, do not have all records.
  func countUnfinished() throws -> Int { try storing.countUnfinished() }
}

// MARK: Keys of an entry's field

extension FieldIndexes {
  /// The field's key of a kind, made if it is missing.
  func key(_ kind: IndexKind, _ entry: inout IndexEntry) throws -> IndexKey {
    if let known = entry.wanted.key(kind) { return known }
    let isSparse = entry.wanted.isSparse(new: kind)
    let id = try storing.addKey(kind, of: entry.part, isSparse: isSparse)
    let key = IndexKey(id: id, kind: kind, isSparse: isSparse, isCut: false)
    entry.wanted.keys.append(key)
    return key
  }

  func markCut(_ key: IndexKey, _ entry: inout IndexEntry) throws {
    try storing.markCut(key: key.id)
    entry.wanted.change(key) { $0.isCut = true }
  }

  /// A record without a row under some dense key: from now on the key is sparse, for good.
  func markSparse(except own: IndexKey?, _ entry: inout IndexEntry) throws {
    for key in entry.wanted.keys where !key.isSparse && key.id != own?.id {
      try storing.markSparse(key: key.id)
      entry.wanted.change(key) { $0.isSparse = true }
    }
  }

  func start(_ entry: inout IndexEntry) throws {
    guard !entry.wanted.isStarted else { return }
    try storing.start(entry.part)
    entry.wanted.isStarted = true
  }
}
