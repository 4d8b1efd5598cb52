// Looking for bytes of a text.

extension String {
  /// Whether one of the text's bytes is as asked. Eight are looked at together: others wait while the texts of a large request
  /// are looked at.
  ///
  /// - Parameters:
  ///   - isByte: asked of one byte.
  ///   - isInWord: the same, asked of eight bytes in one number.
  @inlinable
  package func hasByte(
    _ isByte: (UInt8) -> Bool, inWord isInWord: (UInt64) -> Bool
  ) -> Bool {
    var text = self
    return text.withUTF8 { bytes in
      let words = UnsafeRawBufferPointer(bytes)
      var at = 0
      while bytes.count - at >= 8 {
        if isInWord(words.loadUnaligned(fromByteOffset: at, as: UInt64.self)) { return true }
        at += 8
      }
      return bytes[at...].contains(where: isByte)
    }
  }
}
