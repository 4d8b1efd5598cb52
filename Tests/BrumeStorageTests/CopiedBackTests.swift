// A data folder that is older than what was acknowledged: what is issued in the run that was lost
// means nothing any more. And a folder that is not older stays as it is.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Logging
import Testing

@testable import BrumeSQLite

@Suite struct CopiedBackTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  enum Copy: String, CaseIterable, Sendable {
    case wholeFolder, wholeFolderInPlace, databaseOnly, databaseOnlyInPlace
  }

  @Test(arguments: Copy.allCases)
  func `what the lost run issued is expired, and none of its tags is given again`(
    copy: Copy
  ) async throws {
    try await ServerRun.run(in: folder) { try await $0.save("first") }
    try folder.keep(copy)
    let lost = try await ServerRun.run(in: folder) { serverRun in
      let tag = try await serverRun.save("lost")
      return (token: try await serverRun.token(), tag: tag, generation: serverRun.generation)
    }
    try folder.bringBack(copy)
    try await ServerRun.run(in: folder) { serverRun in
      #expect(serverRun.generation > lost.generation)
      #expect(try await serverRun.errorOfChanges(since: lost.token) == .changeTokenExpired)
      #expect(try await serverRun.save("other") != lost.tag)
      #expect(try await serverRun.errorOfUpdate("other", tag: lost.tag) == .conflict)
      let warning = try #require(serverRun.log.texts.first { $0.contains("copied back") })
      #expect(warning.contains("is not here"))
    }
  }

  @Test func `a copy of a running server's folder is older as soon as more is saved`() async throws
  {
    try await ServerRun.run(in: folder) { serverRun in
      try await serverRun.save("first")
      try folder.keep(.wholeFolderInPlace)
      try await serverRun.save("lost")
    }
    try folder.bringBack(.wholeFolderInPlace)
    try await ServerRun.run(in: folder) { #expect($0.wasCopiedBack) }
  }

  @Test func `two runs from one copy give different tags`() async throws {
    try await ServerRun.run(in: folder) { try await $0.save("first") }
    try folder.keep(.wholeFolder)
    var tags: [String] = []
    for later in [0, 1, 2] as [Milliseconds] {
      tags.append(
        try await ServerRun.run(in: folder, later: later) { try await $0.save("life \(later)") })
      try folder.bringBack(.wholeFolder)
    }
    #expect(Set(tags).count == 3, "\(tags)")
  }

  @Test(arguments: [true, false])
  func `starting again keeps the generation`(keepsMarks: Bool) async throws {
    var generations: Set<Int64> = []
    for name in ["a", "b", "c"] {
      try await ServerRun.run(in: folder, keepsMarks: keepsMarks) { serverRun in
        try await serverRun.save(name)
        generations.insert(serverRun.generation)
        #expect(!serverRun.wasCopiedBack)
      }
    }
    #expect(generations.count == 1)
  }

  @Test func `a server that was killed keeps its generation`() async throws {
    try await ServerRun.run(in: folder) { serverRun in
      try await serverRun.save("first")
      try folder.keepAsKilled()
    }
    try folder.bringBackAsKilled()
    try await ServerRun.run(in: folder) { serverRun in
      #expect(!serverRun.wasCopiedBack)
      let names = try await serverRun.names()
      #expect(names == ["first"])
    }
  }

  @Test func `a kill between the database and the mark is no copy`() async throws {
    try await ServerRun.run(in: folder) { try await $0.save("first") }
    let marks = try folder.marks()
    try await ServerRun.run(in: folder) { _ in }
    for (path, content) in marks { try content.write(to: URL(fileURLWithPath: path)) }
    try await ServerRun.run(in: folder) { #expect(!$0.wasCopiedBack) }
  }

  @Test func `a folder that was moved to another machine in its newest state starts over once`()
    async throws
  {
    try await ServerRun.run(in: folder, keepsMarks: false) { try await $0.save("first") }
    try folder.keep(.wholeFolder)
    try folder.bringBack(.wholeFolder)
    try await ServerRun.run(in: folder, keepsMarks: false) { #expect($0.wasCopiedBack) }
    try await ServerRun.run(in: folder, keepsMarks: false) { #expect(!$0.wasCopiedBack) }
  }

  @Test func `a copy beside its running origin goes its own way`() async throws {
    try await ServerRun.run(in: folder) { serverRun in
      try await serverRun.save("first")
      let beside = try TemporaryFolder()
      try FileManager.default.copyItem(atPath: folder.data, toPath: beside.data)
      try await ServerRun.run(in: beside, marks: folder.marksFolder) { #expect($0.wasCopiedBack) }
      try await serverRun.save("second")
    }
    try await ServerRun.run(in: folder) { #expect(!$0.wasCopiedBack) }
  }

  @Test func `marks that cannot be kept are said, and the store opens`() async throws {
    try Data().write(to: URL(fileURLWithPath: folder.marksFolder))
    try await ServerRun.run(in: folder) { serverRun in
      try await serverRun.save("first")
      #expect(serverRun.log.texts.contains { $0.contains("--marks") })
    }
  }

  @Test(arguments: [true, false])
  func `a database that is gone or empty beside its mark is refused, and nothing is begun`(
    isGone: Bool
  ) async throws {
    try await ServerRun.run(in: folder) { try await $0.save("first") }
    let (database, mark) = (folder.data + "/brume.sqlite", folder.data + "/brume.mark")
    let before = try Data(contentsOf: URL(fileURLWithPath: mark))
    if isGone {
      try FileManager.default.removeItem(atPath: database)
    } else {
      try Data().write(to: URL(fileURLWithPath: database))
    }
    for _ in 0..<2 {
      let error = #expect(throws: StoreError.self) { try folder.openSQLite() }
      #expect(error?.description.contains("of its start 1") == true)
      #expect(error?.description.contains("remove that file") == true)
      #expect(try Data(contentsOf: URL(fileURLWithPath: mark)) == before)
    }
    try FileManager.default.removeItem(atPath: mark)
    try await folder.openSQLite().close()
  }

  @Test func `any bytes are a mark or none`() throws {
    let mark = StoreProgress(start: 3, runID: "A-1", position: 12)
    #expect(StoreProgress(line: mark.line) == mark)
    for cut in 0..<mark.line.count {
      #expect(StoreProgress(line: "\(mark.line.prefix(cut))") == nil)
    }
    #expect(StoreProgress(line: "brume-mark-1 9999999999999999999999 1 a\n") == nil)
  }
}

// MARK: Support

/// One start of a server on a folder, until its end.
private struct ServerRun: Sendable {
  let server: TestServer
  let phone: Caller
  let log: LogLines
  let wasCopiedBack: Bool

  @discardableResult
  static func run<Value: Sendable>(
    in folder: TemporaryFolder, later: Milliseconds = 0, keepsMarks: Bool = true,
    marks: String? = nil, _ body: (ServerRun) async throws -> Value
  ) async throws -> Value {
    let log = LogLines(from: .warning)
    let store = try folder.openSQLite(
      marks: keepsMarks ? marks ?? folder.marksFolder : nil,
      logger: log.logger)
    let wasCopiedBack = try await store.read { try $0.settings.value(.copiedBack) != nil }
    let server = try await TestServer(store: store, now: ManualClock.start + later)
    let phone = try await server.device(of: "alice")
    let value = try await body(
      ServerRun(server: server, phone: phone, log: log, wasCopiedBack: wasCopiedBack))
    try await store.close()
    return value
  }

  var generation: Int64 { server.engine.generation }

  /// Saves a new record and answers its tag.
  @discardableResult
  func save(_ name: String) async throws -> String {
    _ = try await server.engine.zones.modify(
      [.init(.create, ZoneID(name: "Trails"))], in: .private, as: phone)
    let results = try await modify(.create, name, tag: nil)
    guard case .saved(let stored) = try #require(results.first).get() else { return "" }
    return try stored.record().changeTag
  }

  func errorOfUpdate(_ name: String, tag: String) async throws -> BrumeError.Code? {
    guard case .failure(let failure)? = try await modify(.update, name, tag: tag).first else {
      return nil
    }
    return failure.error.code
  }

  private func modify(
    _ kind: RecordOperation.Kind, _ name: String, tag: String?
  ) async throws -> [RecordResult] {
    let draft = RecordDraft(name: name, type: "Trail", changeTag: tag)
    return try await server.engine.records.modify(
      .init(zone: ZoneID(name: "Trails"), operations: [.init(kind, draft)]), in: .private,
      as: phone)
  }

  func token() async throws -> String { try await changes(since: nil).get().token }

  func names() async throws -> [String] { try await server.names(as: phone) }

  func errorOfChanges(since token: String) async throws -> BrumeError.Code? {
    guard case .failure(let failure) = try await changes(since: token) else { return nil }
    return failure.error.code
  }

  private func changes(since token: String?) async throws -> ZoneChangesResult {
    try await server.changes(since: token, as: phone)
  }
}

extension TemporaryFolder {
  fileprivate var data: String { path + "/data" }
  fileprivate var marksFolder: String { path + "/marks" }
  private var files: FileManager { .default }

  /// Copies away what the kind of copy holds.
  fileprivate func keep(_ copy: CopiedBackTests.Copy) throws {
    try files.copyItem(atPath: data, toPath: path + "/kept")
  }

  fileprivate func bringBack(_ copy: CopiedBackTests.Copy) throws {
    let names = try files.contentsOfDirectory(atPath: path + "/kept")
    switch copy {
    case .wholeFolder:
      try files.removeItem(atPath: data)
      try files.copyItem(atPath: path + "/kept", toPath: data)
    case .wholeFolderInPlace: try overwrite(names)
    case .databaseOnly:
      try files.removeItem(atPath: data + "/brume.sqlite")
      try files.copyItem(atPath: path + "/kept/brume.sqlite", toPath: data + "/brume.sqlite")
    case .databaseOnlyInPlace: try overwrite(["brume.sqlite"])
    }
  }

  /// As `cp` does it: the same files, with other bytes. SQLite has closed, so there is no log.
  private func overwrite(_ names: [String]) throws {
    for name in names {
      let content = try Data(contentsOf: URL(fileURLWithPath: "\(path)/kept/\(name)"))
      try content.write(to: URL(fileURLWithPath: "\(data)/\(name)"))
    }
  }

  fileprivate func keepAsKilled() throws {
    try files.copyItem(atPath: data, toPath: path + "/kept")
    try files.copyItem(atPath: marksFolder, toPath: path + "/kept-marks")
  }

  fileprivate func bringBackAsKilled() throws {
    try overwrite(try files.contentsOfDirectory(atPath: path + "/kept"))
    for name in try files.contentsOfDirectory(atPath: path + "/kept-marks") {
      let content = try Data(contentsOf: URL(fileURLWithPath: "\(path)/kept-marks/\(name)"))
      try content.write(to: URL(fileURLWithPath: "\(marksFolder)/\(name)"))
    }
  }

  /// All marks with their content, by path.
  fileprivate func marks() throws -> [String: Data] {
    var found = [data + "/brume.mark"]
    found += try files.contentsOfDirectory(atPath: marksFolder).map { "\(marksFolder)/\($0)" }
    return try Dictionary(
      uniqueKeysWithValues: found.map { ($0, try Data(contentsOf: URL(fileURLWithPath: $0))) })
  }
}
