// The system's name lookup. It blocks, so it runs on NIO's thread pool; how many run at once is bounded
// by the delivery queue.

import NIOPosix

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

package enum NameLookup {
  /// All addresses of a name, IPv4 first.
  package static func addresses(_ name: String) async throws -> [IPAddress] {
    try await NIOThreadPool.singleton.runIfActive { lookUp(name) }
  }

  private static func lookUp(_ name: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var found: [IPAddress] = []
    var next = list
    while let entry = next {
      if let address = address(entry.pointee), !found.contains(address) { found.append(address) }
      next = entry.pointee.ai_next
    }
    return found.filter(\.isV4) + found.filter { !$0.isV4 }
  }

  private static func address(_ entry: addrinfo) -> IPAddress? {
    guard let raw = UnsafeRawPointer(entry.ai_addr) else { return nil }
    switch entry.ai_family {
    case AF_INET:
      return .v4(UInt32(bigEndian: raw.loadUnaligned(as: sockaddr_in.self).sin_addr.s_addr))
    case AF_INET6:
      let socket = raw.loadUnaligned(as: sockaddr_in6.self)
      return .v6(withUnsafeBytes(of: socket.sin6_addr) { Array($0) })
    default: return nil
    }
  }
}

extension IPAddress {
  fileprivate var isV4: Bool {
    if case .v4 = self { true } else { false }
  }
}
