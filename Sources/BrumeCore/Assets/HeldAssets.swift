// The files that fields hold, as far as the caller may read their records: what is asked before a file is
// taken over into another record.

import BrumeModel
import BrumeStorage

struct HeldAssets: Sendable {
  private let records: Records

  init(_ parts: EngineParts) { records = Records(parts) }

  /// The asset of each field, in order.
  func find(
    _ fields: [AssetField], in zone: ZoneID?, of scope: DatabaseScope, as caller: Caller
  ) async throws -> [AssetResult] {
    let found = try await records.lookup(
      LookupRecordsRequest(zone: zone, items: fields.map { .init(name: $0.recordName) }),
      in: scope, as: caller)
    return try zip(fields, found).map { try Self.asset($0, $1) }
  }

  private static func asset(
    _ wanted: AssetField, _ result: RecordResult
  ) throws -> AssetResult {
    switch result {
    case .failure(let failure): return .failure(ItemFailure(wanted, failure.error))
    case .success(.deleted): return .failure(ItemFailure(wanted, BrumeError(.notFound, "gone")))
    case .success(.saved(let stored)):
      guard case .asset(let asset)? = try stored.record().fields[wanted.fieldName] else {
        return .failure(
          ItemFailure(
            wanted,
            BrumeError(
              .badRequest,
              "field '\(wanted.fieldName)' of record '\(wanted.recordName)' holds no single asset; "
                + "name a field of type ASSETID")))
      }
      return .success(asset)
    }
  }
}
