// Positions in the logs of several buckets as one text, such as "0:15,7:3".

package import BrumeModel

extension LogPositions {
  /// Bucket and position of each bucket that has one, in the order of buckets; empty for none.
  package var text: String {
    buckets.map { "\($0):\(self[$0])" }.joined(separator: ",")
  }

  /// Reads what `text` answers.
  ///
  /// - Throws: `StoreError` with `corrupt` if it is something else.
  package init(text: String) throws {
    self.init()
    for part in text.split(separator: ",") {
      let numbers = part.split(separator: ":").compactMap { Int64($0) }
      guard numbers.count == 2, numbers[0] >= 0 else {
        throw StoreError(.corrupt, "log positions in the database cannot be read")
      }
      self[Bucket(Int(numbers[0]))] = numbers[1]
    }
  }
}
