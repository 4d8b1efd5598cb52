// The way of an import: zone by zone, page by page. A record may refer to one that comes later: what is refused is
// asked for again when everything else is there, as long as that helps.

import BrumeClient
import BrumeModel

struct ImportCounts {
  var records = 0
  var saved = 0
  var unchanged = 0
  var files = 0
  var shares = 0
  /// Records by type.
  var types: [String: Int] = [:]
}

struct CloudKitImport {
  let source: SourceServer
  /// Nil: only counts.
  var target: ImportTarget?
  let types: [String]
  private(set) var counts = ImportCounts()
  private(set) var refused: [RefusedRecord] = []
  /// Ours: content that is sent at once. In JSON it may double, and a server takes 16 MB.
  static let bytesAtOnce = 4 << 20

  mutating func run() async throws {
    if source.place.scope == .public {
      try await records(inDefault: SourceZone(name: ZoneID.defaultName, owner: nil))
    } else {
      for zone in try await source.zones() {
        if zone.isDefault {
          try await records(inDefault: zone)
        } else {
          try await target?.make(zone: zone.name)
          try await pages { [source] in try await source.changes(in: zone, from: $0) }
        }
      }
      if types.isEmpty {
        ImportRetries.progress.end()
        Output.say("records of the default zone are left out: name their types with --type")
      }
    }
    try await retryRefused()
  }

  private mutating func records(inDefault zone: SourceZone) async throws {
    for type in types {
      try await pages { [source] in try await source.query(type, in: zone, from: $0) }
    }
  }

  private mutating func pages(_ read: (String?) async throws -> SourcePage) async throws {
    var place: String?
    repeat {
      let page = try await read(place)
      count(page)
      try await save(page)
      refused += page.unreadable
      ImportRetries.progress.show("\(counts.records) records, \(counts.files) files")
      place = page.next
    } while place != nil
  }

  private mutating func count(_ page: SourcePage) {
    for record in page.records {
      if record.isShare {
        counts.shares += 1
        continue
      }
      counts.records += 1
      counts.types[record.type, default: 0] += 1
      if target == nil { counts.files += record.files.count }
    }
    counts.records += page.unreadable.count
  }

  /// What was refused, once more, as long as each round brings something over.
  private mutating func retryRefused() async throws {
    var before = Int.max
    var backoff = Backoff(first: .seconds(1), longest: .seconds(60))
    var rounds = 0
    while target != nil, !refused.isEmpty {
      let passes = refused.contains(where: \.isPassing) && rounds < ImportRetries.attempts
      guard refused.count < before || passes else { return }
      if passes { try await Task.sleep(for: backoff.next(chance: .random(in: 0...1))) }
      rounds += 1
      before = refused.count
      // What came without a name cannot be asked for.
      let waiting = refused.filter { !$0.name.isEmpty }
      refused.removeAll { !$0.name.isEmpty }
      for (_, all) in Dictionary(grouping: waiting, by: \.zone.name) {
        for part in all.pieces(of: Limits.apple.operationsPerRequest).map({ Array($0) }) {
          let page = try await source.lookup(part.map(\.name), in: part[0].zone)
          try await save(page)
          refused += page.unreadable
        }
      }
    }
  }

  private mutating func save(_ page: SourcePage) async throws {
    guard target != nil else { return }
    var part: [Record] = []
    var (size, files) = (0, FileLoad())
    for record in page.records where !record.isShare {
      if part.count == Limits.apple.operationsPerRequest || size > Self.bytesAtOnce
        || !files.hasRoom(for: record)
      {
        try await save(part)
        (part, size, files) = ([], 0, FileLoad())
      }
      files.add(record)
      part.append(record)
      size += record.byteCount
    }
    try await save(part)
  }

  private mutating func save(_ records: [Record]) async throws {
    guard var target, let zone = records.first?.zone.name else { return }
    let found = try await target.ready(records, in: zone)
    for (record, needs) in found.early {
      refuse(record, ReadyRecords.missing(needs))
    }
    guard !found.ready.isEmpty else { return }
    target.sent.forgetOld(now: .now)
    let stored = try await target.stored(found.ready.map(\.name), in: zone)
    var drafts: [(Record, RecordDraft)] = []
    for record in found.ready {
      var copy = RecordCopy(record, over: stored[record.name])
      do {
        if let draft = try await copy.draft(source, &target) {
          drafts.append((record, draft))
        } else {
          counts.unchanged += 1
        }
      } catch let error as BrumeError {
        refuse(record, error)
      }
      counts.files += copy.files
    }
    self.target = target
    guard !drafts.isEmpty else { return }
    for ((record, _), error) in zip(drafts, try await target.save(drafts.map(\.1), in: zone)) {
      if let error {
        refuse(record, error)
      } else {
        counts.saved += 1
        self.target?.sent.forget(record.id)
      }
    }
  }

  private mutating func refuse(_ record: Record, _ error: BrumeError) {
    refused.append(
      RefusedRecord(
        name: record.name, type: record.type, zone: SourceZone(name: record.zone.name, owner: nil),
        reason: error.reason, isPassing: error.isPassing, isAboutAnother: error.isAboutAnother))
  }
}
