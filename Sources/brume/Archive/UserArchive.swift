// The file of `brume export`, as it is written and read: its lines are in BrumeWire's ExportLine.swift.

import BrumeModel
import BrumeServer
import BrumeStorage
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

/// Writes an export, for its owner's eyes only: into FILE.part, which gets its name when all is there.
struct ArchiveWriter {
  private let part: DiskFile
  private let path: String

  /// - Throws: if the file is there already, cannot be made, or another export writes it.
  init(_ path: String) throws {
    self.path = path
    guard !DiskFile.exists(path) else {
      throw CommandFailure("'\(path)' exists already; name a new file", .cannotCreate)
    }
    do throws(StoreError) {
      part = try DiskFile.appending("\(path).part")
      // What is there of an attempt that was cut short.
      try part.truncate(to: 0)
    } catch {
      let advice = error.code == .inUse ? "" : "; check its folder"
      throw CommandFailure(error.description + advice, .cannotCreate)
    }
  }

  func write(_ bytes: ArraySlice<UInt8>) throws { try part.append(bytes) }

  /// Everything is on the disk when this returns.
  func finish() throws { try part.finish(as: path) }

  /// What is there is not whole.
  func discard() { DiskFile.remove(part.path) }
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
      throw CommandFailure("'\(path)' cannot be read; check its path", .noInput)
    }
    self.handle = handle
    // Of what was opened: /dev/stdin and /dev/fd/63 are links, which have a size of their own.
    var status = stat()
    let isFile = fstat(handle.fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    size = isFile ? Int64(status.st_size) : 0
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
