// How a file is answered: status, range and headers. Pure. The headers make sure that no browser
// runs what somebody uploaded: it is an attachment of no known type, in a sandbox (docs/assets.md).

import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes

struct AssetAnswer: Equatable {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  /// The bytes to send; nil for none.
  let range: Range<Int64>?

  /// - Parameter lifetime: how long the address is still good.
  init(file: AssetFile, lifetime: Milliseconds, request: HTTPFields) {
    let tag = "\"\(file.checksum)\""
    var headers: HTTPFields = [
      .eTag: tag, .acceptRanges: "bytes",
      .cacheControl: "private, max-age=\(max(0, lifetime / 1000)), immutable",
      .contentDisposition: "attachment; filename=\"asset\"",
      .contentSecurityPolicy: "sandbox; default-src 'none'",
      .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
      .reprDigest: "sha-256=:\(Base64.text(file.digest)):",
    ]
    if let known = request[.ifNoneMatch], known.contains(tag) || known == "*" {
      (status, self.headers, range) = (.notModified, headers, nil)
      return
    }
    let isSameFile = request[.ifRange].map { $0 == tag } ?? true
    switch ByteRange(isSameFile ? request[.range] : nil, size: file.size) {
    case .whole:
      headers[.contentLength] = String(file.size)
      (status, range) = (.ok, 0..<file.size)
    case .part(let part):
      headers[.contentLength] = String(part.upperBound - part.lowerBound)
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
      (status, range) = (.partialContent, part)
    case .none:
      headers[.contentLength] = "0"
      headers[.contentRange] = "bytes */\(file.size)"
      (status, range) = (.rangeNotSatisfiable, nil)
    }
    self.headers = headers
  }
}

/// What a `Range` header asks for. One range is honoured; several are answered with the whole, as
/// RFC 9110 allows; what is no range of bytes is ignored.
package enum ByteRange: Equatable {
  case whole
  case part(Range<Int64>)
  /// Nothing of the file is in the range.
  case none

  package init(_ header: String?, size: Int64) {
    self = .whole
    guard let header, header.lowercased().hasPrefix("bytes=") else { return }
    let text = header.dropFirst(6)
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, !text.contains(",") else { return }
    let (first, last) = (Self.number(ends[0]), Self.number(ends[1]))
    switch (first, last) {
    case (.some(let first), .some(let last)):
      guard first <= last else { return }
      self = first < size ? .part(first..<min(size - 1, last) + 1) : .none
    case (.some(let first), nil) where ends[1].isEmpty:
      self = first < size ? .part(first..<size) : .none
    case (nil, .some(let count)) where ends[0].isEmpty:
      self = count > 0 && size > 0 ? .part(max(0, size - count)..<size) : .none
    case (.some, nil), (nil, .some), (nil, nil): return
    }
  }

  /// Digits only; a number too large to be one counts as the largest.
  private static func number(_ text: Substring) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int64(text) ?? .max
  }
}

extension HTTPField.Name {
  static let reprDigest = HTTPField.Name("Repr-Digest")!
}
