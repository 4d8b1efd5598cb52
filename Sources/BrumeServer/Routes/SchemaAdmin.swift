// Schemas, for the command line: show, import, indexes, deployment.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeWire

struct SchemaAdmin: Sendable {
  let schemas: Schemas

  func show(_ call: Call) async throws -> Reply {
    let schema = try await schemas.current(of: call.containerEnvironment)
    return .json(["schema": .string(schema.text())])
  }

  func importText(_ call: Call) async throws -> Reply {
    try await schemas.replace(by: call.json().text("schema"), in: call.containerEnvironment)
    return try await show(call)
  }

  /// Makes production's schema what development's is; answers production's.
  func deploy(_ call: Call) async throws -> Reply {
    let container = call.containerEnvironment.container
    try await schemas.deploy(container)
    let schema = try await schemas.current(of: ContainerEnvironment(container, .production))
    return .json(["schema": .string(schema.text())])
  }

  func index(_ call: Call) async throws -> Reply {
    let json = try call.json()
    guard let index = try Schema.Index(rawValue: json.text("index").uppercased()) else {
      throw BrumeError(.badRequest, "an index is queryable, sortable or searchable")
    }
    guard let isOn = json["on"]?.bool else { throw BrumeError(.badRequest, "'on' is missing") }
    try await schemas.setIndex(
      index, on: json.text("field"), of: json.text("type"), to: isOn, in: call.containerEnvironment)
    return try await show(call)
  }
}
