// Reporting many items in one go, until the app cancels (case SAV-39).

extension CKOperation {
  /// Reports items one after the other on the operation's queue. After a block that cancels the
  /// operation, no other item is reported.
  ///
  /// - Throws: `CancellationError` if the operation was cancelled.
  final func report<Items: Sequence>(
    each items: Items, _ body: @escaping (Items.Element) -> Void
  ) async throws {
    await report {
      for item in items {
        guard !self.isCancelled else { return }
        body(item)
      }
    }
    if isCancelled { throw CancellationError() }
  }
}
