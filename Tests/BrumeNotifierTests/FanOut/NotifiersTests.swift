// Which buckets are served at the same time.

import BrumeModel
import Testing

@testable import BrumeNotifier

@Suite struct BucketTurnsTests {
  @Test func `as many buckets run as may, in the order of asking`() {
    var turns = BucketTurns(most: 2)
    turns.add([Bucket(3)])
    turns.add([Bucket(1), Bucket(2)])
    #expect(turns.next() == Bucket(3))
    #expect(turns.next() == Bucket(1))
    #expect(turns.next() == nil)
    turns.ended(Bucket(3))
    #expect(turns.next() == Bucket(2))
  }

  @Test func `a bucket that asks while it runs gets one more turn, and never two at once`() {
    var turns = BucketTurns(most: 4)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(1)])
    turns.add([Bucket(1)])
    #expect(turns.next() == nil)
    turns.ended(Bucket(1))
    #expect(turns.next() == Bucket(1))
    turns.ended(Bucket(1))
    #expect(turns.next() == nil)
  }

  @Test func `a bucket that waits for its turn keeps nobody behind it waiting`() {
    var turns = BucketTurns(most: 2)
    turns.add([Bucket(1)])
    #expect(turns.next() == Bucket(1))
    turns.add([Bucket(1)])
    turns.add([Bucket(2)])
    #expect(turns.next() == Bucket(2))
  }
}
