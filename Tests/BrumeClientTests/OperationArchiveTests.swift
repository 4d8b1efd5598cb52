// What becomes of long-lived operations when the folder is full.

import BrumeModel
import Foundation
import Testing

@testable import BrumeClient

struct OperationArchiveTests {
  private let now = Date(timeIntervalSince1970: 1_795_213_861)

  /// Runs `body` with an empty archive.
  private func withArchive(_ body: (OperationArchive) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let settings = Configuration(
      url: "http://server", in: ContainerEnvironment(ContainerID("iCloud.a"), .development),
      stateDirectory: folder)
    try body(try #require(OperationArchive(settings)))
  }

  private func keep(_ id: String, endedSecondsAgo: Double?, in archive: OperationArchive) throws {
    try archive.keep(.init(id: id, content: [1], finished: endedSecondsAgo.map { now - $0 }))
  }

  @Test func `where there is no room, the finished ones go, the oldest first`() throws {
    try withArchive { archive in
      try keep("waits", endedSecondsAgo: nil, in: archive)
      try keep("young", endedSecondsAgo: 10, in: archive)
      try keep("old", endedSecondsAgo: 20, in: archive)
      #expect(archive.makeRoom(now: now, limit: 4))
      #expect(archive.list(now: now).count == 3)
      #expect(archive.makeRoom(now: now, limit: 3))
      #expect(Set(archive.list(now: now).map(\.id)) == ["waits", "young"])
    }
  }

  @Test func `what is not finished stays, and there is no room`() throws {
    try withArchive { archive in
      for id in ["a", "b"] { try keep(id, endedSecondsAgo: nil, in: archive) }
      #expect(!archive.makeRoom(now: now, limit: 2))
      #expect(archive.list(now: now).count == 2)
    }
  }

  @Test func `what was written down keeps its owner and its time`() throws {
    try withArchive { archive in
      let owner = OperationArchive.Owner(account: "session", user: "_ann")
      let entry = OperationArchive.Entry(id: "a", content: [1, 2], owner: owner, begun: now - 5)
      try archive.keep(entry)
      #expect(archive.entry("a", now: now) == entry)
      #expect(archive.list(now: now).map(\.owner) == [owner])
    }
  }
}
