// What of a row means something else in another store: where entries of the log are.

import BrumeModel
import BrumeStorage

/// Makes rows of the source those of the target.
struct MoveConversion {
  private let order: LogOrder
  private let bucketCount: Int
  /// The notifier's cursors, as the target saves them.
  let cursors: [Bucket: [UInt8]]

  /// - Parameters:
  ///   - source: what is known of it.
  ///   - log: where the entries of its log are.
  ///   - buckets: into how many source and target are divided.
  init(
    _ source: StoreOutline, log: [LogPlace], buckets: (source: Int, target: Int)
  ) throws {
    bucketCount = buckets.source
    var served = LogPositions()
    for (bucket, bytes) in source.cursors {
      // What of the next entry was served already is served again.
      var cursor = Unpacker(bytes)
      guard let position = cursor.number() else {
        throw StoreError(.corrupt, "the notifier's cursor of bucket \(bucket) cannot be read")
      }
      served[bucket] = position
    }
    order = LogOrder(log, served: served, bucketCount: buckets.target)
    let moved = order.positions(served)
    cursors = moved.buckets.reduce(into: [:]) { cursors, bucket in
      var packer = Packer()
      packer.add(moved[bucket])
      cursors[bucket] = packer.bytes
    }
  }

  func converted(_ row: MovedRow) throws -> MovedRow {
    var row = row
    for (index, column) in row.table.columns.enumerated() {
      guard let text = row.values[index].text else { continue }
      switch column.kind {
      case .positions: row.values[index] = .text(try positions(text, of: row).text)
      case .place: row.values[index] = .text(try place(text, of: row).text)
      case .integer, .text, .bytes: break
      }
    }
    return row
  }

  private func positions(_ text: String, of row: MovedRow) throws -> LogPositions {
    let old = try LogPositions(text: text)
    guard row.table == .subscriptions, let database = try row.subscriptionScope().database else {
      return order.positions(old)
    }
    return order.positions(old, from: Bucket(of: database, among: bucketCount), of: database)
  }

  private func place(_ text: String, of row: MovedRow) throws -> LogPositions {
    let old = try LogPositions(text: text)
    let database = try row.database()
    guard let bucket = old.buckets.first,
      let place = order.place(of: old[bucket], in: database)
    else { throw row.unreadable("it is not where the log says") }
    return place
  }
}
