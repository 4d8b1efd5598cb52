// How a query is answered in one zone: which filters the index answers, which are judged on the
// decoded record, and where the candidates come from.

import BrumeModel
import BrumePredicate
import BrumeStorage

struct ZonePlan {
  /// One range under one key of the index.
  struct Rows {
    let key: IndexKey
    let range: ValueRange
  }
  /// A filter and the rows that satisfy it.
  struct Condition {
    let filter: Filter
    let rows: Rows
    /// What the rows find is judged anyway.
    let isRough: Bool
  }
  enum Source {
    /// Every record of the type.
    case type
    case index(Rows)
    /// Records that the query names, in order.
    case names([String])
  }
  let zone: Int64
  let recordType: String
  var source = Source.type
  /// Further equalities, asked of the index for each candidate.
  var probes: [Rows] = []
  /// The rest, judged on the decoded record.
  var residual: [Filter] = [] { didSet { judge = PreparedFilters(residual) } }
  private(set) var judge = PreparedFilters([])
  /// Among the candidates are records that are not there for whoever asks.
  var mayHide = false

  /// Whether a candidate is a match without a look at it.
  var isExact: Bool { probes.isEmpty && residual.isEmpty }
}

/// What the filters of a query mean in one zone.
struct ResolvedFilters {
  var conditions: [ZonePlan.Condition] = []
  var residual: [Filter] = []
  /// Set when the query names records.
  var names: Set<ByteText>?
  /// No record can match.
  var isImpossible = false

  init(_ filters: [Filter], _ keys: TypeKeys, _ database: DatabaseKey) {
    for filter in filters {
      if let named = filter.recordNames {
        names = names.map { $0.intersection(named) } ?? named
      } else if filter.asksForNoWord {
        isImpossible = true
      } else {
        let answers = IndexCondition.all(filter, in: database).map { resolve(filter, $0, keys) }
        // Of an answer that says nothing or not all, the filter itself is the judge.
        if !answers.contains(true) { residual.append(filter) }
      }
    }
  }

  /// Answers whether what the condition's rows find needs no further look.
  private mutating func resolve(
    _ filter: Filter, _ condition: IndexCondition, _ keys: TypeKeys
  ) -> Bool {
    // Not in the index, or not all of it yet.
    guard let all = keys.complete(condition.field) else { return false }
    let fitting = all.compactMap { key in
      condition.ranges[key.kind].map { (key: key, range: $0) }
    }
    guard let (key, range) = fitting.first else {
      isImpossible = true
      return true
    }
    // The field has values of several kinds, which no schema allows: not worth an index.
    guard fitting.count == 1 else { return false }
    let rows = ZonePlan.Rows(key: key, range: key.isCut ? range.overBeginnings : range)
    let isRough = key.isRough || condition.isRough
    conditions.append(.init(filter: filter, rows: rows, isRough: isRough))
    return !isRough
  }
}

extension Filter {
  /// Whether the filter searches for words and has none, as when all are words that search ignores.
  fileprivate var asksForNoWord: Bool {
    (comparator == .containsAllTokens || comparator == .containsAnyTokens)
      && Tokens.of(value)?.isEmpty ?? true
  }

  /// Whether the filter says which records by name.
  var namesRecords: Bool { recordNames != nil }

  /// The record names that a filter on `recordName` allows.
  fileprivate var recordNames: Set<ByteText>? {
    guard field == .system(.recordName) else { return nil }
    switch (comparator, value) {
    case (.equals, _): return [value].recordNames
    case (.in, .list(let elements, _)): return elements.recordNames
    default: return nil
    }
  }
}

extension [FieldValue] {
  fileprivate var recordNames: Set<ByteText> {
    var names: Set<ByteText> = []
    for value in self {
      switch value {
      case .string(let name): names.insert(ByteText(name))
      case .reference(let reference): names.insert(ByteText(reference.recordName))
      case .int64, .double, .bytes, .timestamp, .location, .asset, .list: continue
      }
    }
    return names
  }
}

