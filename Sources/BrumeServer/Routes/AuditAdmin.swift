// The audit log, for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeWire

struct AuditAdmin: Sendable {
  let log: Audit

  /// A page, newest first: `before` is the last position of the page before it.
  func list(_ call: Call) async throws -> Reply {
    var filter = AuditFilter()
    filter.operatorName = call.query["operator"]
    filter.requestID = call.query["request"]
    filter.since = try call.number("since")
    filter.until = try call.number("until")
    let (entries, next) = try await log.page(
      filter, before: call.number("before"), limit: Int(clamping: call.number("limit") ?? 100))
    return .json(Wire.audit(entries, next: next))
  }
}
