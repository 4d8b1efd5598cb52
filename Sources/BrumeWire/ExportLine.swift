// A line of the file of `brume export`, which is one JSON object a line. Files come before the records that hold them,
// as pieces in base64, so that both directions read and write line by line.
//
//   {"brume": "export", "version": 1, "user": …, "owner": …}
//   {"zone": "Trails"}
//   {"file": CHECKSUM, "size": N}   {"data": BASE64} …
//   {"record": {…}}                 as CloudKit's HTTP protocol has it
//   {"end": true, "records": N}     so that a file that was cut short is noticed

package import BrumeModel

/// One line of an export, read or to be written.
package enum ExportLine: Equatable, Sendable {
  /// What a file begins with: whose database it is, and the record name that its owner had.
  case heading(version: Int64?, user: String?, owner: String?)
  /// The zone of the records that follow.
  case zone(String)
  /// The checksum of a file, whose pieces follow.
  case file(String)
  case piece([UInt8])
  case record(Record)
  /// How many records there are in all.
  case end(records: Int64?)

  /// Nil for a line that is none of an export's.
  ///
  /// - Throws: what is wrong with a record.
  package init?(json: JSON) throws(BrumeError) {
    if json["brume"] == "export" {
      self = .heading(
        version: json["version"]?.int, user: json["user"]?.string, owner: json["owner"]?.string)
    } else if let zone = json["zone"]?.string {
      self = .zone(zone)
    } else if let checksum = json["file"]?.string {
      self = .file(checksum)
    } else if let piece = json["data"]?.string.flatMap({ Base64.bytes($0) }) {
      self = .piece(piece)
    } else if let record = json["record"] {
      self = .record(try Record(json: record))
    } else if json["end"] == true {
      self = .end(records: json["records"]?.int)
    } else {
      return nil
    }
  }
}
