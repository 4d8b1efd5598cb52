// Reading members with their types. Every failure names the key, what was there and what belongs
// there; an explicit null counts as absent.

package import BrumeModel

extension JSON {
  /// This value as an object.
  ///
  /// - Parameter what: what the error calls it, such as "the body".
  /// - Throws: `badRequest` for another value.
  package func asObject(_ what: @autoclosure () -> String) throws(BrumeError) -> JSONObject {
    guard case .object(let object) = self else {
      throw BrumeError(.badRequest, "\(what()) must be an object, not \(kind)")
    }
    return object
  }
}

// MARK: Numbers, which may stand in quotation marks

extension JSON {
  /// A finite number, also one in quotation marks, in decimal digits as JSON has them; nil for everything else.
  var decimal: Double? {
    guard case .string(let text) = self else { return double }
    // Swift reads more than that: hexadecimal digits, and words.
    guard text.utf8.allSatisfy({ Self.decimalBytes.contains($0) }), let number = Double(text),
      number.isFinite
    else { return nil }
    return number
  }

  private static let decimalBytes = Array("0123456789.+-eE".utf8)

  /// What it is where a whole number of 64 bits is wanted, for error texts.
  var kindIfNotWhole: String {
    switch self {
    case .double(let number):
      number == number.rounded() ? "a number beyond 64 bits" : "a number with a fraction"
    case .string: "a text that is no such number"
    case .null, .bool, .int, .array, .object: kind
    }
  }

  /// What it is where an object with this member is wanted, for error texts.
  func kind(without member: String) -> String {
    object == nil ? kind : "an object without '\(member)'"
  }

  /// What it is where a number is wanted, for error texts.
  var kindIfNoNumber: String { string == nil ? kind : "a text that is no decimal number" }
}

// MARK: Members

extension JSONObject {
  /// A text; nil if absent.
  ///
  /// - Throws: `badRequest` for another value, as all below.
  package func string(_ key: String) throws(BrumeError) -> String? {
    guard let value = self[key] else { return nil }
    guard case .string(let text) = value else { throw mismatch(key, "a text", value) }
    return text
  }

  /// A text under one of two spellings of its key.
  func string(_ key: String, or other: String) throws(BrumeError) -> String? {
    if let text = try string(key) { return text }
    return try string(other)
  }

  /// A whole number; also one in quotation marks, as clients with `numbersAsStrings` send it.
  package func int(_ key: String) throws(BrumeError) -> Int64? {
    guard let value = self[key] else { return nil }
    if let number = value.int { return number }
    if let number = value.string.flatMap({ Int64($0) }) { return number }
    throw mismatch(key, "a whole number", value.kindIfNotWhole)
  }

  /// A number that is finite, also one in quotation marks; nil if absent.
  package func double(_ key: String) throws(BrumeError) -> Double? {
    guard let value = self[key] else { return nil }
    if let number = value.decimal { return number }
    throw mismatch(key, "a number", value.kindIfNoNumber)
  }

  /// True or false, also as 1 or 0; nil if absent.
  package func bool(_ key: String) throws(BrumeError) -> Bool? {
    guard let value = self[key] else { return nil }
    switch value {
    case .bool(let flag): return flag
    case .int(0): return false
    case .int(1): return true
    default: throw mismatch(key, "true or false", value)
    }
  }

  /// An object; nil if absent.
  package func object(_ key: String) throws(BrumeError) -> JSONObject? {
    guard let value = self[key] else { return nil }
    guard case .object(let object) = value else { throw mismatch(key, "an object", value) }
    return object
  }

  /// An array; nil if absent.
  package func array(_ key: String) throws(BrumeError) -> [JSON]? {
    guard let value = self[key] else { return nil }
    guard case .array(let elements) = value else { throw mismatch(key, "an array", value) }
    return elements
  }

  /// An array, or the one object that it would hold; nil if absent.
  // CloudKit: pyicloud and its descendants send a single condition so, others what they look up.
  func oneOrMore(_ key: String) throws(BrumeError) -> [JSON]? {
    if let one = self[key], one.object != nil { return [one] }
    return try array(key)
  }

  /// An array of texts; nil if absent.
  package func strings(_ key: String) throws(BrumeError) -> [String]? {
    guard let elements = try array(key) else { return nil }
    var texts: [String] = []
    for element in elements {
      guard case .string(let text) = element else {
        throw mismatch(key, "an array of texts", element)
      }
      texts.append(text)
    }
    return texts
  }

  /// The value that was read for a key.
  ///
  /// - Throws: `badRequest` if it is nil.
  package func required<Value>(
    _ key: String, _ value: Value?
  ) throws(BrumeError) -> Value {
    guard let value else { throw BrumeError(.badRequest, "'\(key)' is missing; add it") }
    return value
  }

  /// A text that must be there.
  package func requiredString(_ key: String) throws(BrumeError) -> String {
    try required(key, try string(key))
  }

  /// A limit of results; nil if absent, or 0: then the server chooses (case QRY-15).
  package func limit(_ key: String) throws(BrumeError) -> Int? {
    guard let value = try int(key) else { return nil }
    guard value >= 0 else {
      throw BrumeError(
        .badRequest,
        "'\(key)' must not be negative; send at least 1, or leave the choice to the server")
    }
    return value == 0 ? nil : Int(clamping: value)
  }

  /// Bytes, as a base64 text.
  func base64(_ key: String) throws(BrumeError) -> [UInt8]? {
    guard let text = try string(key) else { return nil }
    guard let bytes = Base64.bytes(text) else {
      throw BrumeError(.badRequest, "'\(key)' must be bytes in base64")
    }
    return bytes
  }

  /// Our own extras, which other servers and clients neither send nor read.
  func extras() throws(BrumeError) -> JSONObject? { try object("brume") }

  private func mismatch(_ key: String, _ wanted: String, _ value: JSON) -> BrumeError {
    mismatch(key, wanted, value.kind)
  }

  private func mismatch(_ key: String, _ wanted: String, _ found: String) -> BrumeError {
    BrumeError(.badRequest, "'\(key)' must be \(wanted), not \(found)")
  }
}

/// Runs `body` on each element; a failure is reported with the element's place.
func eachElement<Value>(
  of elements: [JSON], in place: String, _ body: (JSONObject) throws(BrumeError) -> Value
) throws(BrumeError) -> [Value] {
  var values: [Value] = []
  values.reserveCapacity(elements.count)
  for (index, element) in elements.enumerated() {
    do throws(BrumeError) {
      guard case .object(let object) = element else {
        throw BrumeError(.badRequest, "it must be an object, not \(element.kind)")
      }
      values.append(try body(object))
    } catch {
      throw error.located("\(place)[\(index)]")
    }
  }
  return values
}

extension BrumeError {
  /// The same error with the place in the message where it happened.
  func located(_ place: String) -> BrumeError {
    var error = BrumeError(code, "\(place): \(reason)", retryAfter: retryAfter)
    error.redirectURL = redirectURL
    error.serverRecord = serverRecord
    error.didResetEncryptedData = didResetEncryptedData
    error.isOfEarlierIncarnation = isOfEarlierIncarnation
    return error
  }
}
