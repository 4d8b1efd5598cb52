// brume operator: who administers the server, in the console and by programs.

import ArgumentParser
import BrumeModel
import BrumeWire

struct OperatorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "operator", abstract: "The people and programs that administer the server.",
    discussion: """
      Whoever can read the data folder needs none of these: its commands carry the folder's own token.
      """,
    subcommands: [
      Add.self, List.self, Remove.self, Password.self, Role.self, Link.self,
      OperatorInvitationCommand.self, OperatorTokenCommand.self,
    ])

  struct PasswordFile: ParsableArguments {
    @Option(
      help: ArgumentHelp(
        "A file whose first line is the password; - reads it from standard input. Without one it is "
          + "asked for.", valueName: "file"))
    var passwordFile: String?
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add an operator, who signs in to the console.",
      discussion: """
        With --openid the operator signs in through the server's OpenID provider and has no password. The \
        subject is the provider's own name for somebody; whoever tries to sign in without being an operator is shown it.
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @Flag(help: "The operator may only look.") var readOnly = false
    @Option(
      help: ArgumentHelp(
        "Who it is at the server's OpenID provider, instead of a password.", valueName: "subject"))
    var openid: String?
    @OptionGroup var password: PasswordFile

    func validate() throws {
      guard openid == nil || password.passwordFile == nil else {
        throw ValidationError(
          "an operator has a password or an --openid subject; leave one of them out")
      }
    }

    func run() async throws {
      let role: OperatorRole = readOnly ? .readOnly : .full
      var body = JSONObject()
      body["name"] = .string(name)
      body["role"] = .string(role.rawValue)
      if let openid {
        body["openid"] = .string(openid)
      } else {
        body["password"] = .string(try PasswordInput.newPassword(file: password.passwordFile))
      }
      let added = try await server.connect().post("operators", .object(body))
      answer.show(added, said: "added the operator '\(name)'")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the operators.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let all = try await server.connect().get("operators")["operators"]?.array ?? []
      Listing(["name", "role", "created", "openid"], times: ["created"]).show(all, asJSON: json)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove an operator, with all sessions and tokens, at once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String

    func run() async throws {
      let done = try await server.connect().post("operators/remove", ["name": .string(name)])
      answer.show(done, said: "removed the operator '\(name)'")
    }
  }

  struct Password: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set an operator's password, and end the operator's sessions.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @OptionGroup var password: PasswordFile

    func run() async throws {
      let text = try PasswordInput.newPassword(file: password.passwordFile)
      let done = try await server.connect().post(
        "operators/change", ["name": .string(name), "password": .string(text)])
      answer.show(done, said: "'\(name)' has to sign in again with the new password")
    }
  }

  struct Role: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say what an operator may do, from the next request on.",
      discussion: "Sessions and tokens stay, and may no more than their operator.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @Argument(help: "full, or read-only.") var role: String

    func run() async throws {
      let done = try await server.connect().post(
        "operators/change", ["name": .string(name), "role": .string(role)])
      answer.show(done, said: "'\(name)' has the role '\(role)' now")
    }
  }

  struct Link: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print a one-time link that makes the first operator.",
      discussion: """
        On a development server the link signs a browser in. It is good for 30 minutes. Further operators are \
        invited with 'brume operator invitation create'.
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption

    func run() async throws {
      let link = try await server.connect().post("operators/link", [:])
      answer.show(link, [link["url"]?.string])
    }
  }
}

/// What programs call the server with.
struct OperatorTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Admin tokens, for programs and other machines.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an admin token and print it, this once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "A name to know it by.") var name: String
    @Flag(help: "The token may only look.") var readOnly = false
    @Option(help: "How many days it is good. Without: until it is revoked.") var days: Int64?

    func run() async throws {
      let role: OperatorRole = readOnly ? .readOnly : .full
      var body = JSONObject()
      body["name"] = .string(name)
      body["role"] = .string(role.rawValue)
      body["days"] = days.map { .int($0) }
      let made = try await server.connect().post("operators/tokens", .object(body))
      answer.show(made, [made["token"]?.string])
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the admin tokens.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let all = try await server.connect().get("operators/tokens")["tokens"]?.array ?? []
      Listing(
        ["name", "role", "operator", "created", "lastUsed", "ends"],
        times: ["created", "lastUsed", "ends"]
      ).show(all, asJSON: json)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an admin token useless, at once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The token's name.") var name: String

    func run() async throws {
      let done = try await server.connect().post("operators/tokens/revoke", ["name": .string(name)])
      answer.show(done, said: "revoked the admin token '\(name)'")
    }
  }
}
