// The data folder: one server at a time, files for its owner only.

import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Foundation
import Logging
import Synchronization
import Testing

@Suite struct DataFolderTests {
  let path = NSTemporaryDirectory() + "/brume-folder-\(UUID().uuidString)"

  @Test func `a second server on the same folder is refused in one sentence`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let first = try DataFolder(path: path)
    let error = #expect(throws: DataFolderError.self) { _ = try DataFolder(path: path) }
    #expect(error?.description.contains(path) == true)
    #expect(error?.description.contains("start this one with another --data") == true)
    let restore = #expect(throws: DataFolderError.self) {
      _ = try DataFolder(path: path, otherwise: "restore into it with --in-place")
    }
    #expect(restore?.description.hasSuffix("stop it, or restore into it with --in-place") == true)
    withExtendedLifetime(first) {}
  }

  @Test func `the folder is free again when its server has gone`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    do { _ = try DataFolder(path: path) }
    _ = try DataFolder(path: path)
  }

  @Test func `server.json comes back as it was written, readable by its owner only`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try DataFolder(path: path)
    let file = ServerFile(url: "http://127.0.0.1:1", adminToken: "ab", processID: 7)
    try folder.write(file.bytes, to: ServerFile.name)
    #expect(try ServerFile(folder: path) == file)
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(ServerFile.name)")
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
  }

  /// What is written at first goes into a device that has never room. The link goes with the failure.
  private func takeRoom() throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/.\(ServerFile.name).new", withDestinationPath: "/dev/full")
  }

  @Test func `a file that has no room says so, and nothing of it stays`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try DataFolder(path: path)
    try folder.write([1], to: ServerFile.name)
    try takeRoom()
    let error = #expect(throws: DataFolderError.self) { try folder.write([2], to: ServerFile.name) }
    #expect(error?.isLackOfRoom == true)
    #expect(try DataFolder.contents(of: "\(path)/\(ServerFile.name)") == [1])
    #expect(!OwnerOnly.names(in: path).contains(".\(ServerFile.name).new"))
  }

  @Test(.timeLimit(.minutes(1)))
  func `a server on a full disk writes server.json when there is room`() async throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let (folder, log) = (try DataFolder(path: path), LogLines(from: .warning))
    let pauses = Atomic(0)
    let writer = ServerFileWriter(folder, log.logger) { _ in
      pauses.add(1, ordering: .relaxed)
    }
    let file = ServerFile(url: "http://127.0.0.1:1", adminToken: "ab", processID: 7)
    try folder.write(Array("of a server that was killed".utf8), to: ServerFile.name)
    try takeRoom()
    try writer.write(file)
    #expect(log.texts.contains { $0.contains("until there is room") })
    #expect(throws: DataFolderError.self) { try ServerFile(folder: path) }
    try takeRoom()
    await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: { try await writer.run() })
      while (try? ServerFile(folder: path)) == nil { await Task.yield() }
      group.cancelAll()
    }
    #expect(try ServerFile(folder: path) == file)
    #expect(pauses.load(ordering: .relaxed) == 1)
  }

  @Test(arguments: ["", #"{"url":"#, "[]"])
  func `a server.json that is cut is damaged, and says how it is made anew`(content: String) throws
  {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try DataFolder(path: path)
    try folder.write(Array(content.utf8), to: ServerFile.name)
    let error = #expect(throws: DataFolderError.self) { _ = try ServerFile(folder: path) }
    #expect(error?.description.contains("is damaged; restart the server") == true)
  }

  @Test func `without a server the error says how to start one`() throws {
    let error = #expect(throws: DataFolderError.self) { _ = try ServerFile(folder: path) }
    #expect(error?.description.contains("brume serve") == true)
  }

  @Test func `a server.json that cannot be read does not say that no server runs`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    // Reading a folder fails for everybody, also for root, and only after it was opened.
    try FileManager.default.createDirectory(
      atPath: "\(path)/\(ServerFile.name)", withIntermediateDirectories: true)
    let error = #expect(throws: DataFolderError.self) { _ = try ServerFile(folder: path) }
    #expect(error?.description.contains("no server is running") == false)
    #expect(error?.description.contains(String(cString: strerror(EISDIR))) == true)
  }

  @Test func `a file that cannot be read is not taken for one that is missing`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try DataFolder(path: path)
    #expect(try DataFolder.contents(of: "\(path)/none") == nil)
    try folder.write([1], to: "some")
    #expect(try DataFolder.contents(of: "\(path)/some") == [1])
    // Reading a folder fails for everybody, also for root.
    try FileManager.default.createDirectory(
      atPath: "\(path)/unreadable", withIntermediateDirectories: false)
    #expect(throws: DataFolderError.self) {
      _ = try DataFolder.contents(of: "\(path)/unreadable")
    }
  }

  @Test func `the status is given though the key of development mode cannot be read`() async throws
  {
    let fixture = try await ServerFixture()
    let file = "\(fixture.folder)/\(Development.keyFileName)"
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    let containerEnvironment = ServerFixture.containerEnvironment
    await #expect(throws: DataFolderError.self) {
      _ = try await fixture.server.development.prepare(in: containerEnvironment)
    }
    try await fixture.routes { client in
      let answer = try await client.admin("status")
      #expect(answer.status == 200, "\(answer.text)")
      #expect(answer["environment"]?["BRUME_API_TOKEN"] != nil)
      #expect(answer["environment"]?["BRUME_KEY_ID"] == nil)
    }
  }

  @Test func `the path of a folder is given from the root, whatever it was named by`() throws {
    let name = URL(filePath: path).lastPathComponent
    let folder = try DataFolder(path: "./\(name)")
    defer { try? FileManager.default.removeItem(atPath: name) }
    #expect(folder.absolutePath.hasPrefix("/") && folder.absolutePath.hasSuffix("/\(name)"))
    #expect(!folder.absolutePath.contains("/./"))
  }

  @Test func `the key file of development is named by its whole path`() async throws {
    let fixture = try await ServerFixture()
    let file = try #require(fixture.ready.keyFile)
    #expect(file.hasPrefix("/") && DataFolder.read(file)?.isEmpty == false)
  }

  @Test func `a damaged server.json is said to be so`() throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try DataFolder(path: path)
    try folder.write(Array("{}".utf8), to: ServerFile.name)
    #expect(throws: DataFolderError.self) { _ = try ServerFile(folder: path) }
  }

  @Test func `marks say whether the last server of a folder had its records in PostgreSQL`()
    throws
  {
    let files = FileManager.default
    defer { try? files.removeItem(atPath: path) }
    try files.createDirectory(atPath: path, withIntermediateDirectories: true)
    func write(_ name: String, at seconds: Double) throws {
      let file = "\(path)/\(name)"
      try Data().write(to: URL(filePath: file))
      try files.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: seconds)], ofItemAtPath: file)
    }
    #expect(!LastStore.isPostgres(in: path))
    try write("brume.sqlite", at: 100)
    try write("brume.mark", at: 200)
    #expect(!LastStore.isPostgres(in: path))
    try write("postgres.mark", at: 300)
    #expect(LastStore.isPostgres(in: path))
    // Moved back: a server with SQLite begins.
    try write("brume.mark", at: 400)
    #expect(!LastStore.isPostgres(in: path))
  }
}
