// The operator's `usage` and `usage/storage`: what a server was used for, and what users store.

package import BrumeModel

extension Wire {
  /// The reply of `usage`.
  package static func usage(_ report: UsageReport) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("span", report.span.rawValue)
      writer.member("step", report.span.step)
      writer.member("since", report.since)
      writer.array("usage", report.buckets) { writer, bucket in
        writer.beginObject()
        writer.member("time", bucket.start)
        writer.counts(bucket.counts)
        writer.endObject()
      }
      writer.name("total")
      writer.beginObject()
      writer.counts(report.total)
      writer.endObject()
      writer.endObject()
    }
  }

  /// The reply of `usage/storage`.
  package static func storage(_ report: StorageReport) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("quota", report.quota)
      writer.array("users", report.users) { writer, owner in
        writer.beginObject()
        writer.member("user", owner.name)
        writer.member("recordName", owner.user.name)
        writer.size(owner.size)
        writer.endObject()
      }
      writer.array("public", report.publicDatabases) { writer, database in
        writer.beginObject()
        writer.containerEnvironment(database.containerEnvironment)
        writer.size(database.size)
        writer.endObject()
      }
      writer.member("after", report.after)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  /// The members `records`, `bytes` and `whole`.
  mutating func size(_ size: StoredSize) {
    member("records", size.records)
    member("bytes", size.bytes)
    member("whole", size.isWhole)
  }

  /// Times are microseconds within which half, 95 and 99 of 100 requests were answered.
  fileprivate mutating func counts(_ counts: UsageCounts) {
    member("requests", counts[.requests])
    member("refused", counts[.refused])
    member("failed", counts[.failed])
    member("operatorRequests", counts[.operatorRequests])
    member("saved", counts[.saved])
    member("deleted", counts[.deleted])
    member("pushes", counts[.pushes])
    member("failedPushes", counts[.failedPushes])
    member("uploadedBytes", counts[.uploadedBytes])
    member("downloadedBytes", counts[.downloadedBytes])
    member("p50", counts.time(of: 0.5))
    member("p95", counts.time(of: 0.95))
    member("p99", counts.time(of: 0.99))
  }
}
