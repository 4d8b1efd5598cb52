// Features of the writer's transaction keep what they have learnt from body to body. What they wrote and
// what they know must not part, so they are notified of bodies, in the order of events.
//
// What is remembered must stay true after a body that failed and changed no row. So features note in memory
// only what a statement has done, after the statement; whoever decides in memory first also implements
// `bodyFailed`.

/// A feature that remembers something.
protocol Remembering: AnyObject {
  /// A body is about to run. What has grown too large starts anew.
  func bodyBegins()
  /// The body has returned: writes what was kept in memory for its length.
  func bodyEnds() throws
  /// The body failed and had changed no row.
  func bodyFailed()
  /// What a body or a whole group changed is undone: nothing that is remembered is certain.
  func forget()
}

extension Remembering {
  func bodyBegins() {}
  func bodyEnds() throws {}
  func bodyFailed() {}
}

enum Remembered {
  /// Ours: a memory beyond this starts anew.
  static let limit = 100_000
}
