// The operator's `containers`, `zones` and `shares`: lists of what is there.

package import BrumeModel

extension Wire {
  /// The reply of `containers`.
  package static func containers(_ containers: [ContainerSummary]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("containers", containers) { writer, summary in
        writer.beginObject()
        writer.containerEnvironment(summary.containerEnvironment)
        writer.member("databases", Int64(summary.databases))
        writer.member("recordTypes", Int64(summary.recordTypes))
        writer.member("apiTokens", Int64(summary.apiTokens))
        writer.member("serverKeys", Int64(summary.serverKeys))
        writer.endObject()
      }
      writer.endObject()
    }
  }

  /// Apple's zone dictionaries, with what only operators get under `brume`.
  package static func zones(_ page: ListPage<ZoneSummary>) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("zones", page.items) { writer, summary in
        writer.beginObject()
        writer.name("zoneID")
        writer.zoneID(summary.zone)
        writer.member("atomic", summary.isAtomic)
        writer.name("brume")
        writer.beginObject()
        writer.member("sequence", summary.sequence)
        writer.member("changed", summary.changed)
        writer.member("hasShares", summary.hasShares)
        if let size = summary.size { writer.size(size) }
        writer.endObject()
        writer.endObject()
      }
      writer.member("after", page.after)
      writer.endObject()
    }
  }

  /// Shares with their participants and rights, without the secret part of any invitation.
  package static func shares(_ page: ListPage<ShareSummary>) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("shares", page.items) { writer, summary in
        writer.beginObject()
        writer.member("recordName", summary.name)
        writer.name("zoneID")
        writer.zoneID(summary.zone)
        writer.member("rootRecordName", summary.share.rootRecordName)
        writer.member("publicPermission", summary.share.publicPermission.rawValue)
        writer.array("participants", summary.share.participants) { $0.participant($1) }
        writer.array("requesters", summary.share.requesters) { $0.identity($1) }
        writer.array("blocked", summary.share.blocked) { $0.identity($1) }
        writer.endObject()
      }
      writer.member("after", page.after)
      writer.endObject()
    }
  }
}

extension JSONWriter {
  /// The members `container` and `environment`.
  mutating func containerEnvironment(_ containerEnvironment: ContainerEnvironment) {
    member("container", containerEnvironment.container.name)
    member("environment", containerEnvironment.environment.rawValue)
  }
}
