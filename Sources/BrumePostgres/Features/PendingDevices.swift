// Devices that are sent to and have mail, found without a look at all others. Mailboxes and such devices both have an index in
// the order of keys: a step goes from a mailbox to the first device from there on, and the next one from that to the first
// mailbox. So there are no more steps than mailboxes with mail, nor than devices that are sent to.

import BrumeModel
import BrumeStorage

struct PendingDevices {
  private let session: Session
  private let buckets: [Bucket]

  init(_ session: Session, in buckets: [Bucket]) {
    self.session = session
    self.buckets = buckets.sorted()
  }

  /// Where a step begins: behind so much of a mailbox.
  private struct Place {
    let bucket: Int64
    /// Of a device: container, environment, user, device.
    let names: [String]
    let position: Int64

    private init(bucket: Int64, names: [String], position: Int64) {
      (self.bucket, self.names, self.position) = (bucket, names, position)
    }

    init(beginningOf bucket: Int64) {
      self.init(bucket: bucket, names: ["", "", "", ""], position: 0)
    }

    /// A cursor of a bucket alone is at its beginning.
    init(_ cursor: PendingCursor) {
      guard cursor.numbers.count > 1 else {
        self.init(beginningOf: cursor.numbers[0])
        return
      }
      self.init(bucket: cursor.numbers[0], names: cursor.names, position: cursor.numbers[1])
    }

    var values: [SQLValue] {
      [.integer(bucket)] + names.map { .text($0) } + [.integer(position)]
    }
  }
  private struct Step {
    /// Nil: nothing waits for it.
    let device: Device?
    let end: PendingCursor
  }

  /// - Parameter limit: of steps.
  func page(
    after cursor: PendingCursor?, limit: Int
  ) throws -> (devices: [Device], next: PendingCursor?) {
    var steps: [Step] = []
    for place in try places(from: cursor.map { Place($0) }, limit: limit)
    where steps.count < limit {
      steps += try self.steps(from: place, limit: limit - steps.count)
    }
    return (steps.compactMap(\.device), steps.count < limit ? nil : steps.last?.end)
  }

  /// One in each bucket in which something waits; of a single step in every bucket, because to look at all of them
  /// would meet what is damaged in any.
  private func places(from start: Place?, limit: Int) throws -> [Place] {
    let wanted = buckets.map { Int64($0.number) }.filter { $0 >= start?.bucket ?? 0 }
    let found =
      limit == 1
      ? wanted
      : try session.all(Self.findBuckets, [.array(.integer, wanted.map { .integer($0) })]) {
        $0.integer(0)
      }
    return found.map { bucket in
      start.flatMap { $0.bucket == bucket ? $0 : nil } ?? Place(beginningOf: bucket)
    }
  }

  private func steps(from place: Place, limit: Int) throws -> [Step] {
    let answers = try session.ask([
      (Self.withoutSorting, []), (Self.walk, place.values + [.integer(limit)]),
      (Self.withSorting, []),
    ])
    return try answers[1].map { row in
      let position = row.integer(11)
      let names = (0..<4).map { row.text($0) }
      return Step(
        device: position > 0 ? try row.device() : nil,
        end: PendingCursor([place.bucket, position], names: names))
    }
  }
}

// MARK: Statements

extension PendingDevices {
  private static let key = "container, environment, user_id, device"
  // OFFSET 0 keeps the planner from joining all mailboxes.
  private static let findBuckets = SQL(
    """
    SELECT bucket FROM mail WHERE bucket = ANY ($1::bigint[]) AND EXISTS (
      SELECT 1 FROM mailbox WHERE mailbox.bucket = mail.bucket AND position > 0 OFFSET 0)
    ORDER BY bucket
    """)
  // A planner that takes the mailboxes for few would read all of a bucket in each step, and sort them.
  private static let withoutSorting = SQL("SET LOCAL enable_sort = off")
  private static let withSorting = SQL("SET LOCAL enable_sort TO DEFAULT")
  private static let walk = SQL(
    """
    WITH RECURSIVE walk (number, container, environment, user_id, device, position) AS (
      SELECT 0::bigint, \((2...5).map { "$\($0)::text COLLATE \"C\"" }.joined(separator: ", ")), $6::bigint
      UNION ALL
      SELECT number + 1, pushed.container, pushed.environment, pushed.user_id, pushed.device,
        CASE WHEN (\(names("pushed"))) = (\(names("mail"))) THEN \(Int64.max) ELSE 0 END
      FROM walk
        CROSS JOIN LATERAL (
          SELECT \(key) FROM mailbox
          WHERE bucket = $1 AND (\(key), position) > (\(names("walk")), walk.position)
          ORDER BY \(key), position LIMIT 1) AS mail
        CROSS JOIN LATERAL (
          SELECT \(key) FROM devices WHERE \(isPushed) AND (\(key)) >= (\(names("mail")))
          ORDER BY \(key) LIMIT 1) AS pushed
      WHERE number < $7::bigint)
    SELECT found.*, position FROM walk CROSS JOIN LATERAL (
      \(PostgresDevices.select) WHERE \(isPushed) AND (\(key)) = (\(names("walk"))) OFFSET 0) AS found
    WHERE number > 0 ORDER BY number
    """)
  private static let isPushed = "bucket + 0 = $1 AND channel IN ('apns', 'webpush')"

  private static func names(_ table: String) -> String {
    key.split(separator: " ").map { "\(table).\($0)" }.joined(separator: " ")
  }
}
