// The data folder is for its owner only, also what was there before.

import BrumeAssets
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumeSQLite

@Suite struct OwnerOnlyTests {
  let folder: TemporaryFolder
  var data: String { folder.path + "/data" }
  init() throws { folder = try TemporaryFolder() }

  @Test func `files of a folder that was open are for their owner only after a start`() async throws
  {
    try await folder.openSQLite().close()
    for name in ["server.json", "assets/ab/abcd"] {
      try make("\(data)/\(name)")
    }
    try openToAll()
    let store = try folder.openSQLite()
    try await store.write(in: .database(.sample())) { try $0.putNext("a") }
    let found = try modes()
    #expect(found.keys.contains { $0.hasSuffix("-wal") } && found.keys.contains("assets/ab/abcd"))
    #expect(found.filter { $0.value & 0o077 != 0 } == [:])
    try await store.close()
  }

  @Test func `files that are made are for their owner only in a folder that others may enter`()
    async throws
  {
    try FileManager.default.createDirectory(
      atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    let store = try folder.openSQLite(marks: folder.path + "/marks")
    let assets = try FolderAssetStore(folder: data + "/assets")
    var pieces = [[UInt8(1)][...]]
    try await assets.write(String(repeating: "ab", count: 16)) { pieces.popLast() }
    try await store.write(in: .database(.sample())) { try $0.putNext("a") }
    let found = try modes()
    #expect(found.filter { $0.value & 0o077 != 0 } == [:])
    #expect(try mode(folder.path + "/marks") == 0o700)
    try await store.close()
  }

  @Test func `what cannot be changed is named with what to do`() throws {
    // The kernel's own: nobody can change it.
    let complaints = OwnerOnly.tighten("/proc/self/net")
    #expect(complaints.count <= 10)
    #expect(complaints.first?.contains("'/proc/self/net") == true)
    #expect(complaints.first?.contains("choose a folder") == true)
  }

  @Test func `symbolic links lead nowhere`() throws {
    let outside = folder.path + "/outside"
    try make(outside)
    chmod(outside, 0o644)
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: data + "/assets", withDestinationPath: outside)
    #expect(OwnerOnly.tighten(data) == [])
    #expect(try mode(outside) == 0o644)
  }

  @Test func `what is somebody else's in the folder stays as it is`() throws {
    for name in ["index.html", "www/index.html", "assets/ab"] { try make("\(data)/\(name)") }
    try openToAll()
    #expect(OwnerOnly.tighten(data) == [])
    #expect(try mode(data) == 0o700)
    for path in ["index.html", "www/index.html"] { #expect(try mode("\(data)/\(path)") == 0o644) }
    #expect(try mode("\(data)/www") == 0o755)
    #expect(try mode("\(data)/assets/ab") == 0o600)
  }

  // MARK: Support

  private func make(_ path: String) throws {
    try FileManager.default.createDirectory(
      at: URL(fileURLWithPath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data([1]).write(to: URL(fileURLWithPath: path))
  }

  private func openToAll() throws {
    chmod(data, 0o755)
    for name in try FileManager.default.subpathsOfDirectory(atPath: data) {
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: "\(data)/\(name)", isDirectory: &isFolder)
      chmod("\(data)/\(name)", isFolder.boolValue ? 0o755 : 0o644)
    }
  }

  private func mode(_ path: String) throws -> Int {
    let found = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    return try #require(found as? NSNumber).intValue
  }

  /// Of everything in the data folder, and the folder itself as "".
  private func modes() throws -> [String: Int] {
    var found = ["": try mode(data)]
    for name in try FileManager.default.subpathsOfDirectory(atPath: data) {
      found[name] = try mode("\(data)/\(name)")
    }
    return found
  }
}
