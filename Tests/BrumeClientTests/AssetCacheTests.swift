// How long fetched files stay, and what becomes of those that never arrived.

import BrumeModel
import Foundation
import Testing

@testable import BrumeClient

struct AssetCacheTests {
  private let start = Date(timeIntervalSince1970: 1_795_213_861)

  /// Fetches a file of 8 equal letters; answers its place, and whether its bytes had to be asked for.
  private func fetch(
    _ letter: Character, _ cache: AssetCache, for holder: [String] = ["photo"],
    after seconds: Double, now: () -> Void = {}
  ) async throws -> (url: URL, wasAsked: Bool) {
    try await fetch(
      text: String(repeating: letter, count: 8), cache, for: holder, after: seconds, now: now)
  }

  private func fetch(
    text: String, _ cache: AssetCache, for holder: [String] = ["photo"], after seconds: Double,
    now: () -> Void = {}
  ) async throws -> (url: URL, wasAsked: Bool) {
    let bytes = Array(text.utf8)
    var digest = ContentDigest()
    digest.update(data: bytes)
    let checksum = Data([1] + digest.bytes().prefix(20)).base64EncodedString()
    var wasAsked = false
    let url = try await cache.file(
      of: Asset(fileChecksum: checksum, size: Int64(bytes.count)), for: holder,
      now: {
        now()
        return start + seconds
      }, uuid: { UUID().uuidString }
    ) { take in
      wasAsked = true
      try await take(bytes[...])
    }
    return (url, wasAsked)
  }

  private func isThere(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }

  @Test func `a file that was asked for in the last hour stays, beyond the limit too`() async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder, limitBytes: 10)
    let a = try await fetch("a", cache, after: 0)
    let b = try await fetch("b", cache, after: 0)
    let c = try await fetch("c", cache, after: 3599)
    #expect(isThere(a.url) && isThere(b.url) && isThere(c.url))
    // What is here already is asked for again, and stays for another hour.
    let again = try await fetch("a", cache, after: 3600)
    #expect(again.url == a.url && !again.wasAsked)
    let d = try await fetch("d", cache, after: 3601)
    #expect(isThere(a.url) && !isThere(b.url) && isThere(c.url) && isThere(d.url))
  }

  @Test func `each field has a file of its own, whose content is fetched once`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder)
    let photo = try await fetch("a", cache, for: ["note", "photo"], after: 0)
    let cover = try await fetch("a", cache, for: ["note", "cover"], after: 0)
    #expect(photo.wasAsked && !cover.wasAsked && photo.url != cover.url)
    let moved = photo.url.deletingLastPathComponent().appending(path: "moved")
    try FileManager.default.moveItem(at: photo.url, to: moved)
    #expect(try String(contentsOf: cover.url, encoding: .utf8) == "aaaaaaaa")
    try FileManager.default.removeItem(at: cover.url)
    let again = try await fetch("a", cache, for: ["note", "photo"], after: 1)
    #expect(again.url == photo.url && !again.wasAsked)
    #expect(try String(contentsOf: again.url, encoding: .utf8) == "aaaaaaaa")
  }

  @Test func `the files of several fields with one content count once, and go together`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder, limitBytes: 10)
    let one = try await fetch("a", cache, for: ["1"], after: 0)
    let two = try await fetch("a", cache, for: ["2"], after: 3600)
    _ = try await fetch("b", AssetCache(stateDirectory: folder), after: 0)
    _ = try await fetch("c", AssetCache(stateDirectory: folder), after: 0)
    cache.prune(start + 3600)
    #expect(isThere(one.url) && isThere(two.url))
    cache.prune(start + 7200)
    #expect(isThere(one.url) && isThere(two.url), "they have 8 bytes together")
    let left = try FileManager.default.contentsOfDirectory(
      atPath: one.url.deletingLastPathComponent().path)
    #expect(left.filter { !$0.hasPrefix(".") }.count == 3)
    AssetCache(stateDirectory: folder, limitBytes: 7).prune(start + 7200)
    #expect(!isThere(one.url) && !isThere(two.url))
  }

  @Test func `a file that goes while it is looked at is fetched again`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder)
    let first = try await fetch("a", cache, after: 0)
    var isFirst = true
    let again = try await fetch("a", cache, after: 1) {
      // As another program's cache removes it, after this one has read it.
      if isFirst {
        let kept = first.url.deletingLastPathComponent()
        for name in (try? FileManager.default.contentsOfDirectory(atPath: kept.path)) ?? [] {
          try? FileManager.default.removeItem(at: kept.appending(path: name))
        }
      }
      isFirst = false
    }
    #expect(again.wasAsked && isThere(again.url) && again.url == first.url)
  }

  @Test func `what killed programs had begun to fetch goes after a day`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder)
    let a = try await fetch("a", cache, after: 0)
    let left = a.url.deletingLastPathComponent().appending(path: ".left")
    try Data([1]).write(to: left)
    AssetCache.touch(left, start)
    cache.prune(start + 86_399)
    #expect(isThere(left), "it may still be on its way")
    cache.prune(start + 86_400)
    #expect(!isThere(left) && isThere(a.url))
  }

  @Test func `the folder is not looked through for each of 200 downloads`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder)
    try FileManager.default.createDirectory(
      at: cache.directory, withIntermediateDirectories: true)
    // A look removes it.
    let left = cache.directory.appending(path: ".left")
    var looks = 0
    for index in 0..<200 {
      if !isThere(left) {
        try Data([1]).write(to: left)
        AssetCache.touch(left, start)
      }
      _ = try await fetch(text: "file \(index)", cache, after: 86_400)
      if !isThere(left) { looks += 1 }
    }
    #expect((2...5).contains(looks), "at the first, and after each 64: \(looks)")
  }

  @Test func `beyond a number of names the oldest files go, however small`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let cache = AssetCache(stateDirectory: folder, limitNames: 4)
    var files: [URL] = []
    for (letter, seconds) in [("a", 0.0), ("b", 1), ("c", 2)] {
      files.append(try await fetch(Character(letter), cache, after: seconds).url)
    }
    cache.prune(start + 3599)
    #expect(files.allSatisfy(isThere), "they were asked for in the last hour")
    cache.prune(start + 3602)
    #expect(files.map(isThere) == [false, true, true])
    let left = try FileManager.default.contentsOfDirectory(atPath: cache.directory.path)
    #expect(left.filter { !$0.hasPrefix(".") }.count == 4)
  }

  #if os(Linux)
    @Test func `a disk without room is named, as a folder that cannot be written is`() throws {
      let full = URL(filePath: "/dev/full")
      let handle = try FileHandle(forWritingTo: full)
      let failure = #expect(throws: CallFailure.self) {
        try AssetCache.write([1], with: handle, to: full)
      }
      guard case .notConfigured(let reason) = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(reason.hasPrefix("files of assets cannot be kept at '/dev/full' ("))
    }
  #endif
}
