import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// What a write says that it changes, and which buckets that is.
@Suite struct WriteScopeTests {
  private let alice = DatabaseKey.sample(owner: "_alice")
  private let bob = DatabaseKey.sample(owner: "_bob")
  private let count = 256

  private func account(of database: DatabaseKey) throws -> WriteScope.Part {
    .account(try #require(database.owner), database.containerEnvironment)
  }

  @Test func `a store with one bucket keeps everything in it`() {
    #expect(Bucket(of: alice, among: 1) == .only && Bucket(of: bob, among: 1) == .only)
  }

  /// Engines keep the number of a database's bucket: another one would lose what is stored.
  @Test func `the bucket of a database is the same for ever`() {
    let numbers = ["_alice", "_bob", nil].map {
      Bucket(of: .sample(owner: $0), among: count).number
    }
    #expect(numbers == [210, 19, 80])
  }

  @Test func `databases are spread over all buckets`() {
    let used = Set((0..<10_000).map { Bucket(of: .sample(owner: "_user\($0)"), among: count) })
    #expect(used.count == count)
  }

  @Test func `a user's account is in the bucket of the private database`() throws {
    #expect(try account(of: alice).bucket(among: count) == Bucket(of: alice, among: count))
    #expect(WriteScope.Part.server.bucket(among: count) == nil)
  }

  @Test func `a write covers what it names and what is in a bucket that it names`() throws {
    let one = WriteScope.database(alice)
    #expect(one.covers(.database(alice), among: count))
    #expect(!one.covers(.database(bob), among: count))
    #expect(!one.covers(try account(of: alice), among: count) && !one.covers(.server, among: count))
    let bucket = WriteScope.bucket(Bucket(of: alice, among: count))
    #expect(bucket.covers(.database(alice), among: count))
    #expect(bucket.covers(try account(of: alice), among: count))
    #expect(!bucket.covers(.database(bob), among: count) && !bucket.covers(.server, among: count))
  }

  @Test func `a save may grow the schema of its own container and environment only`() {
    let scope = WriteScope.database(alice)
    #expect(scope.covers(.schema(alice.containerEnvironment), among: count))
    #expect(
      !scope.covers(.schema(ContainerEnvironment(alice.container, .production)), among: count))
    #expect(
      !scope.covers(
        .schema(ContainerEnvironment(ContainerID("other"), alice.environment)), among: count))
    #expect(!scope.covers(.secret, among: count))
  }

  @Test(.enabled(if: exitTestsWork))
  func `the memory engine ends for a write outside of its scope`()
    async
  {
    await #expect(processExitsWith: .failure) {
      let store = MemoryStore(coders: .wireForm)
      try await store.write(in: .database(.sample(owner: "_alice"))) {
        try $0.putNext("a", in: .sample(owner: "_bob"))
      }
    }
  }
}

#if canImport(Darwin) || canImport(Glibc)
  private let exitTestsWork = true
#else
  private let exitTestsWork = false
#endif
