// The way of a restored store into a data folder, from each place at which a crash can have ended it.

import BrumeModel
import BrumeStorage
import Foundation
import Testing

@testable import BrumeServer

@Suite struct RestoreFolderTests {
  private let data = NSTemporaryDirectory() + "/brume-restore-\(UUID().uuidString)"
  private let files = FileManager.default
  /// How far the moving had come.
  enum Crash: String, CaseIterable {
    case marked, someOut, allOut, moved, someIn, allIn, keptAgain
  }

  private func write(_ path: String, _ text: String) throws {
    let url = URL(fileURLWithPath: "\(data)/\(path)")
    try files.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  private func text(_ path: String) -> String? {
    files.contents(atPath: "\(data)/\(path)").map { String(decoding: $0, as: UTF8.self) }
  }

  private func move(_ old: String, _ new: String) throws {
    try files.createDirectory(
      at: URL(fileURLWithPath: "\(data)/\(new)").deletingLastPathComponent(),
      withIntermediateDirectories: true)
    try files.moveItem(atPath: "\(data)/\(old)", toPath: "\(data)/\(new)")
  }

  /// A live store with a log, an older one that was replaced before, and a store that is wanted.
  private func begin() throws {
    for name in ["brume.sqlite", "brume.sqlite-wal", "brume.mark", "assets/a"] {
      try write(name, "old")
    }
    try write("replaced/brume.sqlite", "oldest")
    try write("usage.json", "counts")
    try write("snapshots/S", "old")
    for name in ["brume.sqlite", "assets/b"] { try write("restore/data/\(name)", "new") }
    try write("restore/data/server.lock", "")
    try write(
      "restore/pending",
      #"{"backup":{"id":"B","made":1,"rows":2,"assets":3,"bytes":4,"missing":0},"operator":"ann"}"#)
  }

  private func advance(to crash: Crash) throws {
    let out = ["brume.sqlite", "brume.sqlite-wal", "brume.mark", "assets"]
    for step in Crash.allCases.prefix(while: { $0 != crash }) + [crash] {
      switch step {
      case .marked: break
      case .someOut: for name in out.prefix(2) { try move(name, "restore/before/\(name)") }
      case .allOut: for name in out.dropFirst(2) { try move(name, "restore/before/\(name)") }
      case .moved: try move("restore/pending", "restore/moved")
      case .someIn: try move("restore/data/brume.sqlite", "brume.sqlite")
      case .allIn: try move("restore/data/assets", "assets")
      case .keptAgain:
        try files.removeItem(atPath: "\(data)/replaced")
        try move("restore/before", "replaced")
      }
    }
  }

  @Test(arguments: Crash.allCases)
  func `a start goes on from where a crash ended the moving:`(crash: Crash) throws {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    try advance(to: crash)
    try RestoreFolder(in: data).takeUp()
    #expect(text("brume.sqlite") == "new" && text("assets/b") == "new")
    #expect(text("brume.sqlite-wal") == nil && text("brume.mark") == nil && text("assets/a") == nil)
    for name in ["brume.sqlite", "brume.sqlite-wal", "brume.mark", "assets/a"] {
      #expect(text("replaced/\(name)") == "old", "\(name)")
    }
    #expect(text("usage.json") == "counts" && text("restored.json") != nil)
    #expect(!files.fileExists(atPath: "\(data)/restore"))
    #expect(text("snapshots/S") == nil, "of the store before, whose assets are no more here")
    // Once is enough.
    try RestoreFolder(in: data).takeUp()
    #expect(text("brume.sqlite") == "new")
  }

  @Test func `what no operator wanted stays beside the live data`() throws {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    try files.removeItem(atPath: "\(data)/restore/pending")
    try RestoreFolder(in: data).takeUp()
    #expect(text("brume.sqlite") == "old" && text("assets/a") == "old")
    #expect(text("replaced/brume.sqlite") == "oldest" && text("snapshots/S") == "old")
  }

  private static let note = RestoreNote(
    backup: BackupSummary(id: "B", made: 1, rows: 2, assets: 3, bytes: 4, missing: 0),
    operatorName: "ann", address: "a", requestID: "R")

  @Test func `a note that was answered as failed is not taken up, though it has its name`() throws {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    try files.removeItem(atPath: "\(data)/restore/pending")
    let folder = RestoreFolder(in: data)
    #expect(throws: StoreError.self) {
      try folder.want(Self.note) { file, name in
        try file.finish(as: name)
        throw StoreError(.unavailable, "the disk does not say that it has the name")
      }
    }
    try folder.takeUp()
    #expect(text("brume.sqlite") == "old" && text("assets/a") == "old")
    try folder.clear()
    #expect(!files.fileExists(atPath: "\(data)/restore"))
  }

  /// A list of what is mounted, with a folder below another that is spelled as in such a list.
  private func mounts(_ name: String, below folder: String) -> String {
    """
    25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/root rw
    91 25 0:44 / \(folder)/\(name) rw,relatime - tmpfs tmpfs rw

    """
  }

  @Test func `a folder that is a mount is no place for a restore, and nothing of it is moved`()
    throws
  {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    let whole = try #require(realpath(data, nil))
    defer { free(whole) }
    let list = mounts("assets", below: String(cString: whole))
    let folder = RestoreFolder(in: data) { list }
    #expect(folder.obstacle?.contains("a mount of its own") == true)
    let error = #expect(throws: DataFolderError.self) { try folder.takeUp() }
    #expect(error?.description.contains("remove '\(data)/restore/pending'") == true)
    #expect(text("brume.sqlite") == "old" && text("assets/a") == "old")
    #expect(!files.fileExists(atPath: "\(data)/restore/before"))
    // The advice is good.
    try files.removeItem(atPath: "\(data)/restore/pending")
    try folder.takeUp()
    #expect(text("brume.sqlite") == "old")
  }

  @Test func `a path is looked for in the list of mounts as that spells it`() {
    let list = mounts(#"my\040data\134a"#, below: "/srv")
    #expect(MountPoints.has(#"/srv/my data\a"#, list))
    for path in ["/srv/my", "/srv", "/srv/my data", ""] {
      #expect(!MountPoints.has(path, list), "\(path)")
    }
    #expect(!MountPoints.has("/srv/assets", ""))
  }

  @Test func `a store that somebody made meanwhile is not taken for the old one`() throws {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    try advance(to: .someOut)
    try write("brume.sqlite", "made meanwhile")
    let error = #expect(throws: DataFolderError.self) { try RestoreFolder(in: data).takeUp() }
    #expect(error?.description.contains("restore/before") == true)
    #expect(text("restore/before/brume.sqlite") == "old")
    #expect(text("brume.sqlite") == "made meanwhile")
  }

  @Test func `whoever locks the folder takes the store up first`() throws {
    defer { try? files.removeItem(atPath: data) }
    try begin()
    _ = try DataFolder(path: data)
    #expect(text("brume.sqlite") == "new")
  }
}
