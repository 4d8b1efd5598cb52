// Which references of a record count for `referrers`: those into its own zone.

package import BrumeModel

extension Record {
  /// A reference's target and action, once each.
  package struct Pointer: Hashable, Sendable {
    /// The record's name, in the same zone.
    package let target: ByteText
    package let action: Reference.Action
  }

  /// The references in fields, also in lists, that point into `zone`, where the record is.
  package func pointers(within zone: ZoneKey) -> Set<Pointer> {
    var pointers: Set<Pointer> = []
    for value in fields.values {
      switch value {
      case .reference(let reference): pointers.add(reference, within: zone)
      case .list(let elements, _):
        for case .reference(let reference) in elements { pointers.add(reference, within: zone) }
      case .string, .int64, .double, .bytes, .timestamp, .location, .asset: continue
      }
    }
    return pointers
  }
}

extension Set<Record.Pointer> {
  fileprivate mutating func add(_ reference: Reference, within zone: ZoneKey) {
    guard reference.zone.map({ $0.names(zone) }) ?? true else { return }
    insert(.init(target: ByteText(reference.recordName), action: reference.action))
  }
}

extension ZoneID {
  /// Whether a record of `zone`'s database that says this ID means that zone.
  fileprivate func names(_ zone: ZoneKey) -> Bool {
    guard name == zone.name else { return false }
    guard let ownerName, !UserID.aliases.contains(ownerName) else { return true }
    return ownerName == zone.database.ownerName
  }
}
