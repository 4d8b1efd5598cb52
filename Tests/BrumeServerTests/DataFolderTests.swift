// The data folder: one server at a time, files for its owner only.

import BrumeServer
import BrumeWire
import Foundation
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
}
