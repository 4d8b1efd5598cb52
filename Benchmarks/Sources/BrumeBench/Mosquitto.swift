// The plain MQTT broker that fan-out is compared with, and as much of MQTT 3.1.1 as that takes.

import Foundation

final class Mosquitto {
  let port: UInt16
  private let process = Process()

  static let missing = "mosquitto is not installed (apt-get install mosquitto)"

  /// Nil if it is not installed.
  init?(folder: String) throws {
    guard let program = try? Programs.find("mosquitto", package: "mosquitto") else { return nil }
    port = try Programs.freePort()
    let settings = folder + "/mosquitto.conf"
    try "listener \(port) 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"
      .write(toFile: settings, atomically: true, encoding: .utf8)
    process.executableURL = URL(filePath: program)
    process.arguments = ["-c", settings]
    process.standardError = FileHandle.nullDevice
    try process.run()
    do { try Programs.wait(for: process, listeningAt: port) } catch {
      stop()
      throw error
    }
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
  }

  var processIdentifier: Int32 { process.processIdentifier }

  // MARK: Packets

  static func hello(_ name: String) -> [UInt8] {
    packet(0x10, text("MQTT") + [4, 2, 0, 0] + text(name))
  }
  static func subscribe(_ topic: String) -> [UInt8] { packet(0x82, [0, 1] + text(topic) + [0]) }
  static func publish(_ topic: String, _ payload: String) -> [UInt8] {
    packet(0x30, text(topic) + Array(payload.utf8))
  }

  private static func packet(_ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = body.count
    repeat {
      length.append(UInt8(rest % 128) | (rest >= 128 ? 0x80 : 0))
      rest /= 128
    } while rest > 0
    return [kind] + length + body
  }
  private static func text(_ text: String) -> [UInt8] {
    [UInt8(text.utf8.count >> 8), UInt8(text.utf8.count & 255)] + Array(text.utf8)
  }
}
