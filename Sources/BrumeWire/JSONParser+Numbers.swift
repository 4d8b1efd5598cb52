// Numbers. Integer literals that fit are exact; everything else is the nearest double, and a number
// beyond a double is refused rather than made infinite. Numbers too near zero are 0.

extension JSONParser {
  /// Longer literals carry nothing that a double could hold.
  private static let longestLiteral = 1024

  mutating func number() throws(JSONFault) -> JSON {
    let start = at
    let isNegative = bytes[at] == UInt8(ascii: "-")
    if isNegative { at += 1 }
    let digitsStart = at
    let (mantissa, fits) = try integerDigits()
    var isInteger = true
    var decimals = 0
    var decimalMantissa = mantissa
    if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
      isInteger = false
      at += 1
      (decimalMantissa, decimals) = try fraction(after: mantissa)
    }
    let mantissaDigits = at - digitsStart
    var exponent = 0
    if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      at += 1
      exponent = try exponentDigits()
    }
    guard at - start <= Self.longestLiteral else {
      throw fault("the number before this is too long")
    }
    if isInteger, fits, let value = Self.integer(mantissa, isNegative) { return .int(value) }
    // Exact where both parts are: the mantissa below 2^53 and a power of ten that a double holds.
    let scale = exponent - decimals
    if mantissaDigits <= 16, decimalMantissa < 1 << 53, scale >= -22, scale <= 22 {
      let magnitude =
        scale < 0
        ? Double(decimalMantissa) / Self.powersOfTen[-scale]
        : Double(decimalMantissa) * Self.powersOfTen[scale]
      return .double(isNegative ? -magnitude : magnitude)
    }
    return try slowDouble(from: start)
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Nil for what does not fit, and for `-0`, which is a double.
  private static func integer(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
    guard isNegative else { return Int64(exactly: magnitude) }
    if magnitude == 0 { return nil }
    if magnitude == UInt64(Int64.max) + 1 { return Int64.min }
    return Int64(exactly: magnitude).map { -$0 }
  }

  private mutating func integerDigits() throws(JSONFault) -> (value: UInt64, fits: Bool) {
    guard let first = digit() else { throw fault("a digit must follow") }
    at += 1
    if first == 0 {
      guard digit() == nil else { throw fault("a number must not start with 0") }
      return (0, true)
    }
    var value = UInt64(first)
    var fits = true
    while let next = digit() {
      at += 1
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(next))
      if overflow || carry { fits = false }
      value = sum
    }
    return (value, fits)
  }

  /// The mantissa with the decimals appended (meaningless when longer than 16 digits).
  private mutating func fraction(
    after mantissa: UInt64
  ) throws(JSONFault) -> (value: UInt64, digits: Int) {
    guard digit() != nil else { throw fault("a digit must follow") }
    var value = mantissa
    var count = 0
    while let next = digit() {
      at += 1
      count += 1
      value = value &* 10 &+ UInt64(next)
    }
    return (value, count)
  }

  private mutating func exponentDigits() throws(JSONFault) -> Int {
    var isNegative = false
    if at < bytes.count, bytes[at] == UInt8(ascii: "-") || bytes[at] == UInt8(ascii: "+") {
      isNegative = bytes[at] == UInt8(ascii: "-")
      at += 1
    }
    guard digit() != nil else { throw fault("a digit must follow") }
    var value = 0
    while let next = digit() {
      at += 1
      // Far beyond any double already; only the length is still of interest.
      if value < 1_000_000 { value = value * 10 + Int(next) }
    }
    return isNegative ? -value : value
  }

  private func digit() -> UInt8? {
    guard at < bytes.count else { return nil }
    let value = bytes[at] &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }

  private func slowDouble(from start: Int) throws(JSONFault) -> JSON {
    let literal = String(decoding: bytes[start..<at], as: UTF8.self)
    guard let value = Double(literal), value.isFinite else {
      throw fault("the number before this is too large")
    }
    return .double(value)
  }
}
