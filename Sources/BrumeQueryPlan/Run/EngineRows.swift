// What an engine reads for queries: with these few ways to its rows, `QueryRun` answers a page. An engine
// calls `visit` with one row after the other until it answers false. While it does, it may be asked for
// records and for probes. Names are in the order of their bytes, values in that of `Order.of`.

package import BrumeModel

/// What a query does with the rows that it reads. An engine may do it with the statement that finds the
/// rows, or leave it: then it is asked row by row.
package struct RowNeeds: Sendable {
  /// No more than so many rows are looked at; nil: nobody knows.
  package let limit: Int?
  /// Whether the record of each row is looked at, so that the row should bring it along.
  package let records: Bool
  /// Equalities that each row is asked for. An engine may leave out rows for which one does not hold, and
  /// says so of the others (`RecordRow.holdsProbes`).
  package let probes: [ZonePlan.Rows]

  package init(limit: Int? = nil, records: Bool = true, probes: [ZonePlan.Rows] = []) {
    self.limit = limit
    self.records = records
    self.probes = probes
  }
}

/// Reads the rows of the query index.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol IndexRowReading {
  /// Rows under a condition, counted no further than `limit`.
  func count(_ rows: ZonePlan.Rows, limit: Int) throws -> Int

  /// Records under a condition, each once, in name order, those after `after`.
  func each(
    _ rows: ZonePlan.Rows, after: String?, _ needs: RowNeeds, _ visit: (RecordRow) throws -> Bool
  ) throws

  /// All records of a type, in name order, those after `after`.
  func each(
    ofType type: String, in zone: Int64, after: String?, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws

  /// Records under a key in the order of its values, then of names; with the number or text they have.
  func each(
    under key: IndexKey, _ range: ValueRange?, ascending: Bool, _ needs: RowNeeds,
    _ visit: (RecordRow, SortedValue) throws -> Bool
  ) throws

  /// Records of a type that have no row under a key, in name order.
  func each(
    ofType type: String, in zone: Int64, without key: IndexKey, _ needs: RowNeeds,
    _ visit: (RecordRow) throws -> Bool
  ) throws

  /// Whether a record is under an equality.
  func holds(_ probe: ZonePlan.Rows, for name: String) throws -> Bool
}

/// Reads records where queries find them.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol RecordRowReading {
  /// The record of a row, which has not brought it along; nil: there is none, or it is deleted.
  func stored(_ row: RecordRow, in zone: Int64) throws -> StoredRecord?

  /// The records of the first rows, in the order of the rows: of all that together have no more bytes, and of the next.
  func stored(_ rows: [RecordRow], in zone: Int64, bytes: Int) throws -> [StoredRecord?]

  /// Records that a query names, in the order of the names, if they are there or not.
  func each(
    named names: [String], in zone: Int64, _ visit: (RecordRow) throws -> Bool
  ) throws
}

extension RecordRowReading {
  /// One by one.
  package func stored(
    _ rows: [RecordRow], in zone: Int64, bytes: Int
  ) throws -> [StoredRecord?] {
    var (found, left): ([StoredRecord?], Int) = ([], bytes)
    for row in rows where left >= 0 {
      found.append(try stored(row, in: zone))
      left -= found.last??.byteCount ?? 0
    }
    return found
  }

  /// Only the names: the records are asked for one by one.
  package func each(
    named names: [String], in zone: Int64, _ visit: (RecordRow) throws -> Bool
  ) throws {
    for name in names {
      if try !visit(RecordRow(name: name, row: nil)) { return }
    }
  }
}

/// Reads which fields the index holds, and under which keys.
///
/// Every call throws what the engine throws: `StoreError`, `CancellationError`.
package protocol IndexKeyReading {
  /// What the index holds of a type.
  func keys(of type: RecordTypeRowKey) throws -> TypeKeys
}

/// All that an engine reads for queries.
package struct EngineRows {
  package let index: any IndexRowReading
  package let records: any RecordRowReading
  package let keys: any IndexKeyReading

  package init(
    index: any IndexRowReading, records: any RecordRowReading, keys: any IndexKeyReading
  ) {
    self.index = index
    self.records = records
    self.keys = keys
  }
}
