// Files of an export until their records are saved, one behind the other in one temporary file: an export may have more
// files than a process may have open. Its room is given back whenever no file is waited for.

import BrumeClient
import BrumeModel
import Foundation

struct FileSpool {
  private let handle: FileHandle
  /// In how many fields each file still is; nil: nobody has counted, and all are kept.
  private var uses: [String: Int]?
  private var places: [String: Range<Int64>] = [:]
  private var current: String?
  private var end: Int64 = 0

  init(uses: [String: Int]?) throws {
    handle = try TemporaryFile.open()
    self.uses = uses
  }

  mutating func begin(_ checksum: String) {
    // One that no record holds would stay to the end, and all that come after it.
    guard uses.map({ $0[checksum, default: 0] > 0 }) ?? true else {
      current = nil
      return
    }
    current = checksum
    places[checksum] = end..<end
  }

  mutating func add(_ piece: [UInt8]) throws {
    guard let current, let place = places[current] else { return }
    do {
      try handle.seek(toOffset: UInt64(end))
      try handle.write(contentsOf: Data(piece))
    } catch {
      throw TemporaryFile.failure(error.localizedDescription)
    }
    end += Int64(piece.count)
    places[current] = place.lowerBound..<end
  }

  /// Nil if the export lacks it.
  func file(_ checksum: String) -> OutgoingFile? {
    places[checksum].map {
      OutgoingFile(partOf: handle, from: $0.lowerBound, size: $0.upperBound - $0.lowerBound)
    }
  }

  /// The record is saved.
  mutating func drop(filesOf record: Record) throws {
    for file in record.files {
      guard let count = uses?[file.fileChecksum] else { continue }
      uses?[file.fileChecksum] = count - 1
      if count <= 1 { places[file.fileChecksum] = nil }
    }
    guard places.isEmpty, end > 0 else { return }
    try handle.truncate(atOffset: 0)
    end = 0
  }
}
