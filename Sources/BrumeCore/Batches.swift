// What all requests with several items have in common.

import BrumeModel

extension Result {
  /// The result for one item of a batch: rule failures become the item's, all others are thrown.
  static func item<ID>(
    _ id: @autoclosure () -> ID, _ body: () throws -> Success
  ) throws -> Self where Failure == ItemFailure<ID> {
    do {
      return .success(try body())
    } catch let error as BrumeError {
      return .failure(ItemFailure(id(), error))
    }
  }
}

extension Limits {
  /// Refuses a request with too many items.
  ///
  /// - Parameters:
  ///   - items: what they are, in the plural.
  ///   - maximum: nil is the number of operations that a request may have.
  func checkCount(
    _ count: Int, of items: String, upTo maximum: Int? = nil
  ) throws(BrumeError) {
    let maximum = maximum ?? operationsPerRequest
    guard count > maximum else { return }
    throw BrumeError(
      .limitExceeded, "the request has \(count) \(items); the maximum is \(maximum). Split it")
  }
}
