// What engines and backups hold. Checksums find damage before a reader sees it; these readers get bytes whose checksum
// is right, as after a fault of ours or by somebody who writes the file.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeServer
import BrumeStorage
import BrumeWire

extension Target {
  static let stored = [
    Target("row", longest: 1024) { bytes in
      readRecord(bytes)
      readSubscription(bytes)
    },
    Target("packed", longest: 256) { bytes in
      _ = try? EveryReader.read(bytes)
      _ = ServedDelivery.all(in: bytes)
      if let cursor = NotifierCursor(bytes), NotifierCursor(cursor.bytes) != cursor {
        wrong("a notifier's cursor is not what was stored")
      }
    },
    Target("positions", longest: 128) { bytes in
      let text = text(bytes)
      if let positions = try? LogPositions(text: text) {
        guard let again = try? LogPositions(text: positions.text), again == positions else {
          wrong("positions are not what was stored")
        }
      }
      guard Lines.texts(Lines.text(Lines.texts(text))) == Lines.texts(text) else {
        wrong("texts are not what was stored")
      }
    },
    Target("backup", longest: 2048) { bytes in readBackup(bytes) },
  ]

  private static func readRecord(_ bytes: [UInt8]) {
    guard let record = try? RecordCoder.wire.decode(bytes) else { return }
    guard let again = try? RecordCoder.wire.decode(RecordCoder.wire.encode(record)),
      again == record
    else { wrong("a record is not what was stored") }
  }

  private static func readSubscription(_ bytes: [UInt8]) {
    guard let subscription = try? Wire.subscription(bytes) else { return }
    guard let again = try? Wire.subscription(Wire.encode(subscription)), again == subscription
    else { wrong("a subscription is not what was stored") }
  }

  /// What a header of this version begins with: the kind `h` has it before its content.
  private static let headerStart: [UInt8] = {
    var packer = Packer()
    packer.add(BackupHeader.version)
    packer.add(
      MovedTable.allCases.map { table in
        let columns = table.columns.map(\.name).joined(separator: ",")
        return "\(table.rawValue) \(table.keyLength) \(columns)"
      }.joined(separator: "\n"))
    return packer.bytes
  }()

  /// Frames with a hash that is right around whatever content: kind and content of each, divided.
  private static func readBackup(_ bytes: [UInt8]) {
    var file = BackupFrame.magic
    for part in parts(bytes, 32) {
      guard let first = part.first else { continue }
      let content = Array(part.dropFirst())
      if first == UInt8(ascii: "h") {
        file += BackupFrame(.header, at: Int64(file.count), headerStart + content).bytes
      } else if let kind = BackupFrame.Kind(rawValue: first) {
        file += BackupFrame(kind, at: Int64(file.count), content).bytes
      } else {
        file += content
      }
    }
    let read: BackupFrames.Read = { [file] offset, count in
      guard offset < file.count else { return [] }
      return Array(file[Int(offset)..<min(file.count, Int(offset) + count)])
    }
    guard let report = try? BackupCheck.run(read), let backup = BackupFile(report, read) else {
      return
    }
    try? backup.survey()
    _ = try? backup.logPlaces()
    _ = try? backup.objects()
    var assets = backup.assets()
    while let next = try? assets.next() { _ = next }
  }
}
