// One kind of subscriptions as an environment knows it: what is asked, without the values. The text is what stores
// keep; it is read and written here and nowhere else.

import BrumeModel

/// What two subscriptions have in common that differ only in the values they ask for.
enum KnownKind: Hashable, Sendable {
  case zone
  case database
  /// - Parameter asks: sorted by their texts.
  case query(recordType: String, firesOn: Set<Subscription.Event>, asks: [Condition])

  /// How a field is compared.
  struct Condition: Hashable, Sendable {
    let comparator: Comparator
    /// As schemas write it; empty if the condition names none.
    let field: String

    init(_ filter: Filter) {
      comparator = filter.comparator
      field = filter.field?.schemaName ?? ""
    }

    /// Nil for what is no condition.
    init?(text: String) {
      let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let comparator = Comparator(rawValue: String(parts[0])) else {
        return nil
      }
      self.comparator = comparator
      field = String(parts[1])
    }

    var text: String { "\(comparator.rawValue) \(field)" }
  }

  init(_ kind: Subscription.Kind) {
    switch kind {
    case .zone: self = .zone
    case .database: self = .database
    case .query(let query, _, let events, _):
      let asks = query.filters.map { Condition($0) }.sorted { $0.text < $1.text }
      self = .query(recordType: query.recordType, firesOn: events, asks: asks)
    }
  }

  /// Nil for what is no kind.
  init?(line: String) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    switch (parts[0], parts.count) {
    case ("zone", 1): self = .zone
    case ("database", 1): self = .database
    case ("query", 3...):
      let fires = parts[2].split(separator: ",").map { Subscription.Event(rawValue: String($0)) }
      let asks = parts[3...].map { Condition(text: $0) }
      guard !fires.contains(nil), !asks.contains(nil) else { return nil }
      self = .query(
        recordType: parts[1], firesOn: Set(fires.compactMap(\.self)),
        asks: asks.compactMap(\.self).sorted { $0.text < $1.text })
    default: return nil
    }
  }

  /// The text in which it is kept, without a line end.
  var line: String {
    switch self {
    case .zone: return "zone"
    case .database: return "database"
    case .query(let type, let events, let asks):
      let fires = Subscription.Event.allCases.filter(events.contains).map(\.rawValue)
      return (["query", type, fires.joined(separator: ",")] + asks.map(\.text))
        .joined(separator: "\t")
    }
  }
}
