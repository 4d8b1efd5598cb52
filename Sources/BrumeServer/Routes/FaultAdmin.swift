// /_brume/admin/faults: faults of a development server, for tests of clients over HTTP.

import BrumeCore
import BrumeModel
import BrumeWire

enum FaultAdmin {
  static func list(_ call: Call) async throws -> Reply {
    let entries = try injector(call).entries.map { entry -> JSON in
      guard case .object(var object) = entry.fault.json else { return .null }
      object["id"] = .int(Int64(entry.id))
      object["after"] = entry.after.map { .int(Int64($0)) }
      return .object(object)
    }
    return .json(["faults": .array(entries)])
  }

  /// `{"faults": […]}`: each begins when the one before it is used up.
  static func add(_ call: Call) async throws -> Reply {
    let injector = try injector(call)
    guard let list = try call.json()["faults"]?.array, !list.isEmpty else {
      throw BrumeError(.badRequest, "'faults' is missing: a list of faults that follow each other")
    }
    var faults: [Fault] = []
    for json in list {
      var fault = try Fault(json: json)
      // People name users by their sign-in name.
      if let name = fault.user?.name { fault.user = try await call.account(named: name).id }
      if case .changeAccount(let user?) = fault.effect {
        fault.effect = .changeAccount(to: try await call.account(named: user.name).id)
      }
      faults.append(fault)
    }
    return .json(["id": .int(Int64(try injector.add(faults)))])
  }

  static func clear(_ call: Call) async throws -> Reply {
    try injector(call).clear()
    return .empty
  }

  /// Delivers the pushes that were held back.
  static func release(_ call: Call) async throws -> Reply {
    _ = try injector(call)
    return .json(["pushes": .int(Int64(try await call.server.releasePushes()))])
  }

  private static func injector(_ call: Call) throws(BrumeError) -> FaultInjector {
    guard let injector = call.server.faults else {
      throw BrumeError(
        .accessDenied, "faults exist in development only; start the server with 'brume serve --dev'"
      )
    }
    return injector
  }
}
