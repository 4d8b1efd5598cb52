// One device of the demo, in a process of its own: it runs an app written against `CloudKit` and
// talks to the director in lines. Hidden from `brume help`; `brume demo` starts it.

import ArgumentParser
import BrumeKit
import Foundation

struct DemoDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo-device", abstract: "A device of the demo.", shouldDisplay: false)

  @Argument(help: "Which app the device runs.") var app: String

  func run() async throws {
    let container = CKContainer.default()
    guard let app = DemoApps.make(app, container: container) else {
      throw ValidationError("there is no demo app '\(app)'; choose one of \(DemoApps.names)")
    }
    let pushes = Task { await listen(to: container, app: app) }
    for await line in Self.commands() {
      let words = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      DeviceLine.reply(await answer(words[0], Array(words.dropFirst()), app: app)).write()
    }
    pushes.cancel()
  }

  /// Lines of standard input, read on a thread of their own.
  private static func commands() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }

  private func answer(_ command: String, _ arguments: [String], app: any DemoApp) async
    -> Result<String, any Error>
  {
    do { return .success(try await app.perform(command, arguments)) } catch {
      return .failure(error)
    }
  }

  /// What an app delegate does on an iPhone: each push goes to the app as a dictionary.
  private func listen(to container: CKContainer, app: any DemoApp) async {
    for await userInfo in Brume.remoteNotifications(for: container) {
      DeviceLine.push(userInfo).write()
      guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else {
        DeviceLine.reaction("not a CloudKit notification").write()
        continue
      }
      do {
        DeviceLine.reaction(try await app.received(notification)).write()
      } catch {
        DeviceLine.reaction("failed: \(error)").write()
      }
    }
  }
}
