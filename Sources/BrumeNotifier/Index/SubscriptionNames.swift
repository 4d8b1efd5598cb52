// Which subscription a row is. Names are numbers here: a place (container environment and database), a user,
// and of these and the subscription's ID the row.

import BrumeModel
import BrumeStorage

extension SubscriptionIndex {
  /// The names of all rows.
  struct Names: Sendable {
    private var places = InternTable()
    private var users = InternTable()
    private var keys = InternTable()

    var count: Int { keys.count }
    var isEmpty: Bool { places.count == 0 && users.count == 0 && keys.count == 0 }

    func isUsed(_ row: Int32) -> Bool { keys.isUsed(row) }

    func row(of key: SubscriptionKey) -> Int32? {
      guard let place = places.find(Self.placeBytes(key.scope)),
        let user = users.find(Array(key.scope.user.name.utf8))
      else { return nil }
      return keys.find(Self.keyBytes(place, user, key.id))
    }

    /// The subscription of a row that is used.
    func key(at row: Int32) -> SubscriptionKey {
      let bytes = keys.bytes(of: row)
      let place = places.bytes(of: Int32(bytesOf: bytes.prefix(4)))
      let user = users.bytes(of: Int32(bytesOf: bytes.dropFirst(4).prefix(4)))
      let scope = SubscriptionScope(
        in: ContainerEnvironment(
          ContainerID(String(decoding: place.dropFirst(2), as: UTF8.self)),
          Environment.allCases[Int(place[place.startIndex])]),
        scope: DatabaseScope.allCases[Int(place[place.startIndex + 1])],
        user: UserID(String(decoding: user, as: UTF8.self)))
      return SubscriptionKey(scope: scope, id: String(decoding: bytes.dropFirst(8), as: UTF8.self))
    }

    /// The row that a subscription gets.
    mutating func use(_ key: SubscriptionKey) -> Int32 {
      let place = places.use(Self.placeBytes(key.scope))
      let user = users.use(Array(key.scope.user.name.utf8))
      return keys.use(Self.keyBytes(place, user, key.id))
    }

    /// The row's subscription goes.
    mutating func release(_ row: Int32) {
      let bytes = keys.bytes(of: row).prefix(8)
      let (place, user) = (Int32(bytesOf: bytes.prefix(4)), Int32(bytesOf: bytes.dropFirst(4)))
      places.release(place)
      users.release(user)
      keys.release(row)
    }

    private static func placeBytes(_ scope: SubscriptionScope) -> [UInt8] {
      let environment = Environment.allCases.firstIndex(of: scope.environment) ?? 0
      let database = DatabaseScope.allCases.firstIndex(of: scope.scope) ?? 0
      return [UInt8(environment), UInt8(database)] + Array(scope.container.name.utf8)
    }

    private static func keyBytes(_ place: Int32, _ user: Int32, _ id: String) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(8 + id.utf8.count)
      bytes.append(place)
      bytes.append(user)
      bytes.append(contentsOf: id.utf8)
      return bytes
    }
  }
}

extension Int32 {
  /// A number as `[UInt8].append` writes it.
  init(bytesOf bytes: ArraySlice<UInt8>) {
    self.init(truncatingIfNeeded: bytes.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
  }
}
