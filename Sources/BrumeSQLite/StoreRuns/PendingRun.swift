// A start on a full disk: nothing can be written, and all that is stored can be read. That this run has begun is then
// written before anything else is, so whatever is saved belongs to a run that the database knows, as always.

/// What the database does not say yet of the run that is under way.
struct PendingRun: Sendable {
  private let settings: [(name: String, value: String?)]

  init(_ settings: [(name: String, value: String?)]) { self.settings = settings }

  /// Commits it, and waits for the disk: places in mailboxes are given by the number of the start.
  func write(_ connection: Connection) throws {
    try connection.waitForDisk(true)
    try connection.run(WriteGroup.begin)
    for (name, value) in settings {
      try connection.run(value == nil ? SQLiteSettings.remove : SQLiteSettings.put) {
        $0.bind(1, name)
        if let value { $0.bind(2, value) }
      }
    }
    try connection.run(WriteGroup.commit)
  }
}
