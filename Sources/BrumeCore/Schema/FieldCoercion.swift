// Values without a type tag take the schema's type where their JSON form allows it; a tag that
// contradicts the schema is an error (docs/differences.md).

import BrumeModel

extension FieldValue {
  /// This value as a field of `type` holds it; nil if it cannot be one.
  func coerced(to type: FieldType, isTagged: Bool) -> FieldValue? {
    if self.type == type { return self }
    if case .list(let element) = type {
      guard case .list(let values, let own) = self else { return nil }
      if values.isEmpty, own == nil || !isTagged { return .list([], of: element) }
      if isTagged, own != nil { return nil }
      var coerced: [FieldValue] = []
      for value in values {
        guard let value = value.coerced(to: element, isTagged: isTagged) else { return nil }
        coerced.append(value)
      }
      return .list(coerced, of: element)
    }
    return isTagged ? nil : untagged(as: type)
  }

  private func untagged(as type: FieldType) -> FieldValue? {
    switch (self, type) {
    case (.int64(let number), .double): .double(Double(number))
    case (.int64(let number), .timestamp): .timestamp(number)
    case (.double(let number), .int64): Int64(exactly: number).map { .int64($0) }
    case (.double(let number), .timestamp): Int64(exactly: number).map { .timestamp($0) }
    case (.string(let text), .bytes): Base64.bytes(text).map { .bytes($0) }
    default: nil
    }
  }
}

extension FieldValue {
  /// What it is where a value of `type` is wanted, for error texts.
  func kind(insteadOf type: FieldType) -> String {
    if case .double(let number) = self, type == .int64 || type == .timestamp,
      number == number.rounded(), Int64(exactly: number) == nil
    {
      return "a number beyond 64 bits"
    }
    return self.type?.wireName ?? "an empty list"
  }
}
