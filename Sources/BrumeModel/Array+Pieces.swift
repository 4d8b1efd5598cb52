// Lists in pieces, for requests that may name only so many things at once.

extension Array {
  /// The elements in consecutive pieces of at most so many.
  ///
  /// - Parameter count: at least 1.
  package func pieces(of count: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
  }
}
