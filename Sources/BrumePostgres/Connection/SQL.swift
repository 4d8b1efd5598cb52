// A statement of the program: prepared once on each connection, then sent by its name.

import Synchronization

final class SQL: Sendable {
  private let text: String
  private let textOnCitus: String
  /// The name under which connections prepare it.
  let name: String
  /// The same question, asked for many values at once; nil: each is asked alone.
  let joined: JoinedSQL?
  /// Whether it was put together for a query, so that there are many like it.
  let isOfQuery: Bool
  /// Where its rows are at a worker of Citus.
  let rows: Place
  enum Place {
    /// In the shard of the bucket that is its first parameter.
    case ofBucket
    /// In the copies that each worker has; it only reads.
    case copied
    /// Only Citus knows.
    case anywhere
  }
  private static let count = Atomic<Int>(0)
  /// Where texts are written, as `File.swift:line`, for tests: which of all statements they have met.
  private static let places = Mutex<[String: Set<String>]>([:])

  /// - Parameters:
  ///   - citus: what is asked instead where tables are divided by bucket. Of itself a statement only gets the bucket
  ///     in words that Citus reads: it looks for the worker in `bucket = $1`, and `bucket + 0 = $1`, which chooses an
  ///     index, would be asked of all workers.
  ///   - types: of its parameters, the bucket first, if questions of this kind may be asked together.
  ///   - rows: where its rows are at a worker of Citus; nil: what the text says.
  ///   - isOfQuery: whether it was put together for a query.
  ///   - file: where it is written.
  init(
    _ text: String, onCitus citus: String? = nil, each types: [SQLType]? = nil,
    rows: Place? = nil, isOfQuery: Bool = false, file: String = #fileID, line: Int = #line
  ) {
    self.isOfQuery = isOfQuery
    let citus = citus ?? text.replacing("bucket + 0 = $1", with: "bucket = $1 AND bucket + 0 = $1")
    (self.text, textOnCitus) = (text, citus)
    self.rows = rows ?? (citus.contains("bucket = $1") ? .ofBucket : .anywhere)
    name = "s\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    joined = types.map { JoinedSQL(text, onCitus: citus, $0, file, line) }
    if !isOfQuery { Self.note(text, file, line) }
  }

  /// - Parameters:
  ///   - rows: where its rows are at a worker of Citus.
  ///   - joined: the same for many values, in words of its own.
  init(
    _ text: String, onCitus citus: String, rows: Place, joined: JoinedSQL, file: String = #fileID,
    line: Int = #line
  ) {
    (self.text, textOnCitus) = (text, citus)
    self.rows = rows
    isOfQuery = false
    name = "s\(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)"
    self.joined = joined
    Self.note(text, file, line)
  }

  private static func note(_ text: String, _ file: String, _ line: Int) {
    let place = "\(file.split(separator: "/").last ?? ""):\(line)"
    _ = places.withLock { $0[text, default: []].insert(place) }
  }

  /// Where this process has met a statement with the text, as far as it is written down as a whole.
  static func places(of text: String) -> Set<String> { places.withLock { $0[text] ?? [] } }

  func text(onCitus: Bool) -> String { onCitus ? textOnCitus : text }
}
