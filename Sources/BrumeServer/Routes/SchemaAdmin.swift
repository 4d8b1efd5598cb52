// Schemas, for the command line: show, import, indexes, deployment.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeWire

enum SchemaAdmin {
  static func show(_ call: Call) async throws -> Reply {
    let schema = try await call.engine.schemas.current(
      of: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    return .json(["schema": .string(schema.text())])
  }

  static func importText(_ call: Call) async throws -> Reply {
    try await call.engine.schemas.replace(
      by: call.json().text("schema"), in: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    return try await show(call)
  }

  /// Makes production's schema what development's is; answers production's.
  static func deploy(_ call: Call) async throws -> Reply {
    let container = call.containerEnvironment.container
    try await call.engine.schemas.deploy(container)
    let schema = try await call.engine.schemas.current(of: container, environment: .production)
    return .json(["schema": .string(schema.text())])
  }

  static func index(_ call: Call) async throws -> Reply {
    let json = try call.json()
    guard let index = try Schema.Index(rawValue: json.text("index").uppercased()) else {
      throw BrumeError(.badRequest, "an index is queryable, sortable or searchable")
    }
    guard let isOn = json["on"]?.bool else { throw BrumeError(.badRequest, "'on' is missing") }
    try await call.engine.schemas.setIndex(
      index, on: json.text("field"), of: json.text("type"), to: isOn,
      container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    return try await show(call)
  }
}
