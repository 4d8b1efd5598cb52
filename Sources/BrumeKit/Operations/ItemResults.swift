// What became of the items of a batch, in the order of the app's lists, and the two ways in which
// blocks get failed items: result blocks item by item, old completion blocks as one partial
// failure (cases SAV-21, SAV-22).

/// The results of a batch's items.
struct ItemResults<ID: Hashable, Value> {
  private(set) var items: [(id: ID, result: Result<Value, any Error>)] = []

  mutating func add(_ id: ID, _ result: Result<Value, any Error>) {
    items.append((id, result))
  }

  /// The values of the items that succeeded.
  var values: [Value] { items.compactMap { try? $0.result.get() } }

  /// The IDs of the items that succeeded.
  var ids: [ID] {
    items.compactMap { item in
      if case .success = item.result { item.id } else { nil }
    }
  }

  var errors: [AnyHashable: any Error] {
    items.reduce(into: [:]) { errors, item in
      if case .failure(let error) = item.result { errors[AnyHashable(item.id)] = error }
    }
  }

  /// The values of the items that succeeded, by ID.
  var valuesByID: [ID: Value] {
    items.reduce(into: [:]) { values, item in
      if case .success(let value) = item.result { values[item.id] = value }
    }
  }
}

extension CKError {
  /// The error of an old completion block: that of the operation, or else of its items.
  static func overall(_ failure: CKError?, items errors: [AnyHashable: any Error]) -> CKError? {
    failure ?? (errors.isEmpty ? nil : .partialFailure(errors))
  }

  /// The result of a result block, which gets only failures of the operation.
  static func result(_ failure: CKError?) -> Result<Void, any Error> {
    failure.map { .failure($0) } ?? .success(())
  }

  /// An answer that leaves out what was asked. Whether it was done is not known, which is what a lost
  /// answer means; a sync engine keeps the change (case LIM-06).
  static func missingAnswer(for item: String) -> CKError {
    CKError(
      .serverResponseLost,
      "The server's answer says nothing about \(item), so it is not known whether it was done. Fetch "
        + "to find out, or try again.")
  }
}

extension Array {
  /// The element, or nil where there is none.
  subscript(ifThere index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
