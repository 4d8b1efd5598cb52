// HTTP to the outside with AsyncHTTPClient: one client for each account at Apple, which speaks HTTP/2, and
// one for each checked address of other hosts, so that a name cannot lead elsewhere between check and call.
// Redirects are never followed, answers are read to a small bound.

import AsyncHTTPClient
package import BrumeModel
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The HTTP clients of a server, to be closed at its end.
package final class OutsideClients: Sendable {
  /// Made when first needed: a server that sends nothing opens nothing.
  private struct Clients {
    var pinned = ClientCache()
    var accounts = ClientCache()
    /// What calls may still be under way on that others have given up.
    var retired: HTTPClient?
    var isClosed = false
  }
  private struct ClientCache {
    private(set) var clients: [String: HTTPClient] = [:]
    /// The order of last use.
    private var order: [String] = []

    /// A client by its name, and one that has to make room for it.
    mutating func client(
      _ name: String, keeping most: Int, orMake make: () -> HTTPClient
    ) -> (HTTPClient, old: HTTPClient?) {
      order.removeAll { $0 == name }
      order.append(name)
      if let known = clients[name] { return (known, nil) }
      let new = make()
      clients[name] = new
      guard order.count > most else { return (new, nil) }
      return (new, clients.removeValue(forKey: order.removeFirst()))
    }

    /// Answers whether it was the client of that name.
    mutating func remove(_ client: HTTPClient, _ name: String) -> Bool {
      guard clients[name] === client else { return false }
      clients[name] = nil
      order.removeAll { $0 == name }
      return true
    }
  }

  private let limits: Limits
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
    timeout: Int, trust: String?, limits: Limits = .apple,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) {
    self.limits = limits
    self.timeout = .seconds(Int64(timeout))
    self.sleep = sleep
    roots = trust.map { .file($0) }
  }

  private static func client(
    _ timeout: TimeAmount, _ roots: NIOSSLAdditionalTrustRoots?, _ addresses: [String: String],
    _ limits: Limits
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
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit =
      limits.outsideConnectionsPerHost
    // They are called that, but are the way to a connection's handlers.
    configuration.http1_1ConnectionDebugInitializer = { AnswerCheck.add(to: $0) }
    configuration.http2StreamChannelDebugInitializer = { AnswerCheck.add(toStream: $0) }
    configuration.http2ConnectionDebugInitializer = { StreamLimit.add(to: $0) }
    return HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }

  /// Sends one call, pinned or not.
  ///
  /// - Throws: what the HTTP client throws: no connection, no answer in time, a certificate that is not
  ///   trusted; `CancellationError`. Any status is an answer.
  package func send(_ call: OutsideCall) async throws -> OutsideReply {
    var request = HTTPClientRequest(url: call.url)
    request.method = .POST
    for header in call.headers { request.headers.add(name: header.name, value: header.value) }
    request.body = .bytes(ByteBuffer(bytes: call.body))
    let response = try await execute(request, on: try await client(for: call), call)
    return OutsideReply(
      status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after"),
      body: await text(of: response.body))
  }

  private func execute(
    _ request: HTTPClientRequest, on client: HTTPClient, _ call: OutsideCall
  ) async throws -> HTTPClientResponse {
    do {
      return try await client.execute(request, timeout: timeout)
    } catch let error as HTTPClientError where error == .deadlineExceeded && call.pinned == nil {
      await retire(client, of: call.account)
      throw error
    }
  }

  /// The next call of the account connects anew: a connection that takes everything and answers nothing looks to the pool
  /// like any other, and calls of HTTP/2 share it. What is still under way on it may end.
  private func retire(_ client: HTTPClient, of account: String) async {
    let old = open.withLock { open -> HTTPClient? in
      guard open.accounts.remove(client, account) else { return nil }
      return exchange(&open.retired, with: client)
    }
    try? await old?.shutdown()
  }

  /// What comes of the text in time. The status is the answer already: a text that trickles, or never
  /// comes, must not keep the send under way, for there is a bound on those for all.
  private func text(of body: HTTPClientResponse.Body) async -> [UInt8] {
    let (sleep, timeLimit) = (sleep, Duration.nanoseconds(timeout.nanoseconds))
    let most = limits.outsideAnswerBytes
    return await withTaskGroup(of: [UInt8].self) { group in
      group.addTask(operation: { await Self.beginning(of: body, upTo: most) })
      group.addTask(operation: {
        try? await sleep(timeLimit)
        return []
      })
      defer { group.cancelAll() }
      return await group.next() ?? []
    }
  }

  /// What is left unread is dropped with the connection.
  private static func beginning(
    of body: HTTPClientResponse.Body, upTo most: Int
  ) async -> [UInt8] {
    var bytes: [UInt8] = []
    do {
      for try await part in body {
        bytes += part.readableBytesView.prefix(most - bytes.count)
        if bytes.count >= most { break }
      }
    } catch {
      // The status is the answer; its explanation got lost.
    }
    return bytes
  }

  private func client(for call: OutsideCall) async throws -> HTTPClient {
    let (timeout, roots, limits) = (timeout, roots, limits)
    let most = limits.outsideHosts
    let (client, old) = try open.withLock { open in
      if open.isClosed { throw HTTPClientError.alreadyShutdown }
      guard let pin = call.pinned else {
        return open.accounts.client(call.account, keeping: most) {
          Self.client(timeout, roots, [:], limits)
        }
      }
      let address = pin.address.description
      return open.pinned.client("\(pin.host) \(address)", keeping: most) {
        Self.client(timeout, roots, [pin.host: address], limits)
      }
    }
    // Calls that are still under way on it fail and are tried again.
    try? await old?.shutdown()
    return client
  }

  /// Closes all connections, for good.
  package func close() async {
    let all = open.withLock { open in
      let all =
        [open.pinned, open.accounts].flatMap(\.clients.values) + [open.retired].compactMap(\.self)
      open = Clients(isClosed: true)
      return all
    }
    for client in all { try? await client.shutdown() }
  }
}
