// A text as a dictionary key that is its bytes. Swift's own `String` keys would make two spellings
// of `é` one key, where SQLite and PostgreSQL keep two rows (decision 0011).

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A text that is compared, ordered and hashed by its UTF-8.
package struct ByteText: Hashable, Comparable, Sendable {
  package let text: String
  package init(_ text: String) { self.text = text }

  /// Several texts as one key. U+0000 never reaches an engine, so it can separate them.
  package init(parts: String...) { text = parts.joined(separator: "\0") }

  package static func == (a: Self, b: Self) -> Bool {
    let count = a.text.utf8.count
    guard count == b.text.utf8.count else { return false }
    var (a, b) = (a.text, b.text)
    // The C library compares them faster than a loop could.
    return a.withUTF8 { a in
      b.withUTF8 { b in
        guard let a = a.baseAddress, let b = b.baseAddress else { return true }
        return memcmp(a, b, count) == 0
      }
    }
  }
  package static func < (a: Self, b: Self) -> Bool {
    a.text.utf8.lexicographicallyPrecedes(b.text.utf8)
  }
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension DeviceKey {
  /// The key by bytes: device IDs are the clients' own texts.
  package var byteText: ByteText {
    ByteText(parts: container.name, environment.rawValue, user.name, device.name)
  }
}
