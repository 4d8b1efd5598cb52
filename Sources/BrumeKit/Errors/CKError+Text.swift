// What a printed error says. Foundation's own text of an error without a description is "(null)", and
// never what one wants to know of CloudKit's: which code it is, when to come back, which items failed.

import Foundation

/// The Foundation form of errors that the module makes: an `NSError` with a text for logs.
// Sendable because it adds nothing to NSError, which is.
final class PrintedError: NSError, @unchecked Sendable {
  /// How many items of a partial failure are listed one by one.
  private static let itemsShown = 3

  /// For example `<CKError: "zoneBusy" (23); retry after 3.0 s>`.
  override var description: String {
    let name = CKError.Code(rawValue: code).map { "\"\($0)\" (\(code))" } ?? "\(code)"
    let reason = (userInfo[NSLocalizedDescriptionKey] as? String).map { "\"\($0)\"" }
    let wait = CKError(_nsError: self).retryAfterSeconds.map { "retry after \($0) s" }
    let parts = [name, reason, wait, items].compactMap { $0 }
    return "<CKError: \(parts.joined(separator: "; "))>"
  }

  private var items: String? {
    guard let errors = CKError(_nsError: self).partialErrorsByItemID else { return nil }
    let all = errors.map { id, error in
      "\(id.base): \((error as? CKError)?._nsError.description ?? "\(error)")"
    }.sorted()
    let more = all.count > Self.itemsShown ? ["and \(all.count - Self.itemsShown) more"] : []
    return (all.prefix(Self.itemsShown) + more).joined(separator: ", ")
  }
}
