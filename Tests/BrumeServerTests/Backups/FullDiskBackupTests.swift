// A backup of a server whose disk takes nothing: neither a snapshot nor a line of the audit log.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import Synchronization
import Testing

@Suite struct FullDiskBackupTests {
  @Test func `the owner of the folder gets one without a line in the audit log, nobody else does`()
    async throws
  {
    let (fixture, store) = try await ServerFixture.failing { $0.engine = .sqlite }
    try await fixture.routes { client in
      let token = try #require(
        try await client.admin("operators/tokens", ["name": "ci"])["token"]?.string)
      store.fail(writes: true)
      #expect(try await client.admin("backups", [:], token: token).status == 503)
      let begun = try await client.admin("backups", [:])
      #expect(begun.status == 200, "\(begun.text)")
      let id = try #require(begun["id"])
      #expect(try await client.admin("backups/remove", ["id": id]).status == 200)
      #expect(try await client.admin("users", ["name": "carol"]).status == 503)
    }
  }

  @Test func `the rows are read beside the server, and are those of its snapshot`() async throws {
    let fixture = try await ServerFixture { $0.engine = .sqlite }
    try await fixture.routes { client in
      try await client.makeZone("Notes")
      for name in ["a", "b", "c"] { try await client.save(name, zone: "Notes") }
      let bytes = Mutex<[UInt8]>([])
      try FolderSnapshot.write(of: fixture.folder, id: "beside") { piece in
        bytes.withLock { $0 += piece }
      }
      let report = try Self.report(bytes.withLock { $0 })
      #expect(report.header?.id == "beside")
      let expected = try await fixture.server.store.snapshot { source in
        var written: [UInt8] = []
        _ = try BackupWriter(of: source) { written += $0 }.run(id: "beside", made: 0)
        return try Self.report(written)
      }
      #expect(report.rows == expected.rows && report.rows > 3)
      #expect(report.hash == expected.hash)
    }
  }

  @Test func `a folder without a database is no empty backup`() throws {
    let folder = NSTemporaryDirectory() + "/brume-none-\(UUID().uuidString)"
    #expect(throws: StoreError.self) {
      try FolderSnapshot.write(of: folder, id: "beside") { _ in }
    }
    #expect(!DiskFile.exists(folder))
  }

  /// What the rows of a backup say of themselves, before its assets.
  private static func report(_ bytes: [UInt8]) throws -> BackupReport {
    let read: BackupFrames.Read = { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    var (check, frames) = (BackupCheck(read), BackupFrames(read))
    while let frame = try frames.next() { try check.take(frame) }
    #expect(check.hasAllRows)
    return check.report
  }
}
