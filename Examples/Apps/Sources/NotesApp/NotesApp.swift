// A terminal around synced notes: type a note, or `delete NOTE`. Everything else is the engine's.

import CloudKit
import Foundation
import SyncedNotes

@main struct NotesApp {
  static func main() async throws {
    let device = ProcessInfo.processInfo.environment["BRUME_DEVICE_ID"] ?? "device"
    let file = FileManager.default.temporaryDirectory.appending(path: "notes-\(device).json")
    let notes = SyncedNotes(container: .default(), file: file) { texts in
      print("Notes: " + texts.joined(separator: ", "))
    }
    _ = await notes.engine
    while let line = readLine() {
      if line == "quit" { break }
      if line.hasPrefix("delete ") {
        await notes.delete(String(line.dropFirst("delete ".count)))
      } else if !line.isEmpty {
        await notes.write(line)
      }
    }
    // Single failures were reported to the delegate, which deals with them in the next run.
    do { try await notes.engine.sendChanges() } catch CKError.partialFailure {}
  }
}
