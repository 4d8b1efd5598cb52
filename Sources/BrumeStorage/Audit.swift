// The port's part for the bounded log of what operators did.

package import BrumeModel

/// What of the audit log is kept. Refused requests count by themselves, so that whoever may do nothing
/// drives out no line of who did something.
package struct AuditBounds: Equatable, Sendable {
  /// How many lines that were not refused are kept.
  package let lines: Int
  /// How many refused ones.
  package let refusals: Int
  /// Lines of before this go.
  package let oldest: Milliseconds

  package init(lines: Int, refusals: Int, oldest: Milliseconds) {
    self.lines = lines
    self.refusals = refusals
    self.oldest = oldest
  }

  /// Those of a server at a time.
  package init(_ limits: Limits, at now: Milliseconds) {
    self.init(
      lines: limits.auditLines, refusals: limits.auditRefusals, oldest: now - limits.auditLifetime)
  }
}

/// Every call throws what ``ReadTransaction`` says.
package protocol AuditReading: AnyObject {
  /// The newest `limit` lines before `position` that the filter admits, newest first.
  func entries(
    _ filter: AuditFilter, before position: Int64, limit: Int
  ) throws -> [AuditEntry]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol AuditWriting: AuditReading {
  /// Adds a line (its `position` is ignored) and drops what is outside the bounds.
  func append(_ entry: AuditEntry, keeping bounds: AuditBounds) throws
  /// Says what came of a request whose line has no status yet.
  func setStatus(_ status: Int, ofRequest requestID: String) throws
}
