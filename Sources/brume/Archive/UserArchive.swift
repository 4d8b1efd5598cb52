// The file of `brume export`, as it is written and read: its lines are in BrumeWire's ExportLine.swift.

import BrumeModel
import BrumeWire
import Foundation

enum UserArchive {
  static let version: Int64 = 1
  /// Ours: the longest line that is read. A record has 8 MB with relaxed limits, and its texts may grow sixfold in JSON.
  static let lineBytes = 64 << 20

  static func damaged(_ file: String, _ why: String) -> CommandFailure {
    CommandFailure("'\(file)' is no whole export: \(why); export again", .data)
  }
}

/// Writes an export, for its owner's eyes only.
struct ArchiveWriter {
  private let handle: FileHandle
  private let path: String

  /// - Throws: if the file is there already or cannot be made.
  init(_ path: String) throws {
    self.path = path
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure("'\(path)' exists already; name a new file", .cannotCreate)
    }
    guard
      FileManager.default.createFile(
        atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let handle = FileHandle(forWritingAtPath: path)
    else { throw CommandFailure("'\(path)' cannot be written; check its folder", .cannotCreate) }
    self.handle = handle
  }

  func write(_ bytes: ArraySlice<UInt8>) throws {
    do {
      try handle.write(contentsOf: Data(bytes))
    } catch {
      throw CommandFailure("'\(path)' cannot be written: \(error.localizedDescription)", .disk)
    }
  }

  /// Everything is on the disk when this returns.
  func finish() throws {
    try handle.synchronize()
    try handle.close()
  }

  /// The file goes: what is in it is not whole.
  func discard() {
    try? handle.close()
    try? FileManager.default.removeItem(atPath: path)
  }
}

/// Reads an export line by line.
struct ArchiveReader {
  private let handle: FileHandle
  private let path: String
  private var buffer: [UInt8] = []
  private var start = 0
  /// Bytes of the file; 0 if it does not say, as a pipe.
  let size: Int64
  /// Bytes of the lines that were given out.
  private(set) var position: Int64 = 0

  init(_ path: String) throws {
    self.path = path
    guard let handle = FileHandle(forReadingAtPath: path) else {
      Output.say("Error: '\(path)' cannot be read; check its path")
      throw ExitStatus.noInput.code
    }
    self.handle = handle
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
  }

  /// The next line; nil at the end of the file.
  mutating func next() throws -> JSON? {
    while true {
      if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          position += Int64(end + 1 - start)
          start = end + 1
        }
        do throws(BrumeError) {
          return try JSON(parsing: Array(buffer[start..<end]))
        } catch {
          throw UserArchive.damaged(path, error.reason)
        }
      }
      buffer.removeFirst(start)
      start = 0
      guard buffer.count <= UserArchive.lineBytes else {
        throw UserArchive.damaged(path, "a line has more than \(UserArchive.lineBytes) bytes")
      }
      guard let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty else {
        guard buffer.isEmpty else { throw UserArchive.damaged(path, "its last line is cut") }
        return nil
      }
      buffer += piece
    }
  }
}
