// A backup on its way back into the server that runs: how far it is, for the operator who sent it.

/// What is in a backup, in a few numbers.
package struct BackupSummary: Equatable, Sendable {
  /// Of the backup.
  package let id: String
  package let made: Milliseconds
  package let rows: Int64
  package let assets: Int64
  package let bytes: Int64
  /// Assets whose bytes the server did not have that the backup was taken from.
  package let missing: Int64

  package init(
    id: String, made: Milliseconds, rows: Int64, assets: Int64, bytes: Int64, missing: Int64
  ) {
    self.id = id
    self.made = made
    self.rows = rows
    self.assets = assets
    self.bytes = bytes
    self.missing = missing
  }
}

/// How far a restore is.
package struct RestoreStatus: Equatable, Sendable {
  /// What is being done, or was done last.
  package enum Step: Equatable, Sendable {
    /// Bytes that arrived.
    case receiving(Int64)
    /// Bytes of the file that were read back and checked, of all.
    case checking(Int64, of: Int64)
    /// Rows and bytes of assets that were written beside the live data.
    case writing(rows: Int64, bytes: Int64)
    /// It waits for the operator's word.
    case ready(BackupSummary)
    /// With a sentence for the operator. The live data is as it was.
    case failed(String)
    /// The next start of the server takes it up.
    case applied(BackupSummary)
  }
  package let id: String
  package var step: Step

  package init(id: String, step: Step) {
    self.id = id
    self.step = step
  }
}

/// What the server says about restoring in place.
package struct RestoreReport: Equatable, Sendable {
  /// Why this server cannot do it, with what to do instead; nil: it can.
  package let obstacle: String?
  /// Whether it ends and starts by itself when a backup is applied.
  package let restarts: Bool
  /// Nil: nothing is under way.
  package let status: RestoreStatus?
  /// What this start of the server has taken up; nil: it started on what it had.
  package let restored: BackupSummary?

  package init(
    obstacle: String?, restarts: Bool, status: RestoreStatus?, restored: BackupSummary?
  ) {
    self.obstacle = obstacle
    self.restarts = restarts
    self.status = status
    self.restored = restored
  }
}
