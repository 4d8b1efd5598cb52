// brume user: accounts of the server.

import ArgumentParser
import BrumeWire

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "The server's accounts.",
    subcommands: [Create.self, Change.self, List.self, Token.self, SignOut.self, Delete.self])

  /// What an account holds besides its name.
  struct Attributes: ParsableArguments {
    @Option(help: "An address that others may find the user by.") var email: String?
    @Option(help: "A phone number that others may find the user by.") var phone: String?
    @Option(help: "The given name.") var givenName: String?
    @Option(help: "The family name.") var familyName: String?
    @Option(
      help: ArgumentHelp(
        "A file whose first line is the password for the sign-in page; - reads it from standard "
          + "input.", valueName: "file"))
    var passwordFile: String?
    @Flag(inversion: .prefixedNo, help: "Whether others may find the user by address.")
    var discoverable: Bool?

    func add(to body: inout JSONObject) throws {
      body["email"] = email.map { .string($0) }
      body["phone"] = phone.map { .string($0) }
      body["givenName"] = givenName.map { .string($0) }
      body["familyName"] = familyName.map { .string($0) }
      body["discoverable"] = discoverable.map { .bool($0) }
      body["password"] = try passwordFile.map { .string(try PasswordInput.firstLine(of: $0)) }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an account.", aliases: ["add"])
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @OptionGroup var attributes: Attributes

    func run() async throws {
      var body = JSONObject()
      body["name"] = .string(name)
      try attributes.add(to: &body)
      let user = try await server.connect().post("users", .object(body))
      answer.show(
        user, [user["recordName"]?.string],
        said: "made '\(name)'; 'brume user token \(name)' signs them in")
    }
  }

  struct Change: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Change an account.",
      discussion: "An empty text removes an attribute. A new password ends the user's sessions.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String
    @OptionGroup var attributes: Attributes

    func run() async throws {
      var body = JSONObject()
      body["user"] = .string(name)
      try attributes.add(to: &body)
      let changed = try await server.connect().post("users/change", .object(body))
      answer.show(changed, said: "changed '\(name)'")
    }
  }

  struct SignOut: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signout", abstract: "End every session of a user, on all devices.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String

    func run() async throws {
      let done = try await server.connect().post("users/signout", ["user": .string(name)])
      answer.show(done, said: "'\(name)' has to sign in again everywhere")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a user with everything they own.",
      discussion: """
        Zones with their records, shares, subscriptions, devices and sessions go, and joined shares are \
        left. Public records that the user made stay. --dry-run says what that is.
        """)
    @OptionGroup var server: ServerOptions
    @Argument(help: "The sign-in name.") var name: String
    @Flag(help: "Only show what would go.") var dryRun = false
    @OptionGroup var answer: AnswerOption

    func run() async throws {
      let removal = try await server.connect().post(
        "users/delete", ["user": .string(name), "dryRun": .bool(dryRun)],
        within: ServerConnection.patience)
      let places = removal["containers"]?.array ?? []
      if answer.json || places.isEmpty {
        answer.show(removal)
      } else {
        Listing([
          "container", "environment", "zones", "subscriptions", "devices", "waiting",
          "participants", "joinedShares", "roles",
        ]).show(places, asJSON: false)
      }
      let rest = places.isEmpty ? "of whom nothing is stored" : "and what is listed above"
      Output.say(dryRun ? "would delete '\(name)' \(rest)" : "deleted '\(name)'")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the accounts.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let listing = Listing(["name", "recordName", "email", "phone"])
      var widths: [Int] = []
      try await server.connect().eachPage(of: "users") { page in
        widths = listing.show(page["users"]?.array ?? [], asJSON: json, after: widths)
      }
    }
  }

  struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a web auth token, valid for two weeks, that signs a user in.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The sign-in name.") var name: String

    func run() async throws {
      let made = try await server.connect().post("users/token", ["user": .string(name)])
      answer.show(made, [made["token"]?.string])
    }
  }
}
