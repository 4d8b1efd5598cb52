// The headers that are read, under the one rule for texts that enter. Other headers are nobody's.

package import BrumeModel
package import HTTPTypes

/// Checks the headers that are read.
package enum HeaderRules {
  private static let read: [HTTPField.Name] = [
    .authorization, .origin, .device, .keyID, .signatureDate, .signature, .forwardedFor,
    .lastEventID, .fetchSite, .webAuthToken, .forwardedProto, .operatorForm,
  ]

  /// - Throws: `badRequest` that names the header.
  package static func check(_ headers: HTTPFields, limits: Limits) throws(BrumeError) {
    for name in read {
      guard let value = headers[name] else { continue }
      let what = "the header '\(name.rawName)'"
      try TextRules.check(value, what, upTo: limits.headerBytes)
      // What the decoder of HTTP makes of bytes that are no UTF-8.
      guard !value.unicodeScalars.contains("\u{fffd}") else {
        throw BrumeError(.badRequest, "\(what) is not valid UTF-8; encode it as UTF-8")
      }
    }
  }
}
