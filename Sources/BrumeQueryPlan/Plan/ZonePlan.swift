// How a query is answered in one zone: where the candidates come from, which equalities are asked of
// the index for each, and which filters are evaluated on the decoded record. An engine carries it out.

package import BrumeModel
package import BrumePredicate
import BrumeStorage

/// The way to a query's candidates in one zone.
package struct ZonePlan: Sendable {
  /// One range under one key of the index.
  package struct Rows: Equatable, Sendable {
    package let key: IndexKey
    package let range: ValueRange

    package init(key: IndexKey, range: ValueRange) {
      self.key = key
      self.range = range
    }
  }
  /// Filters and the rows that satisfy all of them.
  package struct Condition: Sendable {
    let ready: [ReadyFilter]
    package let rows: Rows
    /// What the rows find is evaluated anyway.
    package let isRough: Bool
    /// What the rows satisfy.
    package var filters: [Filter] { ready.map(\.filter) }
  }
  /// Where the candidates come from, in the order of their names' bytes.
  package enum Source: Equatable, Sendable {
    /// Every record of the type.
    case type
    case index(Rows)
    /// Records that the query names, in order.
    case names([String])
  }
  /// The engine's number of the zone.
  package let zone: Int64
  package let recordType: String
  package internal(set) var source = Source.type
  /// Further equalities, asked of the index for each candidate.
  package private(set) var probes: [Rows] = []
  /// The rest, evaluated on the decoded record.
  package private(set) var residual: [Filter] = []
  /// `residual`, made ready to evaluate many records.
  package private(set) var prepared = PreparedFilters([])
  /// Among the candidates are records that are not there for whoever asks.
  package internal(set) var mayHide = false

  /// Whether a candidate is a match without a look at it.
  package var isExact: Bool { probes.isEmpty && residual.isEmpty }

  /// Ours: equalities that are asked of the index; further ones are evaluated. Each makes another statement of an
  /// engine's, and four that hold leave few records.
  static let mostProbes = 4

  /// Adds what must still be checked of each candidate.
  mutating func check(_ conditions: [Condition], except source: Int?) {
    for (index, condition) in conditions.enumerated() where index != source {
      if condition.isRough { continue }
      if condition.rows.range.isEquality, probes.count < Self.mostProbes {
        probes.append(condition.rows)
      } else {
        evaluate(condition.ready)
      }
    }
  }

  /// Adds filters that are evaluated on the record.
  mutating func evaluate(_ filters: [ReadyFilter]) {
    for filter in filters {
      residual.append(filter.filter)
      prepared.add(filter.prepared)
    }
  }
}
