// brume user: accounts of the server.

import ArgumentParser
import BrumeWire

struct UserCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "The server's accounts.",
    subcommands: [Create.self, List.self, Token.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make an account.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "The sign-in name.") var name: String
    @Option(help: "An address that others may find the user by.") var email: String?
    @Option(help: "The given name.") var givenName: String?
    @Option(help: "The family name.") var familyName: String?

    func run() async throws {
      var body = JSONObject()
      body["name"] = .string(name)
      body["email"] = email.map { .string($0) }
      body["givenName"] = givenName.map { .string($0) }
      body["familyName"] = familyName.map { .string($0) }
      let user = try await server.connect().post("users", .object(body))
      Output.line(user["recordName"]?.string ?? "")
      Output.say("made '\(name)'; 'brume user token \(name)' signs them in")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the accounts.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let users = try await server.connect().get("users")["users"]?.array ?? []
      Listing(["name", "recordName", "email"]).show(users, asJSON: json)
    }
  }

  struct Token: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a web auth token, valid for two weeks, that signs a user in.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "The sign-in name.") var name: String

    func run() async throws {
      let answer = try await server.connect().post("users/token", ["user": .string(name)])
      Output.line(answer["token"]?.string ?? "")
    }
  }
}

/// Shows a list of JSON objects.
struct Listing {
  let columns: [String]
  init(_ columns: [String]) { self.columns = columns }

  func show(_ items: [JSON], asJSON: Bool) {
    guard !asJSON else {
      for item in items { Output.line(item.bytes()) }
      return
    }
    let rows = items.map { item in
      columns.map { column in
        switch item[column] {
        case .string(let text): text
        case .int(let number): "\(number)"
        case .array(let texts): texts.compactMap(\.string).joined(separator: ",")
        default: "-"
        }
      }
    }
    Output.table([columns] + rows)
  }
}
