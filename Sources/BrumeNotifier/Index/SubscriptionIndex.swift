// Which subscriptions a log entry concerns, without looking at all of them.
//
// A value that follows the log: the notifier puts and removes subscriptions in log order. It answers
// the same as asking `FireRules.fires` of every subscription. Subscriptions of shared databases are
// found by their user, because only the share says which users see a zone (`Audience`).
//
// Everything is a number here: a subscription is a row, what it watches is a *scope* (database,
// record type, zone), and in a scope it waits at a *posting* (one value of one field), perhaps at a
// threshold there. Adding is SubscriptionIndex+Changing.swift, finding SubscriptionIndex+Matching.swift.

package import BrumeModel
import BrumeStorage

/// The subscriptions of one bucket, to be asked by log entry.
package struct SubscriptionIndex: Sendable {
  /// A subscription that fires.
  package struct Match: Hashable, Sendable {
    /// Distinguishes a subscription from a later one with the same ID; fan-outs go in this order.
    package let startPosition: Int64
    let row: Int32
  }
  /// What fires for one log entry, unordered: single subscriptions and whole lists of them.
  package struct Found: Sendable {
    var rows: [Int32] = []
    var groups: [[Int32]] = []
    package init() {}
    /// Whether nothing fires.
    package var isEmpty: Bool { rows.isEmpty && groups.isEmpty }
    /// How many subscriptions were found.
    package var count: Int { groups.reduce(rows.count) { $0 + $1.count } }
    /// Visits every subscription that was found.
    package func forEach(_ body: (Int32) -> Void) {
      for row in rows { body(row) }
      for group in groups { for row in group { body(row) } }
    }
    /// Adds what another search found.
    package mutating func append(_ other: Found) {
      rows += other.rows
      groups += other.groups
    }
  }

  /// One subscription and where it waits.
  struct Row: Sendable {
    var startPosition: Int64
    /// The bound at which it waits, if `side` says so.
    var threshold: UInt64 = 0
    /// A posting, or a condition.
    var holder: Int32
    var side: Int32 = Row.plain
    /// Its place in its list of owners; -1 if it is alone.
    var slot: Int32 = -1
    var rest: UInt16 = 0
    var events: EventMask
    static let plain: Int32 = -1
    static let condition: Int32 = -2
  }
  /// Who waits at one value of one field.
  struct Posting: Sendable {
    let scope: Int32
    var plain = Target.nobody
    /// Number of a set of bounds.
    var bounds: Int32 = -1
    /// Number of a list of conditions that have to be evaluated.
    var conditions: Int32 = -1
    /// How many wait here: what the choice of a path goes by.
    var count: Int32 = 0
  }
  /// A condition of which something is left to check, or that waits at several values.
  struct Condition: Sendable {
    let filters: [Filter]
    let meaning: Int
    var postings: [Int32]
    var bound: AccessBound?
    var owners = Target.nobody
  }
  /// What one field of a scope is asked for.
  struct FieldUse: Sendable {
    let field: FieldName?
    let id: Int32
    let kind: AccessKind
    let parameter: UInt32
    var count: Int32
  }
  struct Scope: Sendable {
    var everything: Int32 = -1
    var uses: [FieldUse] = []
  }
  /// The bounds beside one value, by field and direction.
  struct BoundSet: Sendable {
    struct Side: Sendable {
      let field: FieldName
      let number: Int32
      let isLower: Bool
      let kind: OrderKey.Kind
      var thresholds = SortedThresholds()
      /// No start position of a subscription here is later.
      var newest = Int64.min
    }
    var sides: [Side] = []
  }

  /// Whose log the index follows: start positions are of it.
  let bucket: Bucket
  // Names, with their numbers.
  var scopeKeys = InternTable()
  var users = InternTable()
  var keys = InternTable()
  var fields = InternTable()
  var scopeNames = InternTable()
  var postingKeys = InternTable()
  // What the numbers stand for.
  var rows: [Row] = []
  var scopes: [Scope] = []
  var postings: [Posting] = []
  var owners = OwnerLists()
  var conditions = Slots<Condition>()
  var boundSets = Slots<BoundSet>()
  var conditionLists = Slots<[Int32]>()
  /// Conditions by scope and meaning, so that equal ones are one.
  var meanings: [Int: Int32] = [:]
  var sharedCount = 0

  package init(of bucket: Bucket = .only) { self.bucket = bucket }

  /// Subscriptions in the index.
  package var count: Int { keys.count }
  /// Whether anybody watches a shared database.
  package var hasSharedDatabases: Bool { sharedCount > 0 }
}

