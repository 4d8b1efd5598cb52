// A query as engines get it, and what they answer.

package import BrumeModel

/// A query as an engine gets it: names checked, values coerced, access decided.
package struct EngineQuery: Sendable {
  package let database: DatabaseKey
  /// Nil: every zone of the database.
  package let zone: String?
  /// Record type, filters and sorts.
  package private(set) var query: Query
  /// Which records there are for whoever asks.
  package let visible: VisibleRecords
  /// Where the page before ended; nil: from the start.
  package let after: QueryPosition?
  /// How many records a page has at most: one at least.
  package let limit: Int
  /// Without sorting: stop after looking at this many candidates and answer with a position to go on
  /// from, perhaps with fewer records than `limit`. Which records are candidates is the engine's
  /// affair; all pages together are the same on every engine. A sorted query looks at every match.
  package let candidateLimit: Int
  /// With sorting: fail when more candidates than these would be looked at for a page.
  package let sortedLimit: Int
  /// Bytes of records after which a page ends, however few it holds; one record always fits.
  package let byteLimit: Int
  /// Which fields a filter without a field (`self CONTAINS 'word'`) looks at.
  package let searchable: @Sendable (String) -> Bool

  package init(
    database: DatabaseKey, zone: String?, query: Query, visible: VisibleRecords = .all,
    after: QueryPosition?, limit: Int, candidateLimit: Int, sortedLimit: Int = .max,
    byteLimit: Int = .max,
    searchable: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.database = database
    self.zone = zone
    self.query = query
    self.visible = visible
    self.after = after
    self.limit = max(1, limit)
    self.candidateLimit = candidateLimit
    self.sortedLimit = sortedLimit
    self.byteLimit = byteLimit
    self.searchable = searchable
  }
}

extension EngineQuery {
  /// The query with a condition for what is visible, as the last, where one can say it.
  package var withVisibility: EngineQuery {
    guard case .made(let user) = visible else { return self }
    var narrowed = self
    let creator = FieldValue.reference(Reference(recordName: user.name))
    narrowed.query.filters.append(Filter(.equals, .system(.createdUserRecordName), creator))
    return narrowed
  }
}

/// The records that exist for the one who asks. All others are no candidates: they count for nothing,
/// neither for the page and its position nor for the bounds on work, so that an answer is the same as
/// if they were not there.
package enum VisibleRecords: Sendable {
  case all
  /// Those that this user made.
  case made(by: UserID)
  case named(Set<ByteText>)
}

/// Where a page ended. Without sorting, pages continue by key (zone, then record name); with it they
/// continue by offset, as CloudKit's cursors do (Apple: CKQueryOperation.Cursor).
package struct QueryPosition: Equatable, Sendable {
  /// How many matches the pages before had.
  package let offset: Int
  package let zone: String
  package let name: String
  package init(offset: Int, zone: String, name: String) {
    self.offset = offset
    self.zone = zone
    self.name = name
  }
}

/// What an engine answers to a query.
package struct EngineQueryPage: Sendable {
  /// The matches, in the order of the sorts, or else by zone and record name.
  package let records: [StoredRecord]
  /// Nil when there is nothing more.
  package let next: QueryPosition?
  /// What finding them took.
  package var work: QueryWork
  package init(records: [StoredRecord], next: QueryPosition?, work: QueryWork = QueryWork()) {
    self.records = records
    self.next = next
    self.work = work
  }
}

/// Where the candidates of a page came from, and how many were looked at, for operators.
package struct QueryWork: Equatable, Sendable {
  /// What candidates were read from.
  package enum Source: Hashable, Sendable {
    /// Every record of the type.
    case type
    /// The index of a field, by its name in the schema; the words of every field have none.
    case index(String)
    /// Records that the query names.
    case names
  }
  /// Each once, in the order in which they were used.
  package private(set) var sources: [Source] = []
  /// Candidates that were looked at.
  package private(set) var rows = 0

  package init() {}

  /// Notes that candidates come from a source; each is kept once.
  package mutating func begin(_ source: Source) {
    if !sources.contains(source) { sources.append(source) }
  }

  /// Counts candidates.
  package mutating func look(at count: Int = 1) { rows += count }
}

extension VisibleRecords {
  /// Whether the record is there for the one who asks.
  package func contains(_ record: Record) -> Bool {
    switch self {
    case .all: true
    case .made(let user): record.created?.user == user
    case .named(let names): names.contains(ByteText(record.name))
    }
  }
}

extension EngineQuery {
  /// - Throws: `limitExceeded` if a sorted query has looked at more candidates than it may.
  package func checkSorted(_ candidates: Int) throws(BrumeError) {
    guard candidates > sortedLimit else { return }
    throw BrumeError(
      .limitExceeded,
      "a query with 'sortBy' looks at \(sortedLimit) records of type '\(query.recordType)' at most, and this page needs "
        + "more; add a condition that an index answers and fewer records meet, or leave 'sortBy' out and sort in the app"
    )
  }

  /// The first of a page's records that fit into it by their bytes; one always does.
  package func fitting<Records: Collection>(
    _ records: Records, bytes: (Records.Element) -> Int
  ) -> [Records.Element] {
    var sum = 0
    var fitting: [Records.Element] = []
    for record in records {
      sum += bytes(record)
      if sum > byteLimit, !fitting.isEmpty { break }
      fitting.append(record)
    }
    return fitting
  }
}
