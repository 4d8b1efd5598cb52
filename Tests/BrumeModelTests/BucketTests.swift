import BrumeModel
import Testing

/// Which part of a store a database is in.
@Suite struct BucketTests {
  private static func database(_ owner: Int) -> DatabaseKey {
    DatabaseKey(
      in: ContainerEnvironment(ContainerID("iCloud.org.example.app"), .development),
      owner: UserID("_\(owner)"))
  }

  @Test func `a database is always in the same of all buckets, and each bucket has some`() {
    let buckets = (0..<200).map { Bucket(of: Self.database($0), among: 4) }
    #expect(buckets == (0..<200).map { Bucket(of: Self.database($0), among: 4) })
    #expect(Set(buckets) == Set((0..<4).map { Bucket($0) }))
    #expect(Bucket(of: Self.database(0), among: 1) == .only)
  }

  @Test func `a bucket below the first, and a store without any, end the process`() async {
    let negative = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Bucket(-1)
    }
    #expect(negative.says("buckets are counted from 0"))
    let none = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let containerEnvironment = ContainerEnvironment(ContainerID("iCloud.a"), .development)
      _ = Bucket(of: DatabaseKey(in: containerEnvironment, owner: nil), among: 0)
    }
    #expect(none.says("a store has a bucket"))
  }
}

extension ExitTest.Result? {
  /// Whether the process ended with this sentence.
  fileprivate func says(_ sentence: String) -> Bool {
    String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
  }
}
