// The director's end of a device process: sends commands, keeps what the device says, and waits for
// what must come.

import Foundation
import Synchronization

/// A running device. Lines arrive on a reader's queue; waiting is bounded.
final class DeviceProcess: Sendable {
  let name: String
  private let process: Process
  private let input: FileHandle
  private let inbox: MessageInbox
  private let timeline: Timeline

  init(
    name: String, app: String, environment: [String: String], timeline: Timeline
  ) throws {
    self.name = name
    self.timeline = timeline
    let inbox = MessageInbox()
    self.inbox = inbox
    process = ChildProgram.process(["demo-device", app], environment)
    let (toDevice, fromDevice) = (Pipe(), Pipe())
    process.standardInput = toDevice
    process.standardOutput = fromDevice
    input = toDevice.fileHandleForWriting
    try process.run()
    Thread.detachNewThread { inbox.read(fromDevice.fileHandleForReading) }
  }

  /// Asks the app to do something and shows what it answers.
  @discardableResult
  func perform(_ command: String, _ arguments: String...) async throws -> String {
    switch try await ask([command] + arguments) {
    case .reply(let text):
      timeline.say(name, text)
      return text
    case .failure(let code, let text):
      throw DemoFailure("\(name): '\(command)' failed with CKError \(code): \(text)")
    case .push, .reaction, .ended: throw DemoFailure("\(name) answered out of turn")
    }
  }

  /// Asks the app to do something that must fail, and shows the error.
  func performExpectingError(_ command: String) async throws -> (code: Int, text: String) {
    guard case .failure(let code, let text) = try await ask([command]) else {
      throw DemoFailure("\(name): '\(command)' should have failed and did not")
    }
    timeline.say(name, "CKError \(code): \(text)")
    return (code, text)
  }

  private func ask(_ words: [String]) async throws -> DeviceMessage {
    try input.write(contentsOf: Data((words.joined(separator: "\t") + "\n").utf8))
    return try await inbox.next(on: .answers, from: name, after: words[0])
  }

  /// The next push, with what the app did about it.
  func push() async throws -> Push {
    guard case .push(let push) = try await inbox.next(on: .pushes, from: name, after: "a push")
    else { throw DemoFailure("\(name) died while a push was due") }
    timeline.say(name, "← push: \(push.summary)")
    guard case .reaction(let text) = try await inbox.next(on: .reactions, from: name, after: "it")
    else { throw DemoFailure("\(name) died while it handled a push") }
    timeline.say(name, text)
    return push.reacting(text)
  }

  /// Pushes that arrived and that nobody has asked for.
  var unexpectedPushes: [Push] { inbox.waitingPushes }

  func stop() {
    try? input.close()
    process.terminate()
    process.waitUntilExit()
  }
}

/// What a device says.
enum DeviceMessage: Sendable {
  case reply(String)
  case failure(code: Int, text: String)
  case push(Push)
  case reaction(String)
  case ended
}

/// The demo did not go as documented.
struct DemoFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// This very program, started again as a server or a device.
enum ChildProgram {
  private static var brume: URL {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  }

  /// - Parameter variables: what it gets besides the variables that are not Brume's: those lead to other servers.
  static func process(_ arguments: [String], _ variables: [String: String] = [:]) -> Process {
    let process = Process()
    process.executableURL = brume
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment
      .filter { !$0.key.hasPrefix("BRUME_") }.merging(variables) { $1 }
    return process
  }
}
