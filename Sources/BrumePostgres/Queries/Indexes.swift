// The query index as one transaction sees it: by bucket, because the rules that keep it know of no others.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class Indexes: Remembering {
  /// The index in one bucket.
  final class OfBucket {
    let keys: IndexKeyRows
    let fields: FieldIndexes
    let index: QueryIndex
    let indexBuild: IndexBuild

    init(
      _ session: Session, _ bucket: SQLValue, _ places: Places, _ coder: RecordCoder,
      isAwaited: @escaping () -> Bool
    ) {
      keys = IndexKeyRows(session, bucket, places)
      fields = FieldIndexes(keys)
      // Rows that come later, many together, would not be cheaper here.
      index = QueryIndex(
        IndexRowWriter(session: session, bucket: bucket), fields, delay: IndexDelay(bulk: .max))
      indexBuild = IndexBuild(
        IndexBuildRows(session: session, bucket: bucket, coder: coder), fields, index,
        isAwaited: isAwaited)
    }
  }

  private let session: Session
  private let places: Places
  private let coder: RecordCoder
  private let isAwaited: () -> Bool
  private var buckets: [Bucket: OfBucket] = [:]

  init(
    _ session: Session, _ places: Places, _ coder: RecordCoder, isAwaited: @escaping () -> Bool
  ) {
    self.session = session
    self.places = places
    self.coder = coder
    self.isAwaited = isAwaited
  }

  subscript(bucket: Bucket) -> OfBucket {
    if let known = buckets[bucket] { return known }
    let new = OfBucket(
      session, .integer(bucket.number), places, coder, isAwaited: isAwaited)
    buckets[bucket] = new
    return new
  }

  subscript(database: DatabaseKey) -> OfBucket { self[places.bucket(of: database)] }

  /// Keeps the index in step with a record.
  func update(_ key: RecordKey, sequence: Int64, from old: Record?, to new: Record?) throws {
    let database = key.zone.database
    try self[database].index.update(
      key.name, row: 0, sequence: sequence, inZone: places.givenNumber(of: key.zone), of: database,
      from: old, to: new)
  }

  func removeContents(of zone: ZoneKey, _ number: Int64) throws {
    try self[zone.database].index.removeContents(ofZone: number)
  }

  /// What a save in a zone must know of its index.
  func questions(_ zone: ZoneKey) throws -> [Question] {
    try places.number(of: zone).map { self[zone.database].keys.questions($0) } ?? []
  }

  func forget() { buckets = [:] }
}
