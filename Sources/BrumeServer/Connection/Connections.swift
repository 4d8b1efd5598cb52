// How a server takes connections, by its settings: what each may take, who counts them, and whether they
// speak TLS.

import BrumeCore
import HummingbirdCore
import NIOCore
import NIOHTTP2

struct Connections: Sendable {
  private let settings: Settings
  private let identities: TLSIdentities?
  private let shares: ConnectionShares
  private let metrics: ServerMetrics
  private let uuid: @Sendable () -> String

  init(_ server: Composition) {
    settings = server.settings
    identities = server.identities
    shares = server.connectionShares
    metrics = server.metrics
    uuid = server.host.uuid
  }

  /// What the listener gives its connections to.
  func channel(_ responder: @escaping HTTPChannelHandler.Responder) -> any ServerChildChannel {
    let requests = requests(responder)
    guard let identities else { return requests }
    return SecureChannel(
      requests: requests, identities: identities, limits: limitsOfHTTP2,
      frames: NIOHTTP2Handler.Configuration(settings.limits))
  }

  private func requests(_ responder: @escaping HTTPChannelHandler.Responder) -> LoopChannel {
    let idle = TimeAmount.seconds(Int64(settings.timeouts.idle))
    let (limits, hosts, uuid) = (limits, settings.hosts, uuid)
    let (shares, metrics, proxies) = (shares, metrics, settings.trustedProxies)
    return LoopChannel(
      http: HTTP1Channel(responder: responder, configuration: .init(idleTimeout: idle)),
      limitOfAddress: {
        ConnectionLimitHandler(shares: shares, metrics: metrics, trustedProxies: proxies)
      },
      makeGuard: { ConnectionGuard(limits: limits, hosts: hosts, uuid: uuid) })
  }

  private var limits: ConnectionRules.Limits {
    ConnectionRules.Limits(
      headerMilliseconds: Int64(settings.timeouts.header) * 1000,
      bodySeconds: settings.timeouts.body,
      writeMilliseconds: Int64(settings.timeouts.write) * 1000,
      requestMilliseconds: Int64(settings.timeouts.request) * 1000, limits: settings.limits)
  }

  private var limitsOfHTTP2: HTTP2Rules.Limits {
    HTTP2Rules.Limits(
      headerMilliseconds: Int64(settings.timeouts.header) * 1000,
      idleMilliseconds: Int64(settings.timeouts.idle) * 1000,
      writeMilliseconds: Int64(settings.timeouts.write) * 1000, limits: settings.limits)
  }
}
