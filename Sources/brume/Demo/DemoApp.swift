// What the director can ask of an app, whichever it is.

import BrumeKit
import Foundation

/// A small program written as one would for an iPhone, without its screen.
protocol DemoApp: AnyObject, Sendable {
  /// Does what a user's finger would do; answers what the screen would show.
  func perform(_ command: String, _ arguments: [String]) async throws -> String
  /// Reacts to a push; answers what it did.
  func received(_ notification: CKNotification) async throws -> String
}

enum DemoApps {
  static let names = "contacts, tasks, feed, whistles, shared"

  static func make(_ name: String, container: CKContainer) -> (any DemoApp)? {
    switch name {
    case "contacts": ContactsApp(container: container)
    case "tasks": TasksApp(container: container)
    case "feed": FeedApp(container: container)
    case "whistles": WhistlesApp(container: container)
    case "shared": SharedApp(container: container)
    default: nil
    }
  }
}

/// A command that the app does not know: the demo itself is wrong.
struct UnknownDemoCommand: Error, CustomStringConvertible {
  let description: String
  init(_ command: String) { description = "the app has no command '\(command)'" }
}
