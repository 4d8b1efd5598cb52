// How many connections one address may have open, so that it cannot take all of them.

import NIOCore
import Synchronization

/// Counts open connections by address. One for each server.
package final class ConnectionShares: Sendable {
  private let most: Int
  private let open = Mutex<[String: Int]>([:])

  /// - Parameter most: connections of one address; an IPv6 network counts as one.
  package init(most: Int) { self.most = most }

  /// Answers whether one more may be open. If so, `leave` follows.
  package func enter(_ address: String) -> Bool {
    open.withLock { open in
      guard open[address, default: 0] < most else { return false }
      open[address, default: 0] += 1
      return true
    }
  }

  /// A connection that had entered is closed.
  package func leave(_ address: String) {
    open.withLock { open in
      guard let count = open[address] else { return }
      open[address] = count > 1 ? count - 1 : nil
    }
  }
}

/// Closes a connection that its address may not have, before it costs more.
final class ConnectionLimitHandler: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = Never
  private let shares: ConnectionShares
  private let metrics: ServerMetrics
  private let trustedProxies: TrustedProxies

  init(shares: ConnectionShares, metrics: ServerMetrics, trustedProxies: TrustedProxies) {
    self.shares = shares
    self.metrics = metrics
    self.trustedProxies = trustedProxies
  }

  func channelActive(context: ChannelHandlerContext) {
    let peer = context.channel.remoteAddress
    if !ClientAddress.isProxy(peer, among: trustedProxies) {
      let address = ClientAddress(peer: peer, forwarded: nil, trustedProxies: trustedProxies).name
      guard shares.enter(address) else {
        metrics.connectionRefused()
        return context.close(promise: nil)
      }
      context.channel.closeFuture.whenComplete { [shares] _ in shares.leave(address) }
    }
    context.fireChannelActive()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }
}

@available(*, unavailable)
extension ConnectionLimitHandler: Sendable {}
