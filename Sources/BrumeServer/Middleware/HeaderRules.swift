// The headers that are read, under the one rule for texts that enter. Other headers are nobody's. A test compares this list
// with what the code reads (Tests/TidyTests/HeaderTidy.swift).

package import BrumeModel
package import HTTPTypes

/// Checks the headers that are read.
package enum HeaderRules {
  private static let read: [HTTPField.Name] = [
    .authorization, .origin, .device, .keyID, .signatureDate, .signature, .forwardedFor,
    .lastEventID, .fetchSite, .webAuthToken, .forwardedProto, .operatorForm, .contentEncoding,
    .contentLength, .contentType, .accept, .range, .ifRange, .ifNoneMatch,
  ]

  /// - Throws: `badRequest` that names the header.
  package static func check(_ headers: HTTPFields, limits: Limits) throws(BrumeError) {
    for name in read { try check(name, of: headers, limits: limits) }
  }

  /// A header of a request that is answered also if its headers are refused; nil if the rule refuses this one.
  static func text(_ name: HTTPField.Name, of headers: HTTPFields, limits: Limits) -> String? {
    try? check(name, of: headers, limits: limits)
  }

  @discardableResult
  private static func check(
    _ name: HTTPField.Name, of headers: HTTPFields, limits: Limits
  ) throws(BrumeError) -> String? {
    guard let value = headers[name] else { return nil }
    let what = "the header '\(name.rawName)'"
    do {
      try TextRules.check(value, what, upTo: limits.headerBytes)
    } catch {
      // A tab is white space within a header (RFC 9110, 5.5), and rare: nobody else pays for looking.
      guard value.utf8.contains(UInt8(ascii: "\t")) else { throw error }
      let spaced = value.replacing("\t", with: " ")
      try TextRules.check(spaced, what, upTo: limits.headerBytes)
    }
    // What the decoder of HTTP makes of bytes that are no UTF-8.
    guard !value.unicodeScalars.contains("\u{fffd}") else {
      throw BrumeError(.badRequest, "\(what) is not valid UTF-8; encode it as UTF-8")
    }
    return value
  }
}
