// What a file of `brume export` says of itself. It is read to its last line before anything of it is saved: half of an
// export must not replace records.

import BrumeModel
import BrumeWire

struct ArchiveCheck {
  /// In how many fields each file is, by its checksum.
  private(set) var uses: [String: Int] = [:]
  private var records: Int64 = 0
  private var total: Int64?

  /// - Throws: `CommandFailure` if the file is no whole export.
  init(_ path: String, _ progress: TerminalProgress) throws {
    var reader = try ArchiveReader(path)
    while let json = try reader.next() {
      progress.show("checking the file", reader.position, of: reader.size)
      do throws(BrumeError) { try take(json) } catch {
        throw UserArchive.damaged(path, error.reason)
      }
    }
    guard total == records else {
      throw UserArchive.damaged(path, "it has \(records) records and should have \(total ?? 0)")
    }
  }

  private mutating func take(_ json: JSON) throws(BrumeError) {
    switch try ExportLine(json: json) {
    case .record(let record)?:
      records += 1
      for file in record.files { uses[file.fileChecksum, default: 0] += 1 }
    case .end(let count)?: total = count
    case .heading?, .zone?, .file?, .piece?: break
    case nil: throw BrumeError(.badRequest, "it has a line that is none of an export's")
    }
  }
}
