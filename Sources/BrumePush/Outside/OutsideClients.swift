// HTTP to the outside with AsyncHTTPClient: one client for Apple, which speaks HTTP/2, and one for each
// checked address of other hosts, so that a name cannot lead elsewhere between check and call.
// Redirects are never followed, answers are read to a small bound.

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

package final class OutsideClients: Sendable {
  /// Enough for any error text.
  private static let answerBytes = 8192
  /// Ours: clients of pinned hosts kept open.
  private static let pinnedClients = 256

  /// Ours: to one host. How many are used is the delivery queue's business.
  private static let connections = 1000

  /// Made when first needed: a server that sends nothing opens nothing.
  private struct Clients {
    var apple: HTTPClient?
    var clients: [String: HTTPClient] = [:]
    /// The order of last use.
    var order: [String] = []
    var isClosed = false
  }

  private let timeout: TimeAmount
  private let sleep: @Sendable (Duration) async throws -> Void
  private let roots: NIOSSLAdditionalTrustRoots?
  private let open = Mutex(Clients())

  /// - Parameters:
  ///   - timeout: seconds until the status of an answer, connecting included; its text may take as
  ///     long again.
  ///   - trust: a PEM file with roots to trust beside the system's.
  ///   - sleep: waits for the text.
  package init(
    timeout: Int, trust: String?,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.timeout = .seconds(Int64(timeout))
    self.sleep = sleep
    roots = trust.map { .file($0) }
  }

  private static func client(
    _ timeout: TimeAmount, _ roots: NIOSSLAdditionalTrustRoots?, _ addresses: [String: String]
  ) -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    var tls = TLSConfiguration.makeClientConfiguration()
    if let roots { tls.additionalTrustRoots = [roots] }
    configuration.tlsConfiguration = tls
    configuration.timeout.connect = timeout
    configuration.redirectConfiguration = .disallow
    configuration.decompression = .disabled
    // Waiting and trying again is the delivery queue's business.
    configuration.connectionPool.retryConnectionEstablishment = false
    configuration.dnsOverride = addresses
    // To whoever may have been chosen by somebody else we speak the simpler protocol only.
    if !addresses.isEmpty { configuration.httpVersion = .http1Only }
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = Self.connections
    // They are called that, but are the way to a connection's handlers.
    configuration.http1_1ConnectionDebugInitializer = { AnswerCheck.add(to: $0) }
    configuration.http2StreamChannelDebugInitializer = { AnswerCheck.add(toStream: $0) }
    configuration.http2ConnectionDebugInitializer = { StreamLimit.add(to: $0) }
    return HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }

  /// Sends one call, pinned or not.
  package func send(_ call: OutsideCall) async throws -> OutsideReply {
    var request = HTTPClientRequest(url: call.url)
    request.method = .POST
    for header in call.headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .bytes(ByteBuffer(bytes: call.body))
    let response = try await client(for: call.pinned).execute(request, timeout: timeout)
    return OutsideReply(
      status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
      body: await text(of: response.body))
  }

  /// What comes of the text in time. The status is the answer already: a text that trickles, or never
  /// comes, must not keep the send under way, for there is a bound on those for all.
  private func text(of body: HTTPClientResponse.Body) async -> [UInt8] {
    let (sleep, patience) = (sleep, Duration.nanoseconds(timeout.nanoseconds))
    return await withTaskGroup(of: [UInt8].self) { group in
      group.addTask(operation: { await Self.beginning(of: body) })
      group.addTask(operation: {
        try? await sleep(patience)
        return []
      })
      defer { group.cancelAll() }
      return await group.next() ?? []
    }
  }

  /// What is left unread is dropped with the connection.
  private static func beginning(of body: HTTPClientResponse.Body) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in body {
        bytes += part.readableBytesView.prefix(answerBytes - bytes.count)
        if bytes.count >= answerBytes { break }
      }
    } catch {
      // The status is the answer; its explanation got lost.
    }
    return bytes
  }

  private func client(for pin: OutsideCall.Pin?) async throws -> HTTPClient {
    let (client, old) = try open.withLock { open in
      if open.isClosed { throw HTTPClientError.alreadyShutdown }
      guard let pin else { return (apple(&open), nil as HTTPClient?) }
      return pinned(pin, &open)
    }
    // Calls that are still under way on it fail and are tried again.
    try? await old?.shutdown()
    return client
  }

  private func apple(_ open: inout Clients) -> HTTPClient {
    if let known = open.apple { return known }
    let new = Self.client(timeout, roots, [:])
    open.apple = new
    return new
  }

  /// A client for one address, and one that has to make room for it.
  private func pinned(
    _ pin: OutsideCall.Pin, _ open: inout Clients
  ) -> (HTTPClient, old: HTTPClient?) {
    let name = "\(pin.host) \(pin.address)"
    open.order.removeAll { $0 == name }
    open.order.append(name)
    if let known = open.clients[name] { return (known, nil) }
    let new = Self.client(timeout, roots, [pin.host: pin.address.description])
    open.clients[name] = new
    guard open.order.count > Self.pinnedClients else { return (new, nil) }
    return (new, open.clients.removeValue(forKey: open.order.removeFirst()))
  }

  /// Closes all connections, for good.
  package func close() async {
    let all = open.withLock { open in
      let all = Array(open.clients.values) + [open.apple].compactMap { $0 }
      open = Clients(isClosed: true)
      return all
    }
    for client in all { try? await client.shutdown() }
  }
}
