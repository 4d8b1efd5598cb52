// A record zone as engines keep it.

/// A zone's row: there, or gone.
package struct Zone: Equatable, Sendable {
  /// Why a zone is gone, as the change feed says.
  package enum Deletion: String, Hashable, Sendable {
    /// A client deleted it through the API (case ZON-13).
    case deleted
    /// The user removed the app's data in the settings (case ZON-12).
    case purged
    /// The user reset end-to-end encrypted data (case ZON-14).
    case encryptedDataReset
  }
  package let key: ZoneKey
  /// Sequence at which this incarnation of the zone began; tokens of an earlier one are expired (ZON-16).
  package var incarnation: Int64
  /// Sequence of the last change to the zone or a record in it.
  package var lastSequence: Int64
  /// Set when the zone is gone; such rows are kept so that others learn of it.
  package var deletion: Deletion?
  /// True once a share exists in the zone, so that writes know when to look for covering shares.
  package var hasShares: Bool

  package init(
    key: ZoneKey, incarnation: Int64, lastSequence: Int64, deletion: Deletion? = nil,
    hasShares: Bool = false
  ) {
    self.key = key
    self.incarnation = incarnation
    self.lastSequence = lastSequence
    self.deletion = deletion
    self.hasShares = hasShares
  }

  /// Default zones are never atomic; custom zones are (case ATM-05).
  package var isAtomic: Bool { !key.isDefault }
  /// Whether the zone is there.
  package var isLive: Bool { deletion == nil }
}
