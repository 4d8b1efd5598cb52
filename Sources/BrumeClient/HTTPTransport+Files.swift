// Files over HTTP: bodies of known length, sent and received piece by piece. A transfer may take as
// long as it moves.

#if HTTPS
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1

  extension HTTPTransport {
    package func upload(
      _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
    ) async throws -> HTTPAnswer {
      // The pieces are made on the client's side of the request, the progress is reported on the
      // caller's: a stream of counts between them.
      let (counts, count) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(64))
      var request = request(call)
      request.body = .stream(
        FilePieces(file: file) { count.yield($0) }, length: .known(file.state.size))
      let outgoing = request
      async let answer = exchange(outgoing, call, ending: count)
      for await sent in counts { await progress(sent) }
      return try await answer
    }

    private func exchange(
      _ request: HTTPClientRequest, _ call: HTTPCall,
      ending counts: AsyncStream<Int64>.Continuation
    ) async throws -> HTTPAnswer {
      defer { counts.finish() }
      do {
        return try await Self.answer(
          try await Self.files.execute(request, deadline: .distantFuture))
      } catch let failure as OutgoingFile.Failure {
        throw failure
      } catch {
        throw Self.failure(error, call)
      }
    }

    package func download(
      _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      try await receive(call, through: Self.files, take)
    }
  }

  /// A file as the body of a request.
  private struct FilePieces: AsyncSequence, Sendable {
    let file: OutgoingFile
    let sent: @Sendable (Int64) -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
      let file: OutgoingFile
      let sent: @Sendable (Int64) -> Void
      var offset: Int64 = 0

      mutating func next() async throws -> ByteBuffer? {
        if offset > 0 { sent(offset) }
        let piece = try file.piece(at: offset)
        guard !piece.isEmpty else { return nil }
        offset += Int64(piece.count)
        return ByteBuffer(bytes: piece)
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, sent: sent) }
  }
#endif
