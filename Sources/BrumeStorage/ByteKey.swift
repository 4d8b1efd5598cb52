// Bytes as a dictionary key.

/// Bytes that are hashed in one piece; an array of bytes is hashed byte by byte.
package struct ByteKey: Hashable, Sendable {
  private let bytes: [UInt8]
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
