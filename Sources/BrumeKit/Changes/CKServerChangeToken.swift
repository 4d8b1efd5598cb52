// A place in the history of a zone, a database or the kept notifications.

public import Foundation

/// A marker of what was already fetched. Opaque: it can be stored and handed back, not compared.
///
/// Tokens of a database and tokens of a zone cannot be exchanged. A token that the server no
/// longer knows is answered with ``CKError/Code/changeTokenExpired``; then start again with nil.
/// Source: Apple's `CKServerChangeToken` page.
// Sendable because it never changes.
open class CKServerChangeToken: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  /// The token as the server wrote it.
  package let text: String

  /// Wraps a token of the server.
  package init(text: String) {
    self.text = text
  }

  /// Tokens come from the server.
  @available(*, unavailable, message: "Tokens come from the server.")
  public override convenience init() {
    self.init(text: "")
  }

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores a token from an archive. One of Apple's is a token that the server does not know: it is answered with
  /// ``CKError/Code/changeTokenExpired``.
  public required init?(coder: NSCoder) {
    let apples = coder.bytes("ChangeTokenData").map { Data($0).base64EncodedString() }
    guard let text = coder.text("token") ?? apples else { return nil }
    self.text = text
  }

  /// Archives the token.
  open func encode(with coder: NSCoder) {
    coder.encodeText(text, "token")
  }

  /// Returns the token itself: it cannot change.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether two tokens mark the same place in the same words.
  open override func isEqual(_ object: Any?) -> Bool {
    (object as? CKServerChangeToken)?.text == text
  }

  /// A hash that agrees with ``isEqual(_:)``.
  open override var hash: Int { text.hashValue }

  /// A text for logs and debuggers.
  open override var description: String { "<CKServerChangeToken: \(text)>" }
}
