// How many backups one may rest on.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumeCore
@testable import BrumeServer

@Suite struct BackupChainTests {
  private let folder = NSTemporaryDirectory() + "/brume-chain-\(UUID().uuidString)"

  private func path(_ number: Int) -> String { "\(folder)/b\(number)" }

  /// The beginnings of a whole backup and of so many others, of which each continues the one before.
  private func begin(_ count: Int) async throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let store = MemoryStore(coders: .wireForm)
    let whole = try await store.snapshot { try BackupHeader(of: $0, id: "B", made: 1) }
    for number in 0...count {
      let base = BackupHeader.Base(id: "B", file: "b\(number - 1)")
      let header = number == 0 ? whole : BackupHeader(whole, continuing: base)
      let file = try DiskFile.appending(path(number))
      var frames = try BackupFrameWriter { try file.append($0) }
      try frames.add(.header, header.bytes)
    }
  }

  @Test func `a backup rests on as many others as it may, and not on one more`() async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await begin(BackupChain.most + 1)
    #expect(try BackupChain.countOfEarlier(path(0)) == 0)
    #expect(try BackupChain.countOfEarlier(path(BackupChain.most)) == BackupChain.most)
    let error = #expect(throws: StoreError.self) {
      try BackupChain.check(path(BackupChain.most + 1))
    }
    #expect(error?.description.contains("rests on more than") == true)
    // This one is not whole, and no longer refused for its number.
    let other = #expect(throws: StoreError.self) { try BackupChain.check(path(BackupChain.most)) }
    #expect(other?.description.contains("rests on") == false)
  }
}
