// Where a query goes on: a sealed text that belongs to one user, database and query. With another
// query it is refused, not misread.

import BrumeModel
import BrumePredicate
import BrumeStorage

struct ContinuationMarker: Equatable, Sendable {
  let digest: UInt64
  let position: QueryPosition

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(Int64(bitPattern: digest))
    packer.add(Int64(position.offset))
    packer.add(position.zone)
    packer.add(position.name)
    return packer.bytes
  }

  /// A number for what the marker belongs to.
  static func digest(
    _ query: Query, zone: String?, in database: DatabaseKey, _ scope: DatabaseScope,
    as caller: Caller
  ) -> UInt64 {
    var hash = StableHash()
    hash.add(caller.user?.name ?? "")
    hash.add(database.container.name)
    hash.add(database.environment.rawValue)
    hash.add(database.ownerName)
    hash.add(scope.rawValue)
    hash.add(zone.map { "in \($0)" } ?? "everywhere")
    hash.add(query.recordType)
    hash.add(Canonical.key(query.filters))
    for sort in query.sorts {
      hash.add("\(sort.field) \(sort.ascending)")
      if let place = sort.relativeLocation { hash.add("\(place.latitude) \(place.longitude)") }
    }
    return hash.value
  }

  /// The error for a marker of another query.
  static let refused = BrumeError(
    .badRequest,
    "the continuation marker does not belong to this query; repeat the query as it was, or start "
      + "without a marker")
}

extension ContinuationMarker {
  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let digest = unpacker.number(), let offset = unpacker.number(), offset >= 0,
      let zone = unpacker.text(), let name = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    self.digest = UInt64(bitPattern: digest)
    position = QueryPosition(offset: Int(offset), zone: zone, name: name)
  }
}

extension Seal {
  /// The position of a marker that belongs to this digest; nil for no marker.
  func position(
    _ marker: String?, of digest: UInt64
  ) throws(BrumeError) -> QueryPosition? {
    guard let marker else { return nil }
    guard let bytes = payload(of: marker, for: .continuationMarker),
      let opened = ContinuationMarker(bytes), opened.digest == digest
    else { throw ContinuationMarker.refused }
    return opened.position
  }

  func marker(at position: QueryPosition, of digest: UInt64) -> String {
    text(
      ContinuationMarker(digest: digest, position: position).bytes, for: .continuationMarker)
  }
}
