// What many deletions take along is read before the write that carries them out, because all others wait for a write. The
// write judges the request anew, with all rights as they are then; it takes over only how records of the zone hang
// together, and only if the zone and each of them are as they were. Otherwise it looks itself.

import BrumeModel
import BrumeStorage

/// Thrown by a write that should be tried again after a read has looked what goes along.
struct LargeCascade: Error {
  let zone: ZoneKey
  /// What the request deletes there, if it may.
  let names: Set<String>
  /// What it saves there.
  let saved: Set<String>
  /// What it moves to another parent.
  let moved: Set<String>
}

/// Those of all zones of a request.
struct LargeCascades: Error {
  let zones: [LargeCascade]
}

/// What goes with the deletions of a request, over all zones: as many records, and bytes of them.
struct CascadeSize: Sendable {
  var records = 0
  var bytes = 0
  /// What was read to find that out, whether it goes or not.
  var bytesRead = 0
  /// What was read to decide about the request beside; and what was for that, and is not there for the caller.
  var boundBytes = 0
  var hiddenBytes = 0
}

/// What a read has found.
struct FoundCascade: Sendable {
  /// The zone as it was; nil: nothing is to be taken over.
  private var zone: Zone?
  private var records: [StoredRecord] = []
  private var links = Removals.Links()

  /// Of the records.
  var bytes: Int { records.reduce(0) { $0 + $1.byteCount } }

  /// - Parameter before: what goes in zones before; what goes here is added.
  /// - Throws: what the transaction throws. Nothing is found if the request is to be refused: the write says why.
  init(
    of large: LargeCascade, behind before: inout CascadeSize, _ context: ModifyContext,
    _ schemas: SchemaCache, _ transaction: any ReadTransaction
  ) throws {
    do {
      let schema = try schemas.justInTime(
        for: large.zone.database, in: transaction, limits: context.limits)
      let stage = Stage(transaction, zone: large.zone, schema: schema, context.limits)
      var known = Removals.Links()
      known.moved = large.moved
      var removals = Removals(context, stage, known, saved: large.saved, behind: before)
      let wanted = large.names.sorted().enumerated().map { ($0, $1) }
      let gone = try removals.settle(wanted).gone
      before = removals.size(with: gone)
      zone = try transaction.zones.live(large.zone)
      (records, links) = (stage.found, removals.links.known(upTo: context.limits.cascade))
    } catch is BrumeError {}
  }

  /// What a write may take over of it: nothing if anything has changed. The records themselves it reads no more, each that
  /// is as it was.
  func links(
    in zone: Zone, _ transaction: any WriteTransaction
  ) throws -> Removals.Links {
    let areSame = try transaction.records.takeOver(records, in: zone.key)
    let isSame =
      zone.lastSequence == self.zone?.lastSequence && zone.incarnation == self.zone?.incarnation
    return areSame && isSame ? links : Removals.Links()
  }
}

extension Removals.Links {
  /// Without lists that may go on: how far the write reads them depends on what it saves.
  fileprivate func known(upTo most: Int) -> Self {
    var known = self
    known.needs = needs.filter { $0.value.children.count <= most && $0.value.holders.count <= most }
    return known
  }
}
