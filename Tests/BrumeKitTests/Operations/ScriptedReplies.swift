// Replies of records as a scripted server gives them: whole, where the real one sends them in pieces.

import BrumeModel
import BrumeWire

extension Wire {
  static func records(
    _ results: [RecordResult], _ options: RecordOptions = RecordOptions()
  ) -> [UInt8] {
    let request = ModifyRecordsRequest(operations: [])
    return Array(recordsInPieces(results, for: request, options).joined())
  }

  static func queryPage(_ page: QueryPage, _ options: RecordOptions) -> [UInt8] {
    Array(queryPageInPieces(page, options).joined())
  }

  static func zoneChanges(
    _ results: [ZoneChangesResult], _ options: RecordOptions
  ) -> [UInt8] {
    Array(zoneChangesInPieces(results, for: [], options).joined())
  }
}