// MARK: Choosing

extension SQLiteTransaction {
  /// The filters of a query in one zone. Nil: nothing there can match.
  func resolve(_ request: EngineQuery, in zone: Int64) throws -> (ResolvedFilters, TypeKeys)? {
    let keys = try typeKeys(RecordTypeRowKey(zone: zone, type: request.query.recordType))
    let filters = ResolvedFilters(request.query.filters, keys, request.database)
    return filters.isImpossible ? nil : (filters, keys)
  }

  /// The plan with the source that has the fewest candidates.
  func plan(
    _ filters: ResolvedFilters, _ keys: TypeKeys, _ request: EngineQuery, in zone: Int64
  ) throws -> ZonePlan {
    var plan = ZonePlan(zone: zone, recordType: request.query.recordType)
    plan.residual = filters.residual
    if let names = filters.names(visible: request.visible) {
      plan.source = .names(names.sorted().map(\.text))
      plan.residual = request.query.filters
      plan.mayHide = request.visible.isOfCreator
      return plan
    }
    let best = try source(filters.conditions, request)
    if let best {
      plan.source = .index(filters.conditions[best].rows)
    } else if let rare = try rowsOfRareType(keys) {
      plan.source = .index(rare)
    }
    plan.mayHide =
      request.visible.isOfCreator && !(best.map { filters.conditions[$0].isOfCreator } ?? false)
    plan.check(filters.conditions, except: best)
    return plan
  }

  /// The condition whose rows are the candidates. Where only its creator sees a record, that is the
  /// condition on the creator: what others made is not even looked at.
  private func source(
    _ conditions: [ZonePlan.Condition], _ request: EngineQuery
  ) throws -> Int? {
    if request.visible.isOfCreator, let own = conditions.lastIndex(where: \.isOfCreator) {
      return own
    }
    return try narrowest(conditions)?.index
  }

  /// All records of a type by a key that each of them has, if they are few: the zone's names are then
  /// not searched for them.
  private func rowsOfRareType(_ keys: TypeKeys) throws -> ZonePlan.Rows? {
    guard let all = keys.complete(.value(.system(.createdTimestamp))), all.count == 1,
      !all[0].isSparse
    else { return nil }
    let rows = ZonePlan.Rows(key: all[0], range: .between(lower: nil, upper: nil))
    return try countRows(rows, limit: fewCandidates) < fewCandidates ? rows : nil
  }

  /// The condition with the fewest rows, and their number as far as it was counted.
  func narrowest(
    _ conditions: [ZonePlan.Condition]
  ) throws -> (index: Int, count: Int)? {
    var best: (index: Int, count: Int)?
    for (index, condition) in conditions.enumerated() {
      let count = conditions.count == 1 ? 0 : try countRows(condition.rows, limit: fewCandidates)
      if count < best?.count ?? .max { best = (index, count) }
    }
    return best
  }
}

extension ZonePlan.Condition {
  /// A condition on who made the record. That on whoever asks is the last (`withVisibility`).
  fileprivate var isOfCreator: Bool {
    filter.field == .system(.createdUserRecordName) && filter.comparator == .equals
  }
}

extension VisibleRecords {
  fileprivate var isOfCreator: Bool { if case .made = self { true } else { false } }
}

extension ResolvedFilters {
  /// The records that the query names or that alone are visible; nil if they may be any.
  func names(visible: VisibleRecords) -> Set<ByteText>? {
    guard case .named(let visible) = visible else { return names }
    return names?.intersection(visible) ?? visible
  }
}

extension ZonePlan {
  /// Adds what must still be checked of each candidate.
  mutating func check(_ conditions: [Condition], except source: Int?) {
    for (index, condition) in conditions.enumerated() where index != source {
      if condition.isRough { continue }
      if condition.rows.range.isEquality {
        probes.append(condition.rows)
      } else {
        residual.append(condition.filter)
      }
    }
  }
}
