// The operator's `backups/restore`: a backup on its way back into the running server.

package import BrumeModel

extension Wire {
  /// The answer of `backups/restore`.
  package static func restore(_ report: RestoreReport) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("obstacle", report.obstacle)
      writer.member("restarts", report.restarts)
      writer.member("id", report.status?.id)
      writer.step(report.status?.step)
      if let restored = report.restored { writer.backup("restored", restored) }
      writer.endObject()
    }
  }

  /// Reads that answer.
  ///
  /// - Throws: `badRequest` if it is none.
  package static func restore(_ json: JSON) throws(BrumeError) -> RestoreReport {
    let object = try json.asObject("the reply")
    let step = try object.step()
    return RestoreReport(
      obstacle: try object.string("obstacle"), restarts: try object.bool("restarts") ?? false,
      status: try step.map { step throws(BrumeError) in
        RestoreStatus(id: try object.requiredString("id"), step: step)
      },
      restored: try object.backup("restored"))
  }

  /// What is in a backup, for the file that the next start reads.
  package static func backup(_ summary: BackupSummary) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.backup("backup", summary)
      writer.endObject()
    }
  }

  /// Reads what is in a backup.
  ///
  /// - Throws: `badRequest` if it does not say it.
  package static func backup(_ json: JSON) throws(BrumeError) -> BackupSummary {
    let object = try json.asObject("the backup")
    return try object.required("backup", try object.backup("backup"))
  }
}

extension JSONWriter {
  fileprivate mutating func backup(_ key: StaticString, _ summary: BackupSummary) {
    name(key)
    beginObject()
    member("id", summary.id)
    member("made", summary.made)
    member("rows", summary.rows)
    member("assets", summary.assets)
    member("bytes", summary.bytes)
    member("missing", summary.missing)
    endObject()
  }

  fileprivate mutating func step(_ step: RestoreStatus.Step?) {
    switch step {
    case nil: member("state", "none")
    case .receiving(let bytes):
      member("state", "receiving")
      member("bytes", bytes)
    case .checking(let bytes, let all):
      member("state", "checking")
      member("bytes", bytes)
      member("of", all)
    case .writing(let rows, let bytes):
      member("state", "writing")
      member("rows", rows)
      member("bytes", bytes)
    case .ready(let summary):
      member("state", "ready")
      backup("backup", summary)
    case .failed(let reason):
      member("state", "failed")
      member("reason", reason)
    case .applied(let summary):
      member("state", "applied")
      backup("backup", summary)
    }
  }
}

extension JSONObject {
  fileprivate func backup(_ key: String) throws(BrumeError) -> BackupSummary? {
    guard let object = try object(key) else { return nil }
    return BackupSummary(
      id: try object.requiredString("id"), made: try object.int("made") ?? 0,
      rows: try object.int("rows") ?? 0, assets: try object.int("assets") ?? 0,
      bytes: try object.int("bytes") ?? 0, missing: try object.int("missing") ?? 0)
  }

  fileprivate func step() throws(BrumeError) -> RestoreStatus.Step? {
    let bytes = try int("bytes") ?? 0
    switch try string("state") {
    case "receiving": return .receiving(bytes)
    case "checking": return .checking(bytes, of: try int("of") ?? 0)
    case "writing": return .writing(rows: try int("rows") ?? 0, bytes: bytes)
    case "ready": return .ready(try required("backup", try backup("backup")))
    case "failed": return .failed(try string("reason") ?? "")
    case "applied": return .applied(try required("backup", try backup("backup")))
    default: return nil
    }
  }
}
