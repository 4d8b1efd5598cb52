// `multipart/form-data` with one file, while it arrives: some clients upload an asset as a form.
// A state machine over bytes, total and with bounded memory: it holds a part's header, or at most
// a boundary's length of content, never the content.

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Reads one form, piece by piece.
package struct MultipartReader: Sendable {
  private enum State { case preamble, header, content, end }
  /// RFC 2046 allows 70 characters.
  private static let boundaryLength = 70

  /// CRLF, two hyphens and the boundary.
  private let delimiter: [UInt8]
  private let headerBytes: Int
  private var state = State.preamble
  /// What cannot be judged yet. It begins as if a CRLF had come before the body, which lets the first
  /// boundary look like the others.
  private var waiting: [UInt8] = [13, 10]

  /// Nil if the content type is another one.
  ///
  /// - Parameter headerBytes: of a part's header, and of what may come before the first part.
  /// - Throws: `badRequest` for a form without a usable boundary.
  package init?(
    contentType: String, headerBytes: Int = Limits.apple.multipartHeaderBytes
  ) throws(BrumeError) {
    let parts = contentType.split(separator: ";")
    guard parts.first?.trimmed.lowercased() == "multipart/form-data" else { return nil }
    var boundary: String?
    for parameter in parts.dropFirst() {
      let pair = parameter.split(separator: "=", maxSplits: 1)
      guard pair.count == 2, pair[0].trimmed.lowercased() == "boundary" else { continue }
      boundary = pair[1].trimmed
      if let text = boundary, text.count >= 2, text.hasPrefix("\""), text.hasSuffix("\"") {
        boundary = String(text.dropFirst().dropLast())
      }
    }
    guard let boundary, (1...Self.boundaryLength).contains(boundary.utf8.count) else {
      throw BrumeError(
        .badRequest,
        "multipart/form-data needs a boundary of 1 to \(Self.boundaryLength) characters")
    }
    delimiter = Array("\r\n--\(boundary)".utf8)
    self.headerBytes = headerBytes
  }

  /// Takes what arrived and answers what of it is the file's content, in order.
  ///
  /// - Throws: `badRequest` if it is no form, its header is too long, or it has no part or several.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(BrumeError) -> ArraySlice<UInt8> {
    if state == .end { return [] }
    waiting += bytes
    if state == .preamble, try skip(to: delimiter) { state = .header }
    if state == .header {
      if waiting.starts(with: [45, 45]) { throw Self.empty }
      guard try skip(to: [13, 10, 13, 10]) else { return [] }
      state = .content
    }
    guard state == .content else { return [] }
    return try content()
  }

  /// The body ended.
  ///
  /// - Throws: `badRequest` if the form has no end.
  package func finish() throws(BrumeError) {
    guard state == .end else {
      throw BrumeError(.badRequest, "the form ends in the middle; its last boundary is missing")
    }
  }

  private static let empty = BrumeError(
    .badRequest, "the form has no part; send the file as its one part, or as the plain body")

  /// Drops everything up to and with `mark`. False if it has not come yet.
  private mutating func skip(to mark: [UInt8]) throws(BrumeError) -> Bool {
    if let found = Self.find(mark, in: waiting) {
      waiting.removeFirst(found + mark.count)
      return true
    }
    if waiting.count > headerBytes {
      throw BrumeError(
        .badRequest, "the form's header is longer than \(headerBytes) bytes, or no form at all"
      )
    }
    return false
  }

  private mutating func content() throws(BrumeError) -> ArraySlice<UInt8> {
    if let found = Self.find(delimiter, in: waiting) {
      // Two hyphens end the form; they may be still to come.
      let tail = waiting[(found + delimiter.count)...]
      guard tail.count >= 2 else { return release(found) }
      guard tail.starts(with: [45, 45]) else {
        throw BrumeError(
          .badRequest, "the form has several parts; send one file to an upload address")
      }
      state = .end
      defer { waiting = [] }
      return waiting[..<found]
    }
    return release(max(0, waiting.count - delimiter.count - 2))
  }

  /// The first `count` bytes that wait.
  private mutating func release(_ count: Int) -> ArraySlice<UInt8> {
    let released = waiting[..<count]
    waiting = Array(waiting[count...])
    return released
  }

  /// Marks begin with a carriage return, which the C library finds fast.
  private static func find(_ mark: [UInt8], in bytes: [UInt8]) -> Int? {
    guard bytes.count >= mark.count else { return nil }
    return bytes.withUnsafeBytes { all in
      mark.withUnsafeBytes { wanted in
        guard let start = all.baseAddress, let wantedStart = wanted.baseAddress else { return nil }
        let last = all.count - wanted.count
        var from = 0
        while from <= last, let found = memchr(start + from, 13, last + 1 - from) {
          let offset = UnsafeRawPointer(found) - start
          if memcmp(found, wantedStart, wanted.count) == 0 { return offset }
          from = offset + 1
        }
        return nil
      }
    }
  }
}

extension Substring {
  fileprivate var trimmed: String {
    var text = self
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
