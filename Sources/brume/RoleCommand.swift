// brume schema role: who has which of a container's own security roles.

import ArgumentParser
import BrumeWire

struct RoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "role", abstract: "Who has which security role in the public database.",
    discussion: "A role and what it may do are in the schema: CREATE ROLE and GRANT.",
    subcommands: [Assign.self, Remove.self, List.self])

  struct Member: ParsableArguments {
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The role.") var role: String
    @Argument(help: "The user's sign-in name.") var user: String

    func set(_ isOn: Bool, _ server: ServerOptions) async throws {
      let done = try await server.connect().post(
        "roles", ["role": .string(role), "user": .string(user), "on": .bool(isOn)])
      answer.show(done, said: "'\(user)' \(isOn ? "has" : "no longer has") the role \(role)")
    }
  }

  struct Assign: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a user a role.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var member: Member
    func run() async throws { try await member.set(true, server) }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take a role away from a user.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var member: Member
    func run() async throws { try await member.set(false, server) }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List who has a role.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let members = try await server.connect().get("roles")["members"]?.array ?? []
      Listing(["role", "user"]).show(members, asJSON: json)
    }
  }
}
