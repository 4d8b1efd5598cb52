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
    filter.since = try number("since", call)
    filter.until = try number("until", call)
    let (entries, next) = try await log.page(
      filter, before: number("before", call), limit: Int(clamping: number("limit", call) ?? 100))
    return .json(Wire.audit(entries, next: next))
  }

  private func number(_ name: String, _ call: Call) throws(BrumeError) -> Int64? {
    guard let text = call.query[name] else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw BrumeError(
        .badRequest,
        "the parameter '\(name)' must be a whole number, not negative; times are "
          + "milliseconds since 1970")
    }
    return number
  }
}
