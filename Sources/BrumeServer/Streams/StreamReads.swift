// Reads mailboxes for open streams, which have no tasks of their own. A stream asks for one reading at
// a time, so what waits here is bounded by the connections.

import BrumeDelivery
import BrumeModel
import Logging
import ServiceLifecycle

package final class StreamReads: Sendable {
  private struct Order: Sendable {
    let position: Int64
    let stream: StreamConnection
  }
  private let orders: AsyncStream<Order>
  private let order: AsyncStream<Order>.Continuation

  init() {
    (orders, order) = AsyncStream.makeStream()
  }

  /// Reads what comes after a position and gives it to the stream.
  func read(after position: Int64, for stream: StreamConnection) {
    order.yield(Order(position: position, stream: stream))
  }

  /// Carries out what is asked for, until cancelled.
  func run(in server: Composition) async {
    await withDiscardingTaskGroup { tasks in
      for await order in orders {
        tasks.addTask(operation: { await Self.carryOut(order, server) })
      }
    }
  }

  private static func carryOut(_ order: Order, _ server: Composition) async {
    let stream = order.stream
    do {
      let found = try await server.eventStream(of: stream.device).entries(after: order.position)
      let leaving = try await server.faultless(found.entries, to: stream.device)
      stream.found(leaving, nextDue: found.nextDue, isAll: found.isAll)
    } catch {
      server.logger.warning(
        "a stream ends, because its mailbox cannot be read",
        metadata: ["device": "\(stream.device.device)", "error": "\(error)"])
      stream.end()
    }
  }
}

struct StreamReadsService: Service {
  let server: Composition
  func run() async throws {
    await cancelWhenGracefulShutdown { await server.reads.run(in: server) }
  }
}

extension Composition {
  /// A device's mailbox as its streams read it.
  func eventStream(of device: DeviceKey) -> EventStream {
    EventStream(engine: engine, store: store, signals: signals, device: device, host: host)
  }
}
