// The system's name lookup. It blocks, for many seconds where a name server does not answer, and whoever
// registers an address chooses the name server: so it has threads of its own, which nothing else waits
// for, and of these the names of one domain have some.

import NIOPosix

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Names of hosts to addresses.
package enum NameLookup {
  /// Nobody could say whether there is such a name.
  private struct Failure: Error {
    let status: Int32
  }

  /// Ours: lookups at once; more wait.
  private static let threads: NIOThreadPool = {
    let threads = NIOThreadPool(numberOfThreads: 16)
    threads.start()
    return threads
  }()

  private static let turns = NameTurns()

  /// All addresses of a name that this machine can have a way to, IPv4 first; none if there is no such name.
  ///
  /// - Throws: when the lookup itself failed, which says nothing about the name.
  package static func addresses(_ name: String) async throws -> [IPAddress] {
    try await turns.take(name) { try await threads.runIfActive { try lookUp(name) } }
  }

  /// Whether a status of `getaddrinfo` says that the name has no address. All others may be otherwise
  /// the next time.
  package static func isUnknown(_ status: Int32) -> Bool {
    // No data, and no address of the family, are not in every system's headers.
    status == EAI_NONAME || status == -5 || status == -9
  }

  private static func lookUp(_ name: String) throws -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    // None that this machine has no way to: the first is the one that is called.
    hints.ai_flags = AI_ADDRCONFIG
    #if canImport(Darwin)
      hints.ai_socktype = SOCK_STREAM
    #else
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    let status = getaddrinfo(name, nil, &hints, &list)
    guard status == 0 else {
      if isUnknown(status) { return [] }
      throw Failure(status: status)
    }
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
