// For how long a process believes in its leases when the database says nothing.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite struct LeaseTimeTests {
  private let bucket = Bucket(3)

  @Test func `a lease that nobody renews ends ten seconds after the database was asked for it`() {
    let time = Mutexed<Int64>(0)
    let leases = PostgresLeases(owner: "one") { time.value }
    #expect(leases.set([bucket: 7], since: 0) == [bucket])
    time.value = 2_600
    #expect(leases.set([bucket: 7], since: 2_500) == [], "it is the same lease")
    #expect(leases.arrivals == 1)
    time.value = 12_499
    #expect(leases.epoch(of: bucket) == 7 && leases.buckets == [bucket])
    time.value = 12_500
    #expect(leases.epoch(of: bucket) == nil && leases.buckets == [])
    let new = leases.set([bucket: 7], since: 12_500)
    #expect(new == [bucket], "who was notified of work meanwhile did none")
    #expect(leases.arrivals == 2)
    #expect(leases.epoch(of: bucket) == 7)
  }

  @Test func `a lease that was not renewed ends no later than in the database`() {
    let time = Mutexed<Int64>(0)
    let leases = PostgresLeases(owner: "one") { time.value }
    let other = Bucket(4)
    _ = leases.set([bucket: 7, other: 9], left: [bucket: 4_000, other: 3_600_000], since: 0)
    time.value = 3_999
    #expect(leases.epoch(of: bucket) == 7)
    time.value = 4_000
    #expect(leases.epoch(of: bucket) == nil)
    time.value = 9_999
    #expect(leases.epoch(of: other) == 9)
    time.value = 10_000
    #expect(leases.epoch(of: other) == nil, "no lease is longer than it may be")
  }
}
