// What brume doctor says when it looks at another store than the server's.

/// The server has another store: whatever is read of this one says nothing of it.
struct OtherStore: Error, CustomStringConvertible {
  let description: String

  /// - Parameters:
  ///   - server: who has what store, as "it keeps".
  ///   - used: the engine that the server has, by its name.
  ///   - looked: the engine that the command looks at.
  init(_ server: String, used: String, looked: String) {
    description =
      "\(server) its records in '\(used)', and this command looks at '\(looked)': give it the server's "
      + "own --store, --config or variables (docs/operating/deploying.md)"
  }

  private init(_ description: String) { self.description = description }

  static let otherDatabase = OtherStore(
    "it keeps its records in another database than the one that this command looks at: give it the server's "
      + "own --store, --config or variables (docs/operating/deploying.md)")
}
