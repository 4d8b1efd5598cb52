// What callers ask for of zones, and what they get back.

/// One item of `zones/modify`.
package struct ZoneOperation: Equatable, Sendable {
  /// What is done; creating a zone that is there changes nothing.
  package enum Kind: String, Hashable, Sendable { case create, delete }
  package var kind: Kind
  package var zone: ZoneID
  package init(_ kind: Kind, _ zone: ZoneID) {
    self.kind = kind
    self.zone = zone
  }
}

/// What `zones/modify` is asked for.
package typealias ModifyZonesRequest = ModifyRequest<ZoneOperation>

/// A zone as a caller sees it.
package struct ZoneState: Equatable, Sendable {
  package var zone: ZoneID
  /// Nil for zones without a change feed.
  package var token: String?
  package var isAtomic: Bool
  /// Set in change feeds and in the acknowledgement of a delete.
  package var deletion: Zone.Deletion?
  /// The record name of the zone-wide share, if there is one (case SHR-34).
  package var share: String?
  /// Nothing was saved in it since it was made, as its owner sees it: its token of now is also one of its beginning.
  package var isNew = false
  package init(
    zone: ZoneID, token: String? = nil, isAtomic: Bool, deletion: Zone.Deletion? = nil,
    share: String? = nil
  ) {
    self.zone = zone
    self.token = token
    self.isAtomic = isAtomic
    self.deletion = deletion
    self.share = share
  }
}

/// The state of a zone after what was asked, or why that failed.
package typealias ZoneResult = Result<ZoneState, ItemFailure<ZoneID>>