/// Values by number, with numbers used again.
struct Slots<Value: Sendable>: Sendable {
  private var values: [Value?] = []
  private var free: [Int32] = []

  var inUse: Int { values.count - free.count }

  subscript(number: Int32) -> Value? {
    get { values[Int(number)] }
    _modify { yield &values[Int(number)] }
  }

  mutating func add(_ value: Value) -> Int32 {
    if let number = free.popLast() {
      values[Int(number)] = value
      return number
    }
    values.append(value)
    return Int32(values.count - 1)
  }

  mutating func remove(_ number: Int32) {
    values[Int(number)] = nil
    free.append(number)
  }
}

// MARK: Names

extension SubscriptionIndex {
  /// What a subscription watches, or a change touches.
  enum Watch {
    /// Query subscriptions on a type, in one zone or everywhere.
    case queries(DatabaseKey, type: String, zone: String?)
    /// Zone subscriptions, or database subscriptions (no zone), to one type or to all.
    case changes(DatabaseKey, zone: String?, type: String?)
    /// Subscriptions of a user's shared database.
    case shared(ContainerEnvironment, UserID, type: String?)

    var bytes: [UInt8] {
      var bytes: [UInt8] = []
      switch self {
      case .queries(let database, let type, let zone):
        bytes.append(UInt8(ascii: "q"))
        bytes.append(database)
        bytes.append(text: type)
        bytes.append(text: zone)
      case .changes(let database, let zone, let type):
        bytes.append(UInt8(ascii: "c"))
        bytes.append(database)
        bytes.append(text: type)
        bytes.append(text: zone)
      case .shared(let containerEnvironment, let user, let type):
        bytes.append(UInt8(ascii: "s"))
        bytes.append(DatabaseKey(in: containerEnvironment, owner: user))
        bytes.append(text: type)
      }
      return bytes
    }
  }

  /// The row of a subscription.
  func row(of key: SubscriptionKey) -> Int32? {
    guard let place = scopeKeys.find(Self.scopeKeyBytes(key.scope)),
      let user = users.find(Array(key.scope.user.name.utf8))
    else { return nil }
    return keys.find(Self.keyBytes(place, user, key.id))
  }

  /// The subscription behind a match; nil if it was removed since.
  package func key(of match: Match) -> SubscriptionKey? {
    guard keys.isUsed(match.row), rows[Int(match.row)].startPosition == match.startPosition else {
      return nil
    }
    return key(at: match.row)
  }

  func key(at row: Int32) -> SubscriptionKey {
    let bytes = keys.bytes(of: row)
    let place = scopeKeys.bytes(of: Self.number(bytes.prefix(4)))
    let user = users.bytes(of: Self.number(bytes.dropFirst(4).prefix(4)))
    let scope = SubscriptionScope(
      in: ContainerEnvironment(
        ContainerID(String(decoding: place.dropFirst(2), as: UTF8.self)),
        Environment.allCases[Int(place[place.startIndex])]),
      scope: DatabaseScope.allCases[Int(place[place.startIndex + 1])],
      user: UserID(String(decoding: user, as: UTF8.self)))
    return SubscriptionKey(scope: scope, id: String(decoding: bytes.dropFirst(8), as: UTF8.self))
  }

  static func scopeKeyBytes(_ scope: SubscriptionScope) -> [UInt8] {
    let environment = Environment.allCases.firstIndex(of: scope.environment) ?? 0
    let database = DatabaseScope.allCases.firstIndex(of: scope.scope) ?? 0
    return [UInt8(environment), UInt8(database)] + Array(scope.container.name.utf8)
  }

  static func keyBytes(_ place: Int32, _ user: Int32, _ id: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(8 + id.utf8.count)
    bytes.append(place)
    bytes.append(user)
    bytes.append(contentsOf: id.utf8)
    return bytes
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int32 {
    Int32(truncatingIfNeeded: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ database: DatabaseKey) {
    reserveCapacity(128)
    append(contentsOf: database.container.name.utf8)
    append(database.environment == .production ? 1 : 2)
    append(text: database.owner?.name)
  }

  /// Names hold no control characters, so these end them and distinguish none from an empty one.
  fileprivate mutating func append(text: String?) {
    if let text { append(contentsOf: text.utf8) }
    append(text == nil ? 1 : 0)
  }
}
