// A database that was brought back from a copy while no server ran: nobody who knew better is there, but a server's own mark.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresMarkTests {
  @Test func `a start notices a database that was brought back from a copy while no server ran`()
    async throws
  {
    try await PostgresServer.with { server in
      let (url, mark) = (try server.emptySchema(), MarkInMemory())
      try await Self.serve(url, mark) { store in
        try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
        try await Self.save("kept", in: store, knowing: mark)
      }
      try await server.keepCopy()
      try await Self.serve(url, mark) { store in
        let isKnown = try await Self.isCopiedBack(store)
        #expect(!isKnown, "nothing was brought back")
        try await Self.save("lost", in: store, knowing: mark)
      }
      try await server.bringBackCopy()
      let isKnown = try await Self.serve(url, nil) { try await Self.isCopiedBack($0) }
      #expect(!isKnown, "a server without a mark cannot know")
      #expect(try await Self.serve(url, mark) { try await Self.isCopiedBack($0) })
    }
  }

  @Test func `who brings a database back may say so, and a mark of before says nothing more`()
    async throws
  {
    try await PostgresServer.with { server in
      let (url, mark) = (try server.emptySchema(), MarkInMemory())
      try await Self.serve(url, mark) { store in
        try await store.write(in: .server) { try $0.settings.set(.secret, to: [1]) }
      }
      try await server.keepCopy()
      try await Self.serve(url, mark) { try await Self.save("lost", in: $0, knowing: mark) }
      try await server.bringBackCopy()
      // Another server has begun a new generation.
      try await Self.serve(url, nil) { store in
        try await store.write(in: .everything(of: store)) { try $0.sequences.raise(above: 5000) }
      }
      #expect(try await Self.serve(url, mark) { try await !Self.isCopiedBack($0) })
    }
  }

  @Test func `a mark of another database says nothing`() async throws {
    let (server, mark) = (try PostgresServer.shared.get(), MarkInMemory())
    for secret: UInt8 in 1...2 {
      try await Self.serve(try server.emptySchema(), mark) { store in
        let isKnown = try await Self.isCopiedBack(store)
        #expect(!isKnown)
        try await store.write(in: .server) { try $0.settings.set(.secret, to: [secret]) }
        for number in 0..<(secret == 1 ? 2 : 1) {
          try await Self.save("\(number)", in: store, knowing: mark)
        }
      }
    }
  }

  /// Runs a server's store on the database, with its mark in `mark`.
  private static func serve<Value>(
    _ url: String, _ mark: MarkInMemory?, _ body: (PostgresStore) async throws -> Value
  ) async throws -> Value {
    let store = try PostgresStore.forTest(url: url, mark: mark?.kept)
    let result = await Result { try await body(store) }
    try await store.close()
    return try result.get()
  }

  /// Saves a record, and waits until the mark knows of it.
  private static func save(
    _ name: String, in store: PostgresStore, knowing mark: MarkInMemory
  ) async throws {
    let bucket = Bucket(of: .sample(), among: 1)
    try await store.write(in: .database(.sample())) { _ = try $0.save(name) }
    let position = try await store.read { try $0.log.lastPosition(in: bucket) }
    await mark.knows(position, in: bucket)
  }

  private static func isCopiedBack(_ store: PostgresStore) async throws -> Bool {
    try await store.read { try $0.settings.value(.copiedBack) } != nil
  }
}

@Suite struct DatabaseProgressTests {
  private static let known = DatabaseProgress(store: "a", floor: 5, positions: [0: 7, 3: 2])

  @Test func `a mark is read as it was written`() {
    #expect(DatabaseProgress(text: Self.known.text) == Self.known)
    let empty = DatabaseProgress(store: "a", floor: 0, positions: [:])
    #expect(DatabaseProgress(text: empty.text) == empty)
  }

  @Test func `a part of a mark says nothing or less, never more`() {
    let bytes = Array(Self.known.text.utf8)
    for count in 0..<bytes.count {
      let read = DatabaseProgress(text: String(decoding: bytes[..<count], as: UTF8.self))
      #expect(read?.isBehind(Self.known) != false, "\(count)")
    }
    for text in ["x\na 1\n", "brume-postgres-mark-1\na\n", "brume-postgres-mark-1\na 1\n0 x\n"] {
      #expect(DatabaseProgress(text: text) == nil, "\(text)")
    }
  }

  @Test(
    arguments: [
      (5, [0: 7, 3: 2], false), (5, [0: 8, 3: 2, 4: 1], false), (6, [:], false),
      (5, [0: 6, 3: 2], true), (5, [0: 7], true), (4, [0: 9, 3: 9], true),
    ] as [(Int64, [Int64: Int64], Bool)])
  func `a database is behind a mark of the same generation that has seen more, or of a later one`(
    floor: Int64, positions: [Int64: Int64], isBehind: Bool
  ) {
    let now = DatabaseProgress(store: "a", floor: floor, positions: positions)
    #expect(now.isBehind(Self.known) == isBehind)
    #expect(!DatabaseProgress(store: "b", floor: 0, positions: [:]).isBehind(Self.known))
  }
}

/// What a server would keep in its folder.
private final class MarkInMemory: Sendable {
  private let bytes = Mutex<[UInt8]?>(nil)
  private let (writes, write) = AsyncStream.makeStream(of: Void.self)

  var kept: KeptMark {
    KeptMark(read: { self.bytes.withLock { $0 } }) { bytes in
      self.bytes.withLock { $0 = bytes }
      self.write.yield()
    }
  }

  /// Returns when the mark has this position.
  func knows(_ position: Int64, in bucket: Bucket) async {
    var iterator = writes.makeAsyncIterator()
    while self.position(in: bucket) < position { await iterator.next() }
  }

  private func position(in bucket: Bucket) -> Int64 {
    let text = String(decoding: bytes.withLock { $0 } ?? [], as: UTF8.self)
    return DatabaseProgress(text: text)?.positions[Int64(bucket.number)] ?? 0
  }
}
