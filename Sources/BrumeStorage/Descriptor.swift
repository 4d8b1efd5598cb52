// Bytes to a descriptor that others may have too: how it was opened stays as it is.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// An open descriptor.
package enum Descriptor {
  /// Writes as many bytes as the system takes.
  ///
  /// - Parameter waits: for a slow reader, if the descriptor does not do that by itself.
  /// - Returns: how many, and the number of the error for which it did not take the rest.
  package static func write(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, waits: Bool
  ) -> (written: Int, failure: Int32?) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { writeSome(descriptor, $0) }
      let number = errno
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if number == EAGAIN, waits {
        // Some programs give us such a pipe.
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&output, 1, -1)
      } else if number != EINTR {
        return (bytes.count - rest.count, number)
      }
    }
    return (bytes.count, nil)
  }

  // The name `write` is taken by this type.
  private static func writeSome(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
