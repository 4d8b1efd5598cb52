// What this server was used for, and what users store: for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeWire

struct UsageAdmin: Sendable {
  let usage: Usage
  let storage: StorageReports
  let users: NamedUsers

  func show(_ call: Call) async throws -> Reply {
    let name = call.query["span"] ?? UsageSpan.day.rawValue
    guard let span = UsageSpan(rawValue: name) else {
      let spans = UsageSpan.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "'span' is '\(NameRules.shown(name))'; it may be one of \(spans)")
    }
    return .json(Wire.usage(usage.report(span)))
  }

  /// What the user of `user` holds, or all users, page by page.
  func stored(_ call: Call) async throws -> Reply {
    if let name = call.query["user"] {
      return .json(Wire.storage(try await storage.report(on: users.user(name))))
    }
    let part = try ListRequest(after: call.query["after"], limit: call.query["limit"])
    return .json(Wire.storage(try await storage.page(after: part.after, limit: part.limit)))
  }
}
