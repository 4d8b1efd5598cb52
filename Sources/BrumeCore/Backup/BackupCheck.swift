// The check reads a backup from its first frame on and says whether each is what must come there: the header,
// the tables in
// their order and their rows in theirs, the end with count and hash, each asset with its digest, the end of all.
// What is wrong is named with what it hit. It holds one frame in memory.

import BrumeModel
package import BrumeStorage
import Crypto

/// Checks one backup file, frame by frame.
package struct BackupCheck {
  private enum Stage: Equatable { case header, rows, assets, done }
  private let read: BackupFrames.Read
  private var stage = Stage.header
  private var hash = MoveHash()
  private var table: MovedTable?
  private var last: BackupChange?
  private var asset: AssetUnderWay?
  private var files: (any MovedRows)?
  private let earlier: BackupFile?
  /// What the file has shown so far.
  package private(set) var report = BackupReport()

  private struct AssetUnderWay {
    let file: MovedRow
    var digest = SHA256()
    var size: Int64 = 0
  }

  /// - Parameters:
  ///   - read: of the file; asked a second time for the list of assets.
  ///   - earlier: what the file continues, and which assets need not be in it.
  package init(_ read: @escaping BackupFrames.Read, after earlier: BackupFile? = nil) {
    self.read = read
    self.earlier = earlier
  }

  /// Reads the whole file. Of one that continues another `BackupFile.survey` says whether both make what was backed up.
  ///
  /// - Throws: `StoreError`: `corrupt` names what is damaged or missing, `tooNew` another version.
  package static func run(
    _ read: @escaping BackupFrames.Read, after earlier: BackupFile? = nil,
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> BackupReport {
    var check = BackupCheck(read, after: earlier)
    try requireMagic(read)
    var frames = BackupFrames(read)
    do {
      while let frame = try frames.next() {
        try check.take(frame)
        try progress(frame.end)
      }
    } catch let damage as BackupDamage {
      throw check.error(of: damage)
    }
    guard check.isWhole else {
      throw check.error(of: BackupDamage(offset: frames.position, isCut: true))
    }
    return check.report
  }

  /// - Throws: `StoreError` if a file does not begin as a backup does.
  package static func requireMagic(_ read: BackupFrames.Read) throws {
    guard try read(0, BackupFrame.magic.count) == BackupFrame.magic else {
      throw StoreError(.corrupt, "this is no backup of Brume")
    }
  }

  /// What a file says of itself first.
  ///
  /// - Throws: `StoreError`, as `run`.
  package static func header(_ read: @escaping BackupFrames.Read) throws -> BackupHeader {
    var check = BackupCheck(read)
    try requireMagic(read)
    var frames = BackupFrames(read)
    do {
      if let first = try frames.next() { try check.take(first) }
    } catch let damage as BackupDamage {
      throw check.error(of: damage)
    }
    guard let header = check.report.header else {
      throw check.error(of: BackupDamage(offset: frames.position, isCut: true))
    }
    return header
  }

  /// Whether all is there.
  package var isWhole: Bool { stage == .done }
  /// Whether all rows are there.
  package var hasAllRows: Bool { stage == .assets || stage == .done }
  /// Whether what was taken ends with a whole asset, and not within one.
  package var isBetweenAssets: Bool { asset == nil }

  /// - Throws: `StoreError` if the frame cannot come here.
  package mutating func take(_ frame: BackupFrame) throws {
    do {
      switch (stage, frame.kind) {
      case (.header, .header):
        report.header = try BackupHeader(frame.content)
        stage = .rows
      case (.rows, .rows) where !continues, (.rows, .changes) where continues: try takeRows(frame)
      case (.rows, .rowsEnd): try endRows(frame)
      case (.assets, .asset): try takeAsset(frame)
      case (.assets, .missingAsset): try takeMissing(frame)
      case (.assets, .earlierAsset): try takeEarlier(frame)
      case (.assets, .end): try end(frame)
      default: throw wrong(frame, "this part does not belong there")
      }
    } catch let damage as BackupDamage {
      throw error(of: damage)
    }
  }

  private var continues: Bool { report.header?.base != nil }

  // MARK: Rows

  private mutating func takeRows(_ frame: BackupFrame) throws {
    guard let page = try BackupPage(frame), !page.entries.isEmpty else {
      throw wrong(frame, "the rows cannot be read")
    }
    if page.table != table { try begin(page.table, frame) }
    for entry in page.entries {
      if let last, !MovedRow.isBefore(last.key, entry.key) {
        throw wrong(frame, "table \(page.table.rawValue): rows are not in their order")
      }
      last = entry
      report.entries += 1
      if !continues, case .put(let row) = entry {
        hash.add(row)
        report.note(row)
      }
    }
  }

  private mutating func begin(_ next: MovedTable, _ frame: BackupFrame) throws {
    let tables = MovedTable.allCases
    let done = table.flatMap { tables.firstIndex(of: $0) } ?? -1
    guard let index = tables.firstIndex(of: next), index > done else {
      throw wrong(frame, "the table \(next.rawValue) does not belong there")
    }
    // Also those without rows are in the hash.
    for table in tables[(done + 1)...index] { hash.begin(table) }
    (table, last) = (next, nil)
    report.offsets[next] = frame.offset
  }

  private mutating func endRows(_ frame: BackupFrame) throws {
    let tables = MovedTable.allCases
    let done = table.flatMap { tables.firstIndex(of: $0) } ?? -1
    for table in tables[(done + 1)...] { hash.begin(table) }
    guard let end = BackupRowsEnd(frame.content), end.entries == report.entries,
      continues || (end.rows == report.rows && end.hash == hash.text)
    else { throw wrong(frame, "rows are missing, or are not those that were backed up") }
    (report.rows, report.hash) = (end.rows, end.hash)
    report.assetOffset = frame.end
    files = try BackupFile(report, read, after: earlier)?.rows(of: .assetFiles)
    stage = .assets
  }

  // MARK: Assets

  private mutating func takeAsset(_ frame: BackupFrame) throws {
    guard let piece = BackupAssetPiece(frame.content) else {
      throw wrong(frame, "the piece of an asset cannot be read")
    }
    var asset = try self.asset ?? AssetUnderWay(file: try nextFile(piece.object, frame))
    let size = try asset.file.integer("size")
    guard try asset.file.text("object") == piece.object, piece.offset == asset.size else {
      throw wrong(frame, "a piece of the asset '\(try asset.file.text("checksum"))' is missing")
    }
    asset.digest.update(data: piece.data)
    asset.size += Int64(piece.data.count)
    self.asset = asset
    guard asset.size >= size else { return }
    guard asset.size == size, Array(asset.digest.finalize()) == asset.file["digest"].bytes else {
      throw wrong(frame, "the asset '\(try asset.file.text("checksum"))' is damaged")
    }
    try report.noteAsset(asset.file)
    self.asset = nil
  }

  private mutating func takeMissing(_ frame: BackupFrame) throws {
    report.noteMissing(try nextFile(object(frame), frame))
  }

  private mutating func takeEarlier(_ frame: BackupFrame) throws {
    let object = try object(frame)
    guard earlier?.holds(ObjectMark(object)) == true else {
      throw wrong(frame, "an asset is in no earlier backup")
    }
    _ = try nextFile(object, frame)
    report.count.earlier += 1
  }

  private func object(_ frame: BackupFrame) throws -> String {
    guard asset == nil, let object = String(validating: frame.content, as: UTF8.self) else {
      throw wrong(frame, "an asset is not whole")
    }
    return object
  }

  /// Assets come in the order of their rows.
  private func nextFile(_ object: String, _ frame: BackupFrame) throws -> MovedRow {
    guard let file = try files?.next(), try file.text("object") == object else {
      throw wrong(frame, "an asset is missing, or one that no row names is there")
    }
    return file
  }

  private mutating func end(_ frame: BackupFrame) throws {
    guard asset == nil, try files?.next() == nil,
      BackupAssetCount(frame.content) == report.count
    else { throw wrong(frame, "assets are missing") }
    stage = .done
  }

  // MARK: What is wrong

  private func wrong(_ frame: BackupFrame, _ what: String) -> StoreError {
    StoreError(.corrupt, "the backup is damaged at byte \(frame.offset), \(place): \(what)")
  }

  /// What an operator reads of damage that was found in a frame: where it is, what it hit, and what to do.
  package func error(of damage: BackupDamage) -> StoreError {
    let what = damage.isCut ? "ends at byte" : "is damaged at byte"
    let advice =
      damage.isCut
      ? "; it was cut, or is not whole yet: make it anew, or repeat the command that made it"
      : "; take another backup"
    return StoreError(.corrupt, "the backup \(what) \(damage.offset), \(place)\(advice)")
  }

  /// In words, after what was read last.
  private var place: String {
    switch stage {
    case .header: "before anything of it was said"
    case .rows:
      if let table, let last {
        "in table \(table.rawValue), after key \(table.keyText(last.key))"
      } else {
        "before its first row"
      }
    case .assets:
      asset.flatMap { $0.file["checksum"].text }.map { "in the asset '\($0)'" }
        ?? "behind \(report.count.assets) whole assets"
    case .done: "behind its end"
    }
  }
}
