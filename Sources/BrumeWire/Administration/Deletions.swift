// The operator's `deletions/forget`: what zones do not remember any more.

package import BrumeModel

extension Wire {
  /// The reply of `deletions/forget`.
  package static func deletions(_ report: DeletionReport) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("deletions", Int64(report.deletions))
      writer.member("zones", Int64(report.zones))
      writer.member("databases", Int64(report.databases))
      writer.member("unknown", Int64(report.unknown))
      writer.endObject()
    }
  }
}
