// brume operator invitation: links with which somebody becomes an operator and chooses their own password.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeWire

struct OperatorInvitationCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invitation",
    abstract: "One-time links with which somebody becomes an operator.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Invite somebody, and print the link, this once.",
      discussion: """
        Whoever opens the link chooses a password, or signs in at the server's OpenID provider, and is an operator of \
        that name from then on. The link is good once. Inviting the same name again makes the earlier link useless.
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @Flag(help: "The operator may only look.") var readOnly = false
    private static let longest = OperatorInvitations.longest
    @Option(help: "How many hours the link is good, \(Self.longest) at most. Without: a day.")
    var hours: Int64?

    func validate() throws {
      guard let hours, !(1...Self.longest).contains(hours) else { return }
      throw ValidationError(
        "--hours is '\(hours)'; an invitation is good for 1 to \(Self.longest) hours")
    }

    func run() async throws {
      let role: OperatorRole = readOnly ? .readOnly : .full
      var body = JSONObject()
      body["name"] = .string(name)
      body["role"] = .string(role.rawValue)
      body["hours"] = hours.map { .int($0) }
      let made = try await server.connect().post("operators/invitations", .object(body))
      answer.show(made, [made["url"]?.string])
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the invitations that nobody has used yet.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let all = try await server.connect().get("operators/invitations")["invitations"]?.array ?? []
      Listing(["name", "role", "operator", "created", "ends"], times: ["created", "ends"])
        .show(all, asJSON: json)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an invitation useless, at once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The name that was invited.") var name: String

    func run() async throws {
      let done = try await server.connect().post(
        "operators/invitations/revoke", ["name": .string(name)])
      answer.show(done, said: "took the invitation of '\(name)' back")
    }
  }
}
