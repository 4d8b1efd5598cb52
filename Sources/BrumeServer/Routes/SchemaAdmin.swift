// Schemas, for the command line and the console: show, check, compare, import, indexes, deployment.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeWire

struct SchemaAdmin: Sendable {
  let schemas: Schemas
  let uses: IndexUses
  /// Mistakes that one answer lists.
  let mostFaults: Int

  func show(_ call: Call) async throws -> Reply {
    let schema = try await schemas.current(of: call.containerEnvironment)
    return .json(["schema": .string(schema.text())])
  }

  /// How often queries of apps used indexes, and lacked some.
  func usage(_ call: Call) async throws -> Reply {
    .json(Wire.indexUses(uses.all(in: call.containerEnvironment), since: uses.since))
  }

  /// Where a text is wrong; asks no store.
  func validate(_ call: Call) async throws -> Reply {
    let text = try call.json().text("schema")
    let faults = Schema.faults(of: text, limit: mostFaults)
    let types = faults.isEmpty ? try Schema(parsing: text).recordTypes.count : nil
    return .json(Wire.schemaFaults(faults, recordTypes: types))
  }

  /// What the schema would become with a text; without one, what production would become by a deployment.
  func difference(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    guard let text = try call.object().string("schema") else {
      return .json(
        Wire.schemaDifference(
          try await schemas.differenceOfDeployment(containerEnvironment.container)))
    }
    return .json(
      Wire.schemaDifference(try await schemas.difference(to: text, in: containerEnvironment)))
  }

  func importText(_ call: Call) async throws -> Reply {
    let json = try call.object()
    try await schemas.replace(
      by: json.text("schema"), in: call.containerEnvironment,
      allowsDrops: json.bool("allowDrops") ?? false, of: json.drops())
    return try await show(call)
  }

  /// Makes production's schema what development's is; answers production's. A dry run answers the changes.
  func deploy(_ call: Call) async throws -> Reply {
    let container = call.containerEnvironment.container
    if try call.object().bool("dryRun") ?? false {
      return .json(Wire.schemaDifference(try await schemas.differenceOfDeployment(container)))
    }
    try await schemas.deploy(container)
    let schema = try await schemas.current(of: ContainerEnvironment(container, .production))
    return .json(["schema": .string(schema.text())])
  }

  /// Makes development's schema what production's is; answers the changes.
  func reset(_ call: Call) async throws -> Reply {
    guard call.databasePath.environment != .production else {
      throw BrumeError(
        .badRequest, "production's schema cannot be reset; name the development environment")
    }
    let container = call.containerEnvironment.container
    let difference = try await schemas.differenceOfReset(container)
    let json = try call.object()
    if !(try json.bool("dryRun") ?? false) {
      try await schemas.reset(container, dropping: json.drops())
    }
    return .json(Wire.schemaDifference(difference))
  }

  func index(_ call: Call) async throws -> Reply {
    let json = try call.object()
    guard let index = try Schema.Index(rawValue: json.text("index").uppercased()) else {
      throw BrumeError(.badRequest, "'index' must be queryable, sortable or searchable")
    }
    let isOn = try json.required("on", json.bool("on"))
    try await schemas.setIndex(
      index, on: json.text("field"), of: json.text("type"), to: isOn, in: call.containerEnvironment)
    let place = call.containerEnvironment
    let schema = try await schemas.current(of: place)
    return .json([
      "schema": .string(schema.text()), "container": .string(place.container.name),
      "environment": .string(place.environment.rawValue),
    ])
  }
}

extension JSONObject {
  /// The record types that somebody has agreed to lose; nil: whichever they are.
  fileprivate func drops() throws(BrumeError) -> Set<String>? { try strings("drops").map(Set.init) }
}
