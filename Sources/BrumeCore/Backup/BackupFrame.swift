// The frames that a backup file consists of, after the eight bytes that say what it is. Each has a hash of its
// kind, its place in the file and its content, so that a changed byte, a piece that is missing and one that moved
// are found where they are. The hash finds damage; it is no proof of who wrote the file.
//
// A frame: kind (1 byte), length of the content (4 bytes, big endian), hash (16 bytes), content.

import BrumeStorage
import Crypto

/// One frame, whose hash fits.
package struct BackupFrame: Equatable, Sendable {
  /// What the content is.
  package enum Kind: UInt8, Sendable {
    /// What the backup is of.
    case header = 0x48
    /// Rows of one table.
    case rows = 0x52
    /// Rows of one table that came or changed since an earlier backup, and keys of those that went.
    case changes = 0x43
    /// All rows are there.
    case rowsEnd = 0x45
    /// A piece of an asset.
    case asset = 0x41
    /// An asset whose bytes the server did not have.
    case missingAsset = 0x4d
    /// An asset whose bytes are in an earlier backup.
    case earlierAsset = 0x42
    /// All is there.
    case end = 0x5a
  }
  package let kind: Kind
  /// Where it begins in the file.
  package let offset: Int64
  package let content: [UInt8]

  package init(_ kind: Kind, at offset: Int64, _ content: [UInt8]) {
    self.kind = kind
    self.offset = offset
    self.content = content
  }

  /// Where it ends in the file.
  package var end: Int64 { offset + Int64(Self.headBytes + content.count) }

  /// As it is written.
  package var bytes: [UInt8] { [kind.rawValue] + Self.bigEndian(content.count) + hash + content }

  private var hash: [UInt8] {
    var hash = SHA256()
    hash.update(data: [kind.rawValue])
    withUnsafeBytes(of: offset.bigEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: content)
    return Array(hash.finalize().prefix(Self.hashBytes))
  }

  private static func bigEndian(_ count: Int) -> [UInt8] {
    withUnsafeBytes(of: UInt32(count).bigEndian) { Array($0) }
  }

  /// What a backup file begins with.
  package static let magic = Array("brumebk\n".utf8)
  /// Ours: the content of one frame. A page of rows is far below it, unless a single row is not.
  package static let mostBytes = 64 << 20
  private static let hashBytes = 16
  fileprivate static let headBytes = 1 + 4 + hashBytes
}

/// Why the bytes at a place of a file are no frame.
package struct BackupDamage: Error, Equatable, Sendable {
  /// Where the frame begins that is not whole, in bytes from the start of the file.
  package let offset: Int64
  /// Whether the file just ends there, as one that was cut or is still being written.
  package let isCut: Bool
}

/// The frames of a file, one after the other.
package struct BackupFrames {
  /// Answers at most so many bytes from an offset; fewer only at the end of the file.
  package typealias Read = (_ offset: Int64, _ count: Int) throws -> [UInt8]
  private let read: Read
  /// Where the next frame begins.
  package private(set) var position: Int64

  /// - Parameter position: where a frame begins; nil: behind the first bytes of the file.
  package init(from position: Int64? = nil, _ read: @escaping Read) {
    self.read = read
    self.position = position ?? Int64(BackupFrame.magic.count)
  }

  /// - Returns: nil at the end of the file.
  /// - Throws: `BackupDamage`, or what reading threw.
  package mutating func next() throws -> BackupFrame? {
    let head = try read(position, BackupFrame.headBytes)
    if head.isEmpty { return nil }
    guard head.count == BackupFrame.headBytes else {
      throw BackupDamage(offset: position, isCut: true)
    }
    let count = head[1..<5].reduce(0) { $0 << 8 | Int($1) }
    guard let kind = BackupFrame.Kind(rawValue: head[0]), count <= BackupFrame.mostBytes else {
      throw BackupDamage(offset: position, isCut: false)
    }
    let content = try read(position + Int64(head.count), count)
    let frame = BackupFrame(kind, at: position, content)
    guard content.count == count else { throw BackupDamage(offset: position, isCut: true) }
    guard frame.bytes.prefix(head.count) == head[...] else {
      throw BackupDamage(offset: position, isCut: false)
    }
    position = frame.end
    return frame
  }
}
