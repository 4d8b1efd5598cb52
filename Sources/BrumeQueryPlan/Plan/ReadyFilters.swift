// What is the same of a query's filters in every zone that the query looks into: what each asks of the index, and
// how it is evaluated. It is made once: a search text has up to 256 KB, and a database thousands of zones.

import BrumeModel
import BrumePredicate
package import BrumeStorage

/// A query's filters, made ready for every zone.
package struct ReadyFilters: Sendable {
  let all: [ReadyFilter]

  /// - Parameter request: is `withVisibility`.
  package init(_ request: EngineQuery) {
    all = request.query.filters.map { ReadyFilter($0, in: request.database) }
  }
}

/// A filter, and what follows from it alone.
struct ReadyFilter: Sendable {
  let filter: Filter
  /// What it asks of the index.
  let conditions: [IndexCondition]
  /// How records are evaluated.
  let prepared: PreparedFilters
  /// It searches for words and has none, as when all are words that search ignores.
  let asksForNoWord: Bool
  /// The record names that it allows; nil: it does not say.
  let names: Set<ByteText>?

  init(_ filter: Filter, in database: DatabaseKey) {
    let words = filter.isSearch ? Tokens.of(filter.value) : nil
    self.filter = filter
    conditions = IndexCondition.all(filter, in: database, words: words)
    prepared = PreparedFilters(filter, words: words)
    asksForNoWord = filter.isSearch && words?.isEmpty ?? true
    names = filter.recordNames
  }
}

extension Filter {
  fileprivate var isSearch: Bool {
    comparator == .containsAllTokens || comparator == .containsAnyTokens
  }
}
