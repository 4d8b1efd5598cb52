// Which of the waiting writes go on together, and when.

import BrumeModel
import BrumeStorage
import Testing

@testable import BrumePostgres

struct WriteLineTests {
  private func job(_ bucket: Int, isRepeatable: Bool = false, reads: Int = 0) -> WriteJob {
    let names = (0..<reads).map { ReadPlan.Read.user(UserID("\($0)")) }
    return WriteJob(
      plan: ReadPlan { Set(names) }, locks: [Locks.Lock(kind: .saves, bucket: Bucket(bucket))],
      isRepeatable: isRepeatable, run: { _ in nil }, finish: { _ in })
  }

  private func line(_ jobs: [WriteJob]) throws -> WriteLine {
    var line = WriteLine()
    for job in jobs { try line.add(job) }
    return line
  }

  @Test func `where none runs, a write goes on at once`() throws {
    var line = try line([job(1)])
    #expect(line.next(at: 0).size == 1)
  }

  @Test func `beside a group that runs, writes gather until 5 ms after it began`() throws {
    var line = try line([job(1)])
    _ = line.next(at: 100)
    try line.add(job(2))
    #expect(line.next(at: 100).left == 5)
    try line.add(job(3))
    #expect(line.next(at: 103).left == 2)
    #expect(line.next(at: 105).size == 2)
  }

  @Test func `sixteen writes do not wait for a group that runs, fifteen do`() throws {
    var line = try line([job(0)])
    _ = line.next(at: 100)
    for bucket in 1...15 { try line.add(job(bucket)) }
    #expect(line.next(at: 100).left == 5)
    #expect(!line.isGathered)
    try line.add(job(16))
    #expect(line.isGathered)
    #expect(line.next(at: 100).size == 16)
  }

  @Test func `when the group has ended, all who wait go on together`() throws {
    let first = job(1)
    var line = try line([first])
    _ = line.next(at: 100)
    for bucket in 1...3 { try line.add(job(bucket)) }
    #expect(line.next(at: 101).left == 4)
    line.ended([first])
    #expect(line.next(at: 101).size == 3)
  }

  @Test func `what is put back goes first, and who has no connection passes over it`() throws {
    let jobs = [job(1), job(2)]
    var line = try line(jobs)
    #expect(line.next(at: 0).size == 2)
    for bucket in [1, 3] { try line.add(job(bucket)) }
    line.putBack(jobs)
    // The second write in the first bucket waits for the one that was put back.
    #expect(line.next(at: 0, passingOver: true).size == 1)
    guard case .group(let group) = line.next(at: 5) else {
      Issue.record("nothing goes on")
      return
    }
    #expect(group.map(\.isHanded) == [true, true, false])
  }

  @Test func `a long piece of work waits for nobody, and nobody for it`() throws {
    var line = try line([job(1)])
    _ = line.next(at: 100)
    try line.add(job(2, isRepeatable: true))
    #expect(line.next(at: 100).size == 1)

    var other = try self.line([job(2, isRepeatable: true)])
    _ = other.next(at: 100)
    try other.add(job(1))
    #expect(other.next(at: 100).size == 1)
  }

  @Test func `a group ends where its plans would name more than has room`() throws {
    let jobs = [job(1, reads: 8000), job(2, reads: 193), job(2), job(3, reads: 192)]
    var line = try line(jobs)
    // The third keeps its place behind the second.
    #expect(line.next(at: 0).size == 2)
    line.ended([jobs[0], jobs[3]])
    #expect(line.next(at: 5).size == 2)
    var alone = try self.line([job(1, reads: 10_000), job(2, reads: 1)])
    #expect(alone.next(at: 0).size == 1, "one that names more goes on alone")
  }

  @Test func `whoever needs a lock that a group holds waits for its end, however long`() throws {
    let first = job(1)
    var line = try line([first])
    _ = line.next(at: 0)
    try line.add(job(1))
    #expect(line.next(at: 1000).size == nil)
    line.ended([first])
    #expect(line.next(at: 1000).size == 1)
  }
}

extension WriteLine.Next {
  /// Of the group; nil if there is none.
  fileprivate var size: Int? { if case .group(let jobs) = self { jobs.count } else { nil } }

  /// Milliseconds in which more gather.
  fileprivate var left: Int64? { if case .gathering(let left) = self { left } else { nil } }
}
