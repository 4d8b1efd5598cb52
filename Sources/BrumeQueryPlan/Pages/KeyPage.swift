// A page in key order as it fills: zone by zone, and in a zone by the bytes of the names. It says where
// the page ends and from where the next one goes on.

package import BrumeModel
package import BrumeStorage

/// A zone that a query looks into.
package struct SearchedZone: Equatable, Sendable {
  /// The engine's number of the zone.
  package let number: Int64
  package let name: String

  package init(number: Int64, name: String) {
    self.number = number
    self.name = name
  }

  func isNamed(_ other: String) -> Bool { ByteText(name) == ByteText(other) }
  func isAtOrAfter(_ other: String) -> Bool { !(ByteText(name) < ByteText(other)) }
}

extension EngineQuery {
  /// Of the zones those where the page can have records.
  package func remaining(_ zones: [SearchedZone]) -> [SearchedZone] {
    guard let after else { return zones }
    return zones.filter { $0.isAtOrAfter(after.zone) }
  }

  /// The name of the record in the zone behind which the page begins; nil: it begins with the first.
  package func start(in zone: SearchedZone) -> String? {
    after.flatMap { zone.isNamed($0.zone) ? $0.name : nil }
  }
}

/// One page of an unsorted query, to which candidates are shown one after the other.
package struct KeyPage {
  private let request: EngineQuery
  package private(set) var records: [StoredRecord] = []
  /// Set when the page has ended before the last candidate.
  package private(set) var next: QueryPosition?
  private var looked = 0
  private var bytes = 0
  private var lastLooked: (zone: String, name: String)?
  private var lastFound: (zone: String, name: String)?

  package init(_ request: EngineQuery) { self.request = request }

  /// How many candidates of a zone the page can still look at, and one to see that there are more. Nil:
  /// those that are not visible do not count, so nobody knows.
  package func rowLimit(_ plan: ZonePlan) -> Int? {
    plan.mayHide ? nil : (plan.isExact ? missing : candidatesLeft) + 1
  }

  /// How many matches the page can still take.
  private var missing: Int { request.limit - records.count }
  private var candidatesLeft: Int { max(0, min(request.candidateLimit, 1 << 40) - looked) }

  /// Whether the candidate may be looked at. If not, the page ends before it.
  package mutating func look(at name: String, in zone: SearchedZone) -> Bool {
    if looked >= max(1, request.candidateLimit), let lastLooked {
      next = position(lastLooked)
      return false
    }
    looked += 1
    lastLooked = (zone.name, name)
    return true
  }

  /// Takes the candidate last looked at, if it is a match. Answers whether to go on.
  package mutating func add(_ match: StoredRecord?) -> Bool {
    guard let match else { return true }
    bytes += match.byteCount
    if let lastFound, records.count == request.limit || bytes > request.byteLimit {
      next = position(lastFound)
      return false
    }
    records.append(match.placed(in: lastLooked?.zone, of: request.database))
    lastFound = lastLooked
    return true
  }

  private func position(_ end: (zone: String, name: String)) -> QueryPosition {
    QueryPosition(
      offset: (request.after?.offset ?? 0) + records.count, zone: end.zone, name: end.name)
  }
}

extension StoredRecord {
  /// With its zone, if it is unreadable.
  func placed(in name: @autoclosure () -> String?, of database: DatabaseKey) -> StoredRecord {
    guard isUnreadable, let zone = name() else { return self }
    return StoredRecord(
      name: self.name, type: type, sequence: sequence, content: content,
      zone: ZoneKey(database: database, name: zone).id)
  }
}
