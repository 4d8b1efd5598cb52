// brume doctor --deep: everything is read, and what is damaged is named.

import BrumeServer
import BrumeStorage
import BrumeWire

struct DeepReport: Sendable {
  /// Nil: they have no usable values, which was said already.
  let settings: Settings?
  let folder: String
  /// One JSON object a line.
  let json: Bool

  /// Answers whether all is whole.
  func write() async -> Bool {
    guard let settings else { return false }
    do {
      let checkup = try DeepCheckup(settings, folder: folder)
      let rows = write(try checkup.database())
      let isWhole = write(try await checkup.files()) && rows
      if isWhole { say(true, "all of it; nothing is damaged") }
      return isWhole
    } catch {
      say(false, "deep: \(error)")
      return false
    }
  }

  private func write(_ result: StoreInspection) -> Bool {
    for table in result.tables {
      let rest = table.unsummed == 0 ? "" : "; \(table.unsummed) are from before checksums"
      say(true, "\(table.name): \(table.rows) rows\(rest)")
    }
    for finding in result.findings { say(false, "\(finding)") }
    let more = result.findingCount - result.findings.count
    if more > 0 { say(false, "… and \(more) more") }
    return result.findingCount == 0
  }

  private func write(_ files: (read: Int, findings: [String])?) -> Bool {
    guard let files else {
      say(true, "files: none, a bucket's service checks what it keeps")
      return true
    }
    say(true, "files: \(files.read)")
    for finding in files.findings { say(false, "\(finding)") }
    return files.findings.isEmpty
  }

  private func say(_ isWell: Bool, _ text: String) {
    guard json else { return Output.line("\(isWell ? "read " : "wrong") \(text)") }
    Output.line((["ok": .bool(isWell), "what": "deep", "text": .string(text)] as JSON).bytes())
  }
}
