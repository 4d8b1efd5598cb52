// Files over HTTP: bodies of known length, sent and received piece by piece. A transfer may take as
// long as it moves, and its operation has time.

#if HTTPS
  import AsyncHTTPClient
  import NIOCore
  import NIOHTTP1

  extension HTTPTransport {
    package func upload(
      _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
    ) async throws -> HTTPAnswer {
      try await reporting(progress) { sent in
        do {
          return try await AnswerWait(call).answer(by: Self.files) { parts in
            var request = request(call)
            let pieces = FilePieces(file: file) {
              parts.note()
              sent($0)
            }
            request.body = .stream(pieces, length: .known(file.state.size))
            return request
          }
        } catch let failure as OutgoingFile.Failure {
          throw failure
        } catch {
          throw Self.failure(error, call)
        }
      }
    }

    package func download(
      _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      try await receive(call, through: Self.files, within: PartWait(AnswerWait(call)), take)
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
