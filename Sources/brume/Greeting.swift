// What `brume serve` says when it is ready: where it is, and what to do first.

import BrumeModel
import BrumeServer
import BrumeStorage
import Logging

/// What `serve` says when it is ready.
enum Greeting {
  static func print(_ server: Composition) async throws {
    let settings = server.settings
    guard settings.logFormat == .text else { return try await log(server) }
    let engine =
      switch settings.engine {
      case .memory: "memory, forgotten at the end"
      case .sqlite: "SQLite"
      case .postgres: "PostgreSQL"
      }
    Output.announce("Brume serves \(server.url)")
    let link = try await link(server)
    let console = settings.isDevelopment ? link : nil
    Output.announce("  console    \(console ?? "\(server.url)/_brume/console/")")
    Output.announce("  storage    \(engine)")
    Output.announce("  data       \(server.folder?.path ?? settings.dataFolder)")
    if settings.isClockManual {
      let time = ISODate.text(server.clock.shown(most: 0).now)
      Output.announce("  clock      stands at \(time); 'brume clock advance 1m' moves it")
    }
    if let warning = try await warning(server) { Output.announce("  warning    \(warning)") }
    if settings.isDevelopment {
      // The address signs one browser in.
      try await ready(server)
    } else {
      if let link {
        Output.announce("  operator   none yet; this makes the first one, once, within 30 minutes:")
        Output.announce("             \(link)")
      }
      try await access(server)
    }
    Output.announce("Stop with Ctrl-C.")
  }

  /// Who may call a server that is not for development, and what makes others.
  private static func access(_ server: Composition) async throws {
    let (users, tokens) = try await server.store.read {
      (try $0.users.count(), try $0.credentials.apiTokens().count)
    }
    let known =
      users == 0 && tokens == 0
      ? "nobody has access until you give it, in another terminal:"
      : "users: \(users), API tokens: \(tokens); more are made in another terminal:"
    Output.announce("  accounts   \(known)")
    Output.announce("             brume user create NAME\(option(server))")
    Output.announce(
      "             brume token create NAME --container iCloud.org.example.app --environment production"
        + option(server))
  }

  /// Nil also if the disk has no room for one: the server is there all the same.
  private static func link(_ server: Composition) async throws -> String? {
    do { return try await server.oneTimeLink() } catch let error as StoreError
      where error.code == .noRoom
    {
      server.logger.warning(
        "the disk is full: there is no link that signs an operator in; 'brume operator link' makes one when there is room"
      )
      return nil
    }
  }

  /// Nil: development mode opens nothing that it did not make.
  private static func warning(_ server: Composition) async throws -> String? {
    guard server.settings.isDevelopment, try await server.development.hasOthers() else {
      return nil
    }
    return "the folder has operators or accounts that --dev did not make or that have a password, "
      + "and --dev opens it without one"
  }

  /// What leads a command to this server; nothing if its own default does.
  private static func option(_ server: Composition) -> String {
    guard server.settings.dataFolder != Setting.data.fallback, let folder = server.folder else {
      return ""
    }
    return " --data '\(folder.absolutePath)'"
  }

  /// One line among those of the log. It is read by more people and programs than may become an operator, so it has no link
  /// and no credentials.
  private static func log(_ server: Composition) async throws {
    let settings = server.settings
    var metadata: Logger.Metadata = [
      "url": "\(server.url)", "storage": "\(settings.engine.name)",
      "data": "\(server.folder?.path ?? settings.dataFolder)",
    ]
    if let warning = try await warning(server) { server.logger.warning("\(warning)") }
    if settings.isDevelopment {
      _ = try await server.development.prepare(
        in: ContainerEnvironment(settings.container, .development))
    } else if try await link(server) != nil {
      metadata["operator"] = "none yet; 'brume operator link' prints what makes the first one"
    }
    server.logger.notice("Brume serves", metadata: metadata)
  }

  private static func ready(_ server: Composition) async throws {
    let ready = try await server.development.prepare(
      in: ContainerEnvironment(server.settings.container, .development))
    Output.announce("  container  \(ready.container)")
    Output.announce("  users      \(ready.accounts.map(\.name).joined(separator: ", "))")
    Output.announce(
      "For a client ('brume status --format env\(option(server))' prints them again, with new tokens of the users):"
    )
    for (name, value) in ready.variables { Output.announce("\(name)=\(value)") }
  }
}
