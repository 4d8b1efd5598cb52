// Assets in a bucket of any S3-compatible service. A file is written to a spool on the disk first:
// the service wants to know length and digest before the first byte, and an upload that fails half
// way can be sent again. Nothing is held in memory.

import AsyncHTTPClient
package import BrumeModel
package import BrumeStorage
import Crypto
import NIOCore
import NIOHTTP1

/// Assets in one bucket. Its errors are those of `AssetStore`.
package final class S3AssetStore: AssetStore {
  /// Ours: how often a request is sent, when the service was not to be reached or said 5xx.
  private static let attempts = 3
  /// Ours: how long a connection may take to open.
  private static let connectTime = TimeAmount.seconds(10)
  /// Ours: how long the service may be silent in the middle of an answer.
  private static let silence = TimeAmount.seconds(60)
  /// Ours: a list or an error; more is not read.
  private static let answerBytes = 4 << 20
  /// Ours: connections to the service, as many as the server may have itself. Each is used by a request that the server
  /// has admitted, and a download keeps its own for as long as its client reads: with fewer, slow readers would keep
  /// everybody's files waiting.
  private static let connections = 1_000_000
  private let address: S3Address
  private let credentials: S3Credentials
  private let spool: String
  private let now: @Sendable () -> Milliseconds
  /// One for all, never shut down: connections that rest close by themselves.
  private static let client = makeClient()

  /// - Parameters:
  ///   - spool: a folder for files on their way; made if its parent exists, emptied at the start.
  ///   - now: the time, for signatures.
  package init(
    _ address: S3Address, _ credentials: S3Credentials, spool: String,
    now: @escaping @Sendable () -> Milliseconds
  ) throws(AssetFailure) {
    self.address = address
    self.credentials = credentials
    self.spool = spool
    self.now = now
    try Folder.make(spool)
    for name in Folder.names(in: spool) { try Folder.remove("\(spool)/\(name)") }
  }

  private static func makeClient() -> HTTPClient {
    var configuration = HTTPClient.Configuration()
    configuration.timeout.connect = connectTime
    configuration.timeout.read = silence
    configuration.redirectConfiguration = .disallow
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
    return HTTPClient(
      eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
  }

  package func write(
    _ name: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws {
    try AssetObjectName.check(name)
    let path = "\(spool)/\(name)"
    let file = try OpenFile.new(path)
    // The name goes at once; the file lives as long as it is open.
    try Folder.remove(path)
    var digest = SHA256()
    while let piece = try await next() {
      piece.withUnsafeBytes { digest.update(bufferPointer: $0) }
      try file.append(piece)
    }
    var request = request("PUT", name)
    request.bodyDigest = Hex.text(digest.finalize())
    let size = try file.size
    _ = try await send(request, wanting: [200]) { message in
      message.body = .stream(FilePieces(file: file, size: size), length: .known(size))
    } read: { _, _ in
    }
  }

  package func size(of name: String) async throws -> Int64? {
    try AssetObjectName.check(name)
    let request = request("HEAD", name)
    return try await send(request, wanting: [200, 404]) { response, _ in
      guard response.status == .ok else { return nil }
      guard let size = response.headers.first(name: "content-length").flatMap({ Int64($0) }) else {
        throw AssetFailure(.unavailable, "the service did not say how long '\(name)' is")
      }
      return size
    }
  }

  package func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    try AssetObjectName.check(name)
    guard !range.isEmpty else { return }
    var request = request("GET", name)
    request.headers = [("range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
    var count: Int64 = 0
    try await send(request, wanting: [206, 200]) { response, _ in
      guard response.status == .partialContent || range.lowerBound == 0 else {
        throw AssetFailure(.unavailable, "the service ignored the range of '\(name)'")
      }
      for try await part in response.body {
        let wanted = min(Int64(part.readableBytes), range.count64 - count)
        count += wanted
        try await take(ArraySlice(part.readableBytesView.prefix(Int(wanted))))
        if count == range.count64 { break }
      }
    }
    guard count == range.count64 else {
      throw AssetFailure(.missing, "the object '\(name)' is shorter than it was")
    }
  }

  package func remove(_ name: String) async throws {
    try AssetObjectName.check(name)
    try await send(request("DELETE", name), wanting: [204, 200, 404]) { _, _ in }
  }

  package func names(after name: String, limit: Int) async throws -> [String] {
    var request = S3Request("GET", host: address.host, path: address.root)
    request.query = [
      ("list-type", "2"), ("prefix", address.prefix), ("start-after", address.prefix + name),
      ("max-keys", String(min(limit, 1000))),
    ]
    return try await send(request, wanting: [200]) { response, _ in
      let text = String(buffer: try await response.body.collect(upTo: Self.answerBytes))
      return S3List.keys(in: text).map { String($0.dropFirst(self.address.prefix.count)) }
    }
  }
}

// MARK: Requests

extension S3AssetStore {
  private func request(_ method: String, _ name: String) -> S3Request {
    S3Request(method, host: address.host, path: address.path(of: name))
  }

  /// Sends a request until the service answers with one of the statuses that are wanted.
  @discardableResult
  private func send<Value>(
    _ request: S3Request, wanting statuses: Set<UInt>,
    _ complete: (inout HTTPClientRequest) -> Void = { _ in },
    read: (HTTPClientResponse, Int) async throws -> Value
  ) async throws -> Value {
    var attempt = 1
    while true {
      let response: HTTPClientResponse
      do {
        response = try await Self.client.execute(
          message(request, complete), deadline: .distantFuture)
      } catch let error as HTTPClientError where attempt < Self.attempts && error != .cancelled {
        attempt += 1
        continue
      } catch let error as CancellationError {
        throw error
      } catch {
        throw AssetFailure(.unavailable, "cannot reach \(address.base): \(error)")
      }
      if statuses.contains(response.status.code) { return try await read(response, attempt) }
      let reason = try? await response.body.collect(upTo: Self.answerBytes)
      if response.status.code >= 500, attempt < Self.attempts {
        attempt += 1
        continue
      }
      throw Self.failure(request, response, reason.map { String(buffer: $0) } ?? "")
    }
  }

  private func message(
    _ request: S3Request, _ complete: (inout HTTPClientRequest) -> Void
  ) -> HTTPClientRequest {
    let query = request.queryText
    var message = HTTPClientRequest(
      url: address.base + request.path + (query.isEmpty ? "" : "?" + query))
    message.method = .RAW(value: request.method)
    let headers = request.signedHeaders(by: credentials, region: address.region, at: now())
    for (name, value) in headers where name != "host" {
      message.headers.add(name: name, value: value)
    }
    complete(&message)
    return message
  }

  private static func failure(
    _ request: S3Request, _ response: HTTPClientResponse, _ reason: String
  ) -> AssetFailure {
    let code: AssetFailure.Code = response.status == .notFound ? .missing : .unavailable
    let what = S3List.value(of: "Code", in: reason[...])?.value ?? "no reason given"
    return AssetFailure(
      code, "\(request.method) \(request.path): the service said \(response.status.code) (\(what))")
  }
}

/// A file as the body of a request.
private struct FilePieces: AsyncSequence, Sendable {
  let file: OpenFile
  let size: Int64

  struct AsyncIterator: AsyncIteratorProtocol {
    let file: OpenFile
    let size: Int64
    var offset: Int64 = 0

    mutating func next() async throws -> ByteBuffer? {
      guard offset < size else { return nil }
      let piece = try file.bytes(
        at: offset, count: Int(Swift.min(Int64(OpenFile.pieceBytes), size - offset)))
      guard !piece.isEmpty else { return nil }
      offset += Int64(piece.count)
      return ByteBuffer(bytes: piece)
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(file: file, size: size) }
}

/// What we need of the service's XML: the text of elements without children.
package enum S3List {
  /// What XML writes in the place of a character. Our keys have none of them, but others may have keys in the bucket.
  /// The ampersand is last, so that what it begins is not read once more.
  private static let escapes = [
    ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#34;", "\""),
    ("&#39;", "'"), ("&#13;", "\r"), ("&#x9;", "\t"), ("&#xA;", "\n"), ("&#xD;", "\r"),
    ("&amp;", "&"),
  ]

  /// The names that a list has.
  package static func keys(in text: String) -> [String] {
    var keys: [String] = []
    var rest = text[...]
    while let found = value(of: "Key", in: rest) {
      keys.append(escapes.reduce(found.value) { $0.replacing($1.0, with: $1.1) })
      rest = found.rest
    }
    return keys
  }

  /// The text of the first element of a name, and what stands behind it.
  package static func value(
    of element: String, in text: Substring
  ) -> (value: String, rest: Substring)? {
    guard let open = text.firstRange(of: "<\(element)>"),
      let close = text[open.upperBound...].firstRange(of: "</\(element)>")
    else { return nil }
    return (String(text[open.upperBound..<close.lowerBound]), text[close.upperBound...])
  }
}

extension Range<Int64> {
  fileprivate var count64: Int64 { upperBound - lowerBound }
}
