// What this server was used for, and what users store: for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct UsageAdmin: Sendable {
  let usage: Usage
  let storage: StorageReports
  let users: NamedUsers

  func show(_ call: Call) async throws -> Reply {
    .json(Wire.usage(usage.report(try call.span())))
  }

  /// What the user of `user` holds, or all users, page by page.
  func stored(_ call: Call) async throws -> Reply {
    if let name = call.query["user"] {
      return .json(Wire.storage(try await storage.report(on: users.user(name))))
    }
    let part = try ListRequest(after: call.query["after"], limit: call.query["limit"])
    return .json(Wire.storage(try await storage.page(after: part.after, limit: part.limit)))
  }

  /// What the users who store most stored over time.
  func storedOverTime(_ call: Call) async throws -> Reply {
    let report = usage.storageReport(try call.span())
    let names = try await users.names(of: Set(report.users.map(\.user)))
    var object = JSONObject()
    object["span"] = .string(report.span.rawValue)
    object["step"] = .int(report.step)
    object["from"] = .int(report.from)
    object["steps"] = .int(Int64(report.steps))
    // Who was deleted since has no name any more.
    object["users"] = .array(
      report.users.compactMap { series in names[series.user].map { series.json(named: $0) } })
    return .json(.object(object))
  }
}

extension StorageOverTime.Series {
  fileprivate func json(named name: String) -> JSON {
    [
      "user": .string(name), "recordName": .string(user.name),
      "samples": .array(
        samples.map { time, size in
          [
            "time": .int(time), "records": .int(size.records), "bytes": .int(size.bytes),
            "whole": .bool(size.isWhole),
          ]
        }),
    ]
  }
}

extension Call {
  /// Over which time; without it a day.
  fileprivate func span() throws(BrumeError) -> UsageSpan {
    let name = query["span"] ?? UsageSpan.day.rawValue
    guard let span = UsageSpan(rawValue: name) else {
      let spans = UsageSpan.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "'span' is '\(NameRules.shown(name))'; it may be one of \(spans)")
    }
    return span
  }
}
