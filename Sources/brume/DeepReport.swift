// brume doctor --deep: everything is read, and what is damaged is named.

import BrumeServer
import BrumeStorage

struct DeepReport {
  /// Nil: they have no usable values, which was said already.
  let settings: Settings?
  let folder: String

  /// Answers whether all is whole.
  func write() async -> Bool {
    guard let settings else { return false }
    do {
      let checkup = try DeepCheckup(settings, folder: folder)
      let rows = write(try checkup.database())
      return write(try await checkup.files()) && rows
    } catch {
      Output.line("wrong deep: \(error)")
      return false
    }
  }

  private func write(_ result: StoreInspection) -> Bool {
    for table in result.tables {
      let rest = table.unsummed == 0 ? "" : "; \(table.unsummed) are from before checksums"
      Output.line("read  \(table.name): \(table.rows) rows\(rest)")
    }
    for finding in result.findings { Output.line("wrong \(finding)") }
    let more = result.findingCount - result.findings.count
    if more > 0 { Output.line("wrong … and \(more) more") }
    return result.findingCount == 0
  }

  private func write(_ files: (read: Int, findings: [String])?) -> Bool {
    guard let files else {
      Output.line("read  files: none, a bucket's service checks what it keeps")
      return true
    }
    Output.line("read  files: \(files.read)")
    for finding in files.findings { Output.line("wrong \(finding)") }
    return files.findings.isEmpty
  }
}
