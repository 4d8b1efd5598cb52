// What takes longer than two seconds shows on a terminal that it goes on. Tests/Independent/terminal.py watches those
// that wait for a server; how long a disk takes no test can choose, so that the others are looked up in the code.

import Foundation
import Testing

@Suite struct ProgressTidy {
  @Test(arguments: [
    ("backup", "BackupCommand.swift", "progress.during("),
    ("backup, its pieces", "Backup/BackupTransfer.swift", "progress.show(\"assets"),
    ("backup --verify, --since", "BackupCommand.swift", "progress.show(\"checking"),
    ("restore", "RestoreCommand.swift", "progress.during("),
    ("restore, its steps", "RestoreCommand.swift", "Self.show($0, on: progress)"),
    ("restore --in-place", "Backup/InPlaceRestore.swift", "progress.during("),
    ("export", "Archive/ExportCommand.swift", "progress.during("),
    ("import", "Archive/ImportCommand.swift", "progress.during("),
    ("import, its files", "Archive/RecordImport.swift", "progress.show("),
    ("import cloudkit", "CloudKitImport/CloudKitImport.swift", "progress.show("),
    ("migrate", "MigrateCommand.swift", "TerminalProgress.waiting("),
    ("doctor --deep", "DoctorCommand.swift", "TerminalProgress.waiting("),
    ("every call of an operator", "Shared/ServerConnection.swift", "TerminalProgress.waiting("),
  ])
  func `what may take long says that it goes on:`(
    command: String, file: String, call: String
  ) throws {
    let code = try String(
      contentsOfFile: Tidy.root.appending(path: "Sources/brume/\(file)").path, encoding: .utf8)
    #expect(code.contains(call), "brume \(command) in \(file)")
  }
}
