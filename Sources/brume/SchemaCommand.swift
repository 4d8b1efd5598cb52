// brume schema: record types, fields and indexes of a container's environment. What compares and checks
// schemas is `SchemaChangeCommands.swift`.

import ArgumentParser
import BrumeWire
import FoundationEssentials

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Record types, fields and indexes.",
    subcommands: [
      Show.self, Export.self, ValidateSchema.self, DiffSchema.self, ImportSchema.self,
      DeploySchema.self, ResetSchema.self, IndexCommand.self, RoleCommand.self,
    ])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the schema in the schema language.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption

    func run() async throws {
      let schema = try await server.connect().get("schema")
      answer.show(schema, [schema["schema"]?.string ?? ""])
    }
  }

  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Write the schema into a file.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The file to write.") var file: String

    func run() async throws {
      let schema = try await server.connect().get("schema")
      do {
        try (schema["schema"]?.string ?? "").write(toFile: file, atomically: true, encoding: .utf8)
      } catch {
        throw CommandFailure("'\(file)' cannot be written; check its folder", .cannotCreate)
      }
      answer.show(schema, said: "wrote the schema into '\(file)'")
    }
  }

  struct IndexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "index", abstract: "What queries may use.",
      subcommands: [Add.self, Remove.self])
  }

  struct Field: ParsableArguments {
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The record type.") var type: String
    @Argument(help: "The field.") var field: String
    @Argument(help: "queryable, sortable or searchable.") var index: String

    func set(_ isOn: Bool, _ server: ServerOptions) async throws {
      let done = try await server.connect().post(
        "schema/index",
        [
          "type": .string(type), "field": .string(field), "index": .string(index),
          "on": .bool(isOn),
        ], within: ServerConnection.patience)
      let place =
        "in \(done["environment"]?.string ?? "") of container '\(done["container"]?.string ?? "")'"
      answer.show(
        done, said: "'\(field)' of \(type) is \(isOn ? "now" : "no longer") \(index) \(place)")
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Add an index to a field.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var field: Field
    func run() async throws { try await field.set(true, server) }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove an index from a field.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var field: Field
    func run() async throws { try await field.set(false, server) }
  }
}
