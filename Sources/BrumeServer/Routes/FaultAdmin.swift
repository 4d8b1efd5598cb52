// /_brume/admin/faults: faults of a development server, for tests of clients over HTTP.

import BrumeCore
import BrumeModel
import BrumeWire

struct FaultAdmin: Sendable {
  /// Nil outside development.
  let faults: PushFaults?
  let users: NamedUsers

  func list(_ call: Call) async throws -> Reply {
    let entries = try faultsOfDevelopment().injector.entries.map { entry -> JSON in
      guard case .object(var object) = entry.fault.json else { return .null }
      object["id"] = .int(Int64(entry.id))
      object["after"] = entry.after.map { .int(Int64($0)) }
      return .object(object)
    }
    return .json(["faults": .array(entries)])
  }

  /// `{"faults": […]}`: each begins when the one before it is used up.
  func add(_ call: Call) async throws -> Reply {
    let injector = try faultsOfDevelopment().injector
    guard let list = try call.object().array("faults"), !list.isEmpty else {
      throw BrumeError(.badRequest, "'faults' is missing: a list of faults that follow each other")
    }
    var faults: [Fault] = []
    for json in list {
      var fault = try Fault(json: json)
      // People name users by their sign-in name.
      if let name = fault.user?.name { fault.user = try await users.user(name).id }
      if case .changeAccount(let user?) = fault.effect {
        fault.effect = .changeAccount(to: try await users.user(user.name).id)
      }
      faults.append(fault)
    }
    return .json(["id": .int(Int64(try injector.add(faults)))])
  }

  func clear(_ call: Call) async throws -> Reply {
    try faultsOfDevelopment().injector.clear()
    return .empty
  }

  /// Delivers the pushes that were held back.
  func release(_ call: Call) async throws -> Reply {
    .json(["pushes": .int(Int64(try await faultsOfDevelopment().release()))])
  }

  private func faultsOfDevelopment() throws(BrumeError) -> PushFaults {
    guard let faults else {
      throw BrumeError(
        .accessDenied, "faults exist in development only; start the server with 'brume serve --dev'"
      )
    }
    return faults
  }
}
