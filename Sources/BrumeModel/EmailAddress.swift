// How two e-mail addresses are distinguished: by their bytes, but for the case of ASCII letters. Nobody's
// mail system keeps `Bob@Example.org` and `bob@example.org` apart, and people type both. An address
// is kept and answered as it was typed, because callers look for their own spelling in the answer.

/// Compares e-mail addresses.
package enum EmailAddress {
  /// What two spellings of one address have in common: the address with small ASCII letters. Other
  /// letters stay as they are, as in SQLite's `NOCASE`, so that no engine reads them differently.
  package static func key(_ address: String) -> String {
    String(decoding: address.utf8.map(small), as: UTF8.self)
  }

  /// Whether two addresses are one mailbox.
  package static func isSame(_ one: String, _ other: String) -> Bool {
    one.utf8.lazy.map(small).elementsEqual(other.utf8.lazy.map(small))
  }

  private static func small(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
