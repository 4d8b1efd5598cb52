// Answers have a bound in bytes; what is beyond fails alone, and is asked for again.

import BrumeModel

/// The answers to all items, asked for until no more come.
///
/// - Parameter ask: one request. It answers one result for each item, in order.
func askAgain<Item, Success, ID: Sendable & Equatable>(
  for items: [Item], _ ask: ([Item]) async throws -> [Result<Success, ItemFailure<ID>>]
) async throws -> [Result<Success, ItemFailure<ID>>] {
  var results = try await ask(items)
  var left = results.indices.filter { didNotFit(results[$0]) }
  while !left.isEmpty, left.allSatisfy({ $0 < items.count }) {
    let found = try await ask(left.map { items[$0] })
    guard found.count == left.count else { return results }
    for (index, result) in zip(left, found) { results[index] = result }
    let still = left.filter { didNotFit(results[$0]) }
    if still.count == left.count { return results }
    left = still
  }
  return results
}

/// Whether the server's answer was full before this item.
private func didNotFit<Success, ID: Sendable & Equatable>(
  _ result: Result<Success, ItemFailure<ID>>
) -> Bool {
  if case .failure(let failure) = result { failure.error.code == .limitExceeded } else { false }
}
