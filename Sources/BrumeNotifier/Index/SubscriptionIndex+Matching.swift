// From a log entry to the subscriptions that fire. Cost grows with what is found, not with what there
// is: a record's values are looked up, thresholds are walked as far as they are met, and only
// conditions that were found and are not exact are evaluated.

package import BrumeModel
import BrumePredicate

extension SubscriptionIndex {
  /// Whether the entry's record has to be decoded to judge it.
  package func needsImage(of change: RecordChange, in database: DatabaseKey) -> Bool {
    [nil, change.record.zone.name].contains { zone in
      scopes.find(.queries(database, type: change.recordType, zone: zone)) != nil
    }
  }

  /// The subscriptions of the changed database itself that fire.
  ///
  /// - Parameters:
  ///   - image: the record of the change's image, decoded; nil if none was kept.
  ///   - searchable: which fields `self CONTAINS` looks at.
  package func matches(
    _ entry: LogEntry, image: Record?, searchable: (String) -> Bool
  ) -> Found {
    withoutActuallyEscaping(searchable) { searchable in
      matches(entry, asked: image.map { AskedRecord($0, searchable: searchable) })
    }
  }

  /// - Parameter asked: the record of the change's image; nil if none was kept.
  func matches(_ entry: LogEntry, asked: AskedRecord?) -> Found {
    var search = Search(events: .all, position: entry.position)
    switch entry.event {
    case .record(let change):
      search.events = EventMask([FireRules.event(change.kind)])
      let zone = change.record.zone
      if let asked { collect(change, entry.database, asked, &search) }
      if !zone.isDefault {
        for (name, type) in [
          (nil, nil), (nil, change.recordType), (zone.name, nil), (zone.name, change.recordType),
        ] {
          collectAll(.changes(entry.database, zone: name, type: type), &search)
        }
      }
    case .zoneCreated(let zone), .zoneDeleted(let zone):
      if !zone.isDefault {
        collectAll(.changes(entry.database, zone: nil, type: nil), &search)
      }
    case .membership, .subscription: break
    }
    return search.found
  }

  /// The subscriptions of users' shared databases that fire for an entry which these users may see.
  package func matches(_ entry: LogEntry, sharedWith users: some Sequence<UserID>) -> Found {
    var search = Search(events: .all, position: entry.position)
    for user in users {
      let containerEnvironment = entry.database.containerEnvironment
      collectAll(.shared(containerEnvironment, user, type: nil), &search)
      if case .record(let change) = entry.event {
        collectAll(.shared(containerEnvironment, user, type: change.recordType), &search)
      }
    }
    return search.found
  }

  /// Matches in the order in which a fan-out serves them: by start position, which a restart does not change.
  package func ordered(_ found: Found) -> [Match] {
    var matches: [Match] = []
    matches.reserveCapacity(found.count)
    found.forEach { matches.append(Match(startPosition: rows[$0].startPosition, row: $0)) }
    matches.sort { a, b in
      a.startPosition != b.startPosition
        ? a.startPosition < b.startPosition : a.row != b.row && key(at: a.row) < key(at: b.row)
    }
    return matches
  }
}

// MARK: Searching

extension SubscriptionIndex {
  private struct Search {
    var events: EventMask
    let position: Int64
    var found = Found()
    /// Conditions to evaluate.
    var candidates: [Int32] = []
  }

  private func collectAll(_ watch: Watch, _ search: inout Search) {
    guard let scope = scopes.find(watch) else { return }
    let everything = scopes[scope].everything
    if everything >= 0 { add(postings[everything].plain, &search) }
  }

  private func collect(
    _ change: RecordChange, _ database: DatabaseKey, _ asked: AskedRecord,
    _ search: inout Search
  ) {
    for zone in [nil, change.record.zone.name] {
      let watch = Watch.queries(database, type: change.recordType, zone: zone)
      guard let scope = scopes.find(watch) else { continue }
      collect(scope, asked, &search)
      evaluate(asked, &search)
    }
  }

  private func evaluate(_ asked: AskedRecord, _ search: inout Search) {
    // A list with several wanted members leads to a condition more than once.
    if search.candidates.count > 1 { search.candidates.sort() }
    var last: Int32 = -1
    for number in search.candidates where number != last {
      last = number
      guard let condition = conditions[number], condition.prepared.match(asked) else { continue }
      add(condition.owners, &search)
    }
    search.candidates.removeAll(keepingCapacity: true)
  }

