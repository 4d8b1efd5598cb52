// Replies of records in one piece. The server sends them in several, with which these are compared.

import BrumeModel

@testable import BrumeWire

extension Wire {
  static func records(
    _ results: [RecordResult], _ options: RecordOptions = RecordOptions()
  ) -> [UInt8] {
    bytes { $0.records(results, syncToken: nil) { _ in options } }
  }

  /// - Parameter wanted: the fields of each record; nil: all.
  static func records(
    _ results: [RecordResult], wanted: [Set<String>?], syncToken: String?
  ) -> [UInt8] {
    bytes { writer in
      writer.records(results, syncToken: syncToken) { RecordOptions(desiredKeys: wanted[$0]) }
    }
  }

  static func queryPage(
    _ page: QueryPage, _ options: RecordOptions = RecordOptions(), syncToken: String? = nil
  ) -> [UInt8] {
    bytes { $0.queryPage(page, options, syncToken: syncToken) }
  }

  static func zoneChanges(
    _ results: [ZoneChangesResult], for requests: [ZoneChangesRequest] = [],
    _ options: RecordOptions = RecordOptions()
  ) -> [UInt8] {
    bytes { $0.zoneChanges(results, for: requests, options) }
  }
}
