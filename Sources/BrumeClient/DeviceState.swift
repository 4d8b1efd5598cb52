// What a device keeps between two runs of a program: its ID, and how far it has read its pushes.
// Plain files in the state directory; without one, nothing outlives the process.

package import BrumeModel
import Foundation

extension Configuration {
  /// The same settings with a device ID: the configured one, else the one that is kept.
  package func withDevice(new: () -> String) throws(CallFailure) -> Configuration {
    guard deviceID == nil else { return self }
    var settings = self
    settings.deviceID = try DeviceState(directory: stateDirectory).deviceID(new: new)
    settings.isDeviceMadeUp = stateDirectory == nil
    return settings
  }
}

extension Configuration {
  /// Keeps sessions of users apart, without being worth anything to whoever reads it; nil without a user.
  package var account: String? {
    userToken.map { token in
      var digest = ContentDigest()
      digest.update(data: Array(token.utf8))
      return Hex.text(digest.bytes().prefix(8))
    }
  }
}

/// The files of one device; without a directory everything is forgotten at once.
package struct DeviceState: Sendable {
  private let directory: String?

  package init(directory: String?) { self.directory = directory }

  /// The device's ID: the one that was kept, or a new one that is kept from now on.
  ///
  /// - Throws: `notConfigured` if the directory cannot be written.
  package func deviceID(new: () -> String) throws(CallFailure) -> DeviceID {
    if let kept = read("device"), !kept.isEmpty { return DeviceID(kept) }
    return DeviceID(try firstWritten("device", new()))
  }

  /// The position that was kept last for a stream, if it is this account's. Positions are of the whole
  /// server: one user's would acknowledge what waits for another.
  package func cursor(_ key: String, of account: String) -> String? {
    let lines = read(Self.cursorName(key))?.split(separator: "\n") ?? []
    return lines.count == 2 && lines[1] == account ? String(lines[0]) : nil
  }

  /// Keeps the position of a stream.
  ///
  /// - Throws: `notConfigured` if the directory cannot be written.
  package func keep(cursor: String, _ key: String, of account: String) throws(CallFailure) {
    try write(Self.cursorName(key), "\(cursor)\n\(account)")
  }

  /// One file for each server, container, environment and device.
  private static func cursorName(_ key: String) -> String { "place-" + fileName(key) }

  /// A text from outside as the name of a file.
  static func fileName(_ text: String) -> String {
    String(text.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." ? $0 : "_" })
  }

  private func read(_ name: String) -> String? {
    guard let directory else { return nil }
    return try? String(contentsOfFile: "\(directory)/\(name)", encoding: .utf8)
  }

  /// Writes a file, and answers what it has then: another program may have begun in the same moment, and been faster.
  private func firstWritten(_ name: String, _ text: String) throws(CallFailure) -> String {
    guard let directory else { return text }
    let own = "\(name)-\(text)"
    try write(own, text)
    defer { try? FileManager.default.removeItem(atPath: "\(directory)/\(own)") }
    do {
      try FileManager.default.linkItem(
        atPath: "\(directory)/\(own)", toPath: "\(directory)/\(name)")
    } catch {
      if let kept = read(name), !kept.isEmpty { return kept }
      // There is an empty one, or the file system has no links.
      try write(name, text)
    }
    return text
  }

  private func write(_ name: String, _ text: String) throws(CallFailure) {
    guard let directory else { return }
    do {
      try FileManager.default.createDirectory(
        atPath: directory, withIntermediateDirectories: true)
      try text.write(toFile: "\(directory)/\(name)", atomically: true, encoding: .utf8)
    } catch {
      throw .notConfigured(
        "the state directory '\(directory)' (BRUME_STATE_DIR) cannot be written: \(error)")
    }
  }
}
