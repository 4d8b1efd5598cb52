// Who and where: the identifiers that every layer shares.
//
// They are plain values. Checking that a name is allowed is `NameRules.swift`; turning a caller's
// view ("my private database") into a key is BrumeCore's work.

/// Milliseconds since 1970-01-01T00:00:00Z, the resolution of CloudKit's wire protocol.
package typealias Milliseconds = Int64

extension Duration {
  /// Whole milliseconds; what is less than one is left out.
  package var milliseconds: Milliseconds {
    let (seconds, attoseconds) = components
    return seconds * 1000 + attoseconds / 1_000_000_000_000_000
  }
}

/// A container, such as `iCloud.org.example.trailbook`. Case sensitive.
package struct ContainerID: Hashable, Sendable, CustomStringConvertible {
  package let name: String
  package init(_ name: String) { self.name = name }
  package var description: String { name }
}

/// The two isolated environments of a container. Raw values are the spelling in URLs.
package enum Environment: String, Hashable, Sendable, CaseIterable {
  case development, production
}

/// The three databases as a caller sees them. Raw values are the spelling in URLs.
package enum DatabaseScope: String, Hashable, Sendable, CaseIterable {
  case `public`, `private`, shared
}

/// A user's record name: `_` and 32 hex digits.
package struct UserID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let name: String
  package init(_ name: String) { self.name = name }
  package var description: String { name }
  /// In Swift's order of texts.
  package static func < (a: UserID, b: UserID) -> Bool { a.name < b.name }

  /// What clients write for "me": the framework's constant and the web's older alias.
  package static let aliases: Set<String> = ["__defaultOwner__", "_defaultOwner"]
  /// The owner name that zones of the public database carry.
  package static let publicOwnerName = "_defaultOwner"
}

/// One installation that may receive pushes: the client's own identifier, unique per user. A free text, so it is compared
/// by its bytes (decision 0011): what engines keep apart is apart in memory too.
package struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let name: String
  package init(_ name: String) { self.name = name }
  package var description: String { name }

  package static func == (a: DeviceID, b: DeviceID) -> Bool {
    a.name.utf8.elementsEqual(b.name.utf8)
  }
  /// What has equal bytes has equal characters too.
  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
  package static func < (a: DeviceID, b: DeviceID) -> Bool {
    a.name.utf8.lexicographicallyPrecedes(b.name.utf8)
  }
}

/// Where data is really stored: the unit of ordering, locking and sharding (decision 0004).
///
/// A participant's shared database has no key of its own; it is a view over its owners' keys.
package struct DatabaseKey: Hashable, Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  /// Nil for the public database.
  package let owner: UserID?

  package init(in containerEnvironment: ContainerEnvironment, owner: UserID?) {
    self.containerEnvironment = containerEnvironment
    self.owner = owner
  }

  /// The owner name that zone IDs of this database carry on the wire.
  package var ownerName: String { owner?.name ?? UserID.publicOwnerName }
}

/// A zone of one database.
package struct ZoneKey: Hashable, Sendable {
  package let database: DatabaseKey
  package let name: String
  package init(database: DatabaseKey, name: String) {
    self.database = database
    self.name = name
  }
  package var isDefault: Bool { name == ZoneID.defaultName }
  /// As clients name it, with its owner.
  package var id: ZoneID { ZoneID(name: name, ownerName: database.ownerName) }
}

/// A record of one zone.
package struct RecordKey: Hashable, Sendable {
  package let zone: ZoneKey
  package let name: String
  package init(zone: ZoneKey, name: String) {
    self.zone = zone
    self.name = name
  }
}

/// A zone as clients name it. A nil owner, or an alias of it, means the caller.
package struct ZoneID: Hashable, Sendable {
  /// The zone that every database has.
  package static let defaultName = "_defaultZone"
  package let name: String
  /// Nil: the caller.
  package let ownerName: String?
  package init(name: String, ownerName: String? = nil) {
    self.name = name
    self.ownerName = ownerName
  }
}