  private func collect(_ number: Int32, _ asked: AskedRecord, _ search: inout Search) {
    let (scope, image) = (scopes[number], asked.record)
    if scope.everything >= 0 { collect(postings[scope.everything], image, &search) }
    for use in scope.uses {
      var probe = Probe(header: Postings.header(number, use.id, use.kind, use.parameter))
      look(use, asked, &probe)
      // Together, so that one does not wait for the other's memory.
      let waiting = Self.unique(postings.find(probe.keys)).map { postings[$0] }
      for posting in waiting { collect(posting, image, &search) }
    }
  }

  private func collect(_ posting: Posting, _ image: Record, _ search: inout Search) {
    add(posting.plain, &search)
    if posting.conditions >= 0, let list = conditions.list(posting.conditions) {
      search.candidates += list
    }
    guard posting.bounds >= 0, let set = bounds[posting.bounds] else { return }
    for side in set.sides {
      guard let value = image.value(of: side.field).flatMap({ OrderKey($0) }),
        value.kind == side.kind
      else { continue }
      let haveStarted = FireRules.hasStarted(side.newest, at: search.position)
      if side.isLower {
        side.thresholds.forEach(metFromAbove: value) { add($0, haveStarted, &search) }
      } else {
        side.thresholds.forEach(metFromBelow: value) { add($0, haveStarted, &search) }
      }
    }
  }

  private func add(_ entry: SortedThresholds.Entry, _ haveStarted: Bool, _ search: inout Search) {
    guard haveStarted, case .row(let number) = entry.target.kind else {
      return add(entry.target, &search)
    }
    if entry.events.meets(search.events) { search.found.rows.append(number) }
  }

  private func add(_ target: Target, _ search: inout Search) {
    switch target.kind {
    case .nobody: return
    case .condition(let number): search.candidates.append(number)
    case .row(let number):
      let row = rows[number]
      if row.events.meets(search.events),
        FireRules.hasStarted(row.startPosition, at: search.position)
      {
        search.found.rows.append(number)
      }
    case .list(let number):
      rows.forEachGroup(of: number) { group in
        guard group.events.meets(search.events) else { return }
        if FireRules.hasStarted(group.newest, at: search.position) {
          search.found.groups.append(group.rows)
        } else {
          search.found.rows += group.rows.filter {
            FireRules.hasStarted(rows[$0].startPosition, at: search.position)
          }
        }
      }
    }
  }
}

// MARK: Looking values up

extension SubscriptionIndex {
  /// Keys of one field's use.
  private struct Probe {
    let header: [UInt8]
    var keys = KeyList()
  }

  /// A list may hold a value twice.
  private static func unique(_ found: [Int32]) -> [Int32] {
    guard found.count > 1 else { return found }
    return found.sorted().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
  }

  private func look(_ use: FieldUse, _ asked: AskedRecord, _ probe: inout Probe) {
    let image = asked.record
    switch use.kind {
    case .everything: return
    case .value:
      if let value = use.field.flatMap({ image.value(of: $0) }) { look(value, &probe) }
    case .member:
      forEachMember(of: use.field, in: image) { look($0, &probe) }
    case .word:
      for word in asked.words(of: use.field) ?? [] { look(bytes: AccessKey.word(word), &probe) }
    case .prefix:
      if let value = use.field.flatMap({ image.value(of: $0) }) {
        look(value, prefix: use.parameter, &probe)
      }
    case .memberPrefix:
      forEachMember(of: use.field, in: image) { look($0, prefix: use.parameter, &probe) }
    case .cell:
      if case .location(let place)? = use.field.flatMap({ image.value(of: $0) }),
        let cell = GlobeCells.cell(of: place, level: use.parameter)
      {
        look(bytes: cell.bytes, &probe)
      }
    }
  }

  private func forEachMember(
    of field: FieldName?, in image: Record, _ body: (FieldValue) -> Void
  ) {
    guard case .list(let elements, _)? = field.flatMap({ image.value(of: $0) }) else { return }
    for element in elements { body(element) }
  }

  private func look(_ value: FieldValue, _ probe: inout Probe) {
    probe.keys.append { [header = probe.header] key in
      key += header
      return value.appendKey(to: &key)
    }
    // A reference equals a text that is its record name.
    if case .reference(let reference) = value { look(.string(reference.recordName), &probe) }
  }

  private func look(_ value: FieldValue, prefix length: UInt32, _ probe: inout Probe) {
    guard case .string(let text) = value, text.utf8.count >= Int(length) else { return }
    look(bytes: Array(text.utf8.prefix(Int(length))), &probe)
  }

  private func look(bytes: [UInt8], _ probe: inout Probe) {
    probe.keys.append { [header = probe.header] key in
      key += header
      key += bytes
      return true
    }
  }
}
