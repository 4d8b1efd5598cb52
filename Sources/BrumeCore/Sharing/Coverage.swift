// Which shares cover a record: its own, and those of the records above it by `parent`.

package import BrumeModel
import BrumeStorage

/// Which shares cover which records of one zone, remembering what it found on the way.
package struct Coverage: Sendable {
  private var known: [String: [String]] = [:]
  private let zoneShare: [String]
  private let chainLimit: Int

  /// - Parameter hasZoneShare: a zone-wide share covers everything beside the records' own shares.
  package init(hasZoneShare: Bool, chainLimit: Int) {
    zoneShare = hasZoneShare ? [Record.zoneShareName] : []
    self.chainLimit = chainLimit
  }

  /// Whether it was found what covers a record, or others through it.
  func knows(_ name: String) -> Bool { known[name] != nil }

  /// Names of the shares that cover a record. Ancestors are asked of `find`.
  ///
  /// - Parameter whatIsKnownStays: whether `find` would answer the same again, so that it is not asked for what is known.
  package mutating func shares(
    of record: Record, whatIsKnownStays: Bool = false, find: (String) throws -> Record?
  ) rethrows -> [String] {
    if record.isShare { return record.isZoneShare ? zoneShare : zoneShare + [record.name] }
    var path: [Record] = []
    var next: Record? = record
    var found = zoneShare
    var isWhole = true
    while let current = next {
      if !path.isEmpty, let covering = known[current.name] {
        found = covering
        break
      }
      path.append(current)
      if path.count > chainLimit {
        isWhole = current.parent == nil
        break
      }
      if whatIsKnownStays, let covering = current.parent.flatMap({ known[$0] }) {
        found = covering
        break
      }
      next = try current.parent.flatMap { try find($0) }
    }
    for current in path.reversed() {
      if let share = current.share, !found.contains(share) { found.append(share) }
      // What is above the limit was not seen, and may cover these: nothing is remembered of them.
      if isWhole { known[current.name] = found }
    }
    return found
  }
}

extension Coverage {
  /// A fresh memory of what covers the records of a zone.
  init(of zone: ZoneKey, _ limits: Limits, from transaction: any ReadTransaction) throws {
    let zoneShare = try transaction.records.find(
      RecordKey(zone: zone, name: Record.zoneShareName))
    self.init(hasZoneShare: zoneShare != nil, chainLimit: limits.parentChain)
  }
}
