// A server that says what a test gives it, byte by byte, also what no server should say.

import NIOCore
import NIOPosix
import Synchronization

final class ScriptedServer: Sendable {
  enum Step: Sendable {
    case say(String)
    /// It says nothing more, and still reads.
    case end
    case close
  }
  /// What has come in on a connection since its last answer, and what is done about it. No steps: it waits for more.
  typealias Script = @Sendable (String) -> [Step]

  private let script: Script
  private let counts = Mutex((opened: 0, closed: 0))
  private let closings: AsyncStream<Void>
  private let closing: AsyncStream<Void>.Continuation

  private init(_ script: @escaping Script) {
    self.script = script
    (closings, closing) = AsyncStream.makeStream()
  }

  var opened: Int { counts.withLock { $0.opened } }

  /// Returns when a client has closed a connection.
  func closed() async {
    for await _ in closings { return }
  }

  /// Runs `body` with a server and its address.
  static func run(
    _ script: @escaping Script, _ body: (ScriptedServer, String) async throws -> Void
  ) async throws {
    let server = ScriptedServer(script)
    let channel = try await server.bootstrap.bind(host: "127.0.0.1", port: 0).get()
    do {
      try await body(server, "http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
      try await channel.close()
    } catch {
      try? await channel.close()
      throw error
    }
  }

  private var bootstrap: ServerBootstrap {
    ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Connection(self))
        }
      }
  }

  private final class Connection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let server: ScriptedServer
    private var text = ""

    init(_ server: ScriptedServer) { self.server = server }

    func channelActive(context: ChannelHandlerContext) {
      server.counts.withLock { $0.opened += 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      text += String(buffer: unwrapInboundIn(data))
      let steps = server.script(text)
      if !steps.isEmpty { text = "" }
      for step in steps {
        switch step {
        case .say(let words):
          context.writeAndFlush(NIOAny(ByteBuffer(string: words)), promise: nil)
        case .end: context.close(mode: .output, promise: nil)
        case .close: context.close(promise: nil)
        }
      }
    }

    func channelInactive(context: ChannelHandlerContext) { server.closing.yield() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      context.close(promise: nil)
    }
  }
}
