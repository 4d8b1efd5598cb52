// A program that is killed while it saves a record with a file, and started again: real processes, a
// real server, a real disk.

import BrumeKit
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.serialized, .timeLimit(.minutes(10))) struct LongLivedUploadTests {
  /// When the program is killed.
  enum CrashKind: String, Codable, Sendable, CaseIterable {
    /// Nothing was sent.
    case writtenDown
    /// The server has a part of the file.
    case halfUploaded
    /// The server has everything, and the program did not note it.
    case saved
  }

  /// What a program knows when it starts.
  struct Start: Codable {
    let url: URL
    let container: String
    let apiToken: String?
    let userToken: String?
    let folder: String
    let crashKind: CrashKind

    var file: URL { URL(filePath: folder + "/photo") }

    var program: CKContainer {
      Brume.container(
        Brume.Configuration(
          url: url, container: container, apiToken: apiToken, userToken: userToken,
          deviceID: "phone", stateDirectory: folder + "/state"))
    }

    /// The first run: begins the save, and does not live to see its end.
    func runUntilKilled() async {
      let crashKind = crashKind
      let photo = CKRecord(recordType: "Photo", recordID: .named("a"))
      photo["title"] = "kept"
      photo["file"] = CKAsset(fileURL: file)
      let operation = CKModifyRecordsOperation(recordsToSave: [photo])
      operation.isLongLived = true
      operation.longLivedOperationWasPersistedBlock = {
        if crashKind == .writtenDown { kill(getpid(), SIGKILL) }
      }
      operation.perRecordProgressBlock = { _, part in
        if crashKind == .halfUploaded, part > 0.2, part < 1 { kill(getpid(), SIGKILL) }
      }
      operation.perRecordSaveBlock = { _, _ in
        if crashKind == .saved { kill(getpid(), SIGKILL) }
      }
      await Device(program).run(operation)
    }
  }

  private static let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })

  @Test(arguments: CrashKind.allCases)
  func `a long-lived save with a file that was killed is found, resumed, and there once`(
    crashKind: CrashKind
  ) async throws {
    // The server has a process of its own: this one waits for the program to be killed.
    try await ServerProcess.run(store: "sqlite") { fixture in
      let laptop = try fixture.device("laptop", of: "alice")
      try await laptop.makeZone("Z")
      let folder = NSTemporaryDirectory() + "/brume-killed-\(UUID().uuidString)"
      try FileManager.default.createDirectory(
        atPath: folder + "/state", withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let settings = try fixture.settings("phone", of: "alice")
      let start = Start(
        url: settings.url, container: settings.container, apiToken: settings.apiToken,
        userToken: settings.userToken,
        folder: folder, crashKind: crashKind)
      try Self.content.write(to: start.file)

      let text = String(decoding: try JSONEncoder().encode(start), as: UTF8.self)
      await #expect(processExitsWith: .signal(SIGKILL)) { [text = text as String] in
        try await JSONDecoder().decode(Start.self, from: Data(text.utf8)).runUntilKilled()
      }
      let before = try await laptop.changes()
      #expect(before.summary == (crashKind == .saved ? ["+a"] : []))

      // The second run.
      let container = start.program
      let id = try #require(try await container.allLongLivedOperationIDs().first)
      let found = try await container.longLivedOperation(for: id)
      let operation = try #require(found as? CKModifyRecordsOperation)
      #expect(operation.isLongLived && operation.operationID == id)
      let results = Results()
      operation.perRecordSaveBlock = { results.note($1) }
      operation.modifyRecordsResultBlock = { results.note($0) }
      await Device(container).run(operation)
      #expect(results.failures == [])
      #expect(results.count == 2)

      let after = try await laptop.changes()
      #expect(after.summary == ["+a"])
      let saved = try #require(after.changed.first)
      #expect(saved["title"] == "kept")
      let file = try #require((saved["file"] as? CKAsset)?.fileURL)
      #expect(try Data(contentsOf: file) == Self.content)
      if let first = before.changed.first {
        #expect(saved.recordChangeTag == first.recordChangeTag, "it was saved a second time")
      }
    }
  }
}

/// What the blocks of an operation were called with; one after the other.
private final class Results: @unchecked Sendable {
  private(set) var count = 0
  private(set) var failures: [String] = []

  func note<Value>(_ result: Result<Value, any Error>) {
    count += 1
    if case .failure(let error) = result { failures.append("\(error)") }
  }
}
