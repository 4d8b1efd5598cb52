// Files between this machine and the server, in both directions, never as a whole in memory.

package import Foundation

/// A local file on its way out.
package struct OutgoingFile: Sendable {
  /// Ours: how much is read and sent at once. After each the transfer is known to move, on a slow line too.
  static let pieceBytes = 32_768
  /// Nil: nobody else can reach the file.
  private let url: URL?
  /// What the file was when it was opened.
  package let state: State
  private let handle: FileHandle
  private let start: Int64

  /// What shows that a file has changed.
  package struct State: Equatable, Sendable {
    package let size: Int64
    package let modified: Date
    package let number: UInt64
  }

  /// What can be wrong with a local file.
  package enum Failure: Error, Equatable, Sendable {
    /// There is no such file, or it cannot be read.
    case missing(String)
    /// It changed while it was being sent.
    case changed(String)
  }

  /// Opens a file.
  ///
  /// - Throws: `missing` if it is not there or cannot be read.
  package init(_ url: URL) throws(Failure) {
    guard url.isFileURL, let state = Self.state(of: url),
      let handle = try? FileHandle(forReadingFrom: url)
    else { throw .missing(url.path) }
    self.url = url
    self.state = state
    self.handle = handle
    start = 0
  }

  /// A part of a file that only the caller can reach, who leaves it as it is.
  package init(partOf handle: FileHandle, from start: Int64, size: Int64) {
    url = nil
    state = State(size: size, modified: .distantPast, number: 0)
    self.handle = handle
    self.start = start
  }

  /// The file as it is now; nil if there is none.
  package static func state(of url: URL) -> State? {
    guard let found = try? FileManager.default.attributesOfItem(atPath: url.path),
      found[.type] as? FileAttributeType == .typeRegular
    else { return nil }
    return State(
      size: (found[.size] as? NSNumber)?.int64Value ?? 0,
      modified: found[.modificationDate] as? Date ?? .distantPast,
      number: (found[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0)
  }

  /// Throws if the file is not what it was.
  package func checkUnchanged() throws(Failure) {
    guard let url, Self.state(of: url) != state else { return }
    throw .changed(url.path)
  }

  func piece(at offset: Int64) throws -> [UInt8] {
    let count = Int(min(Int64(Self.pieceBytes), state.size - offset))
    guard count > 0 else { return [] }
    try handle.seek(toOffset: UInt64(start + offset))
    guard let data = try handle.read(upToCount: count), data.count == count else {
      throw Failure.changed(url?.path ?? "a temporary file")
    }
    return [UInt8](data)
  }
}

extension Transport {
  /// Runs `send`, which says how much is sent wherever it is. That is reported on the caller's side.
  func reporting(
    _ progress: (Int64) async -> Void,
    _ send: @escaping @Sendable (@escaping @Sendable (Int64) -> Void) async throws -> HTTPAnswer
  ) async throws -> HTTPAnswer {
    let (counts, count) = AsyncStream<Int64>.makeStream(bufferingPolicy: .bufferingNewest(64))
    async let answer = {
      defer { count.finish() }
      return try await send { count.yield($0) }
    }()
    for await sent in counts { await progress(sent) }
    return try await answer
  }

  /// Sends a file as a request's body, and reads the whole answer. This form, for transports
  /// without a socket, reads the file first; `progress` is called once with all of it.
  package func upload(
    _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
  ) async throws -> HTTPAnswer {
    var call = call
    while Int64(call.body.count) < file.state.size {
      call.body += try file.piece(at: Int64(call.body.count))
    }
    await progress(file.state.size)
    return try await send(call)
  }

  /// Fetches an address and hands its content over. It returns the answer if it is no success.
  package func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    let answer = try await send(call)
    guard answer.status == 200 else { return answer }
    try await take(answer.body[...])
    return nil
  }
}
