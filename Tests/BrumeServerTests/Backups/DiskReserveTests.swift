// Copies of a store leave to its saves what they need of the disk.

import BrumeCore
import BrumeModel
import BrumeStorage
import Foundation
import Logging
import Testing

@testable import BrumeServer

@Suite struct DiskReserveTests {
  private let folder = NSTemporaryDirectory() + "/brume-reserve-\(UUID().uuidString)"

  private func snapshots(room: Int64?) -> Snapshots {
    Snapshots(
      of: MemoryStore(coders: .wireForm), in: folder, limits: Limits(), host: .real,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, room: { _ in room })
  }

  @Test(
    arguments: [(Int64(64 << 20) - 1, false), (64 << 20, true), (nil, true)] as [(Int64?, Bool)])
  func `a snapshot ends where the disk has less than saves need, and leaves nothing`(
    room: Int64?, isMade: Bool
  ) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let snapshots = snapshots(room: room)
    let running = Task { await snapshots.run() }
    let id = try snapshots.begin()
    var state = try snapshots.state(of: id)
    while case .making = state {
      await Task.yield()
      state = try snapshots.state(of: id)
    }
    running.cancel()
    await running.value
    switch state {
    case .ready: #expect(isMade)
    case .failed(let reason): #expect(!isMade && reason.contains("64 MB are kept for saves"))
    case .making: Issue.record("it is not over")
    }
    #expect(snapshots.isFailedByDisk(id) != isMade)
    #expect(OwnerOnly.names(in: folder + "/snapshots") == (isMade ? [id] : []))
  }

  @Test func `what a killed server was copying is removed, and what it had made is not`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(OwnerOnly.makeFolders(folder + "/snapshots"))
    for name in ["a.part", "b"] {
      try DiskFile.appending("\(folder)/snapshots/\(name)").append([1])
    }
    Snapshots.removeUnfinished(in: folder + "/snapshots")
    #expect(OwnerOnly.names(in: folder + "/snapshots") == ["b"])
  }
}
