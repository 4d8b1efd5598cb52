// Pages of rows as a frame holds them: rows of one table, or what became of them since an earlier backup, both in the
// order of their keys. Reading is total: any bytes give a value or nil.

import BrumeStorage

/// What became of a row since an earlier backup.
enum BackupChange: Equatable {
  /// It came, or changed. A whole backup has nothing else.
  case put(MovedRow)
  /// It went; its key.
  case gone([MovedValue])

  var key: ArraySlice<MovedValue> {
    switch self {
    case .put(let row): row.key
    case .gone(let key): key[...]
    }
  }

  var byteCount: Int {
    switch self {
    case .put(let row): row.byteCount
    case .gone(let key): key.reduce(0) { $0 + $1.byteCount }
    }
  }
}

/// Entries of one table.
struct BackupPage: Equatable {
  let table: MovedTable
  let entries: [BackupChange]

  /// Ours: bytes of rows in one frame, about.
  static let bytes = 1 << 20
  /// Ours: entries in one frame.
  static let most = 1000

  init(_ table: MovedTable, _ entries: [BackupChange]) {
    self.table = table
    self.entries = entries
  }

  /// - Parameter kind: `rows` or `changes`; others have no page.
  func bytes(as kind: BackupFrame.Kind) -> [UInt8] {
    var packer = Packer()
    packer.add(table.rawValue)
    packer.add(Int64(entries.count))
    for entry in entries {
      switch entry {
      case .put(let row):
        if kind == .changes { packer.add(Self.put) }
        for value in row.values { packer.add(value) }
      case .gone(let key):
        packer.add(Self.gone)
        for value in key { packer.add(value) }
      }
    }
    return packer.bytes
  }

  /// - Throws: `StoreError` if a value is not as its column says.
  init?(_ frame: BackupFrame) throws {
    guard frame.kind == .rows || frame.kind == .changes else { return nil }
    var unpacker = Unpacker(frame.content)
    guard let table = unpacker.text().flatMap({ MovedTable(rawValue: $0) }),
      let count = unpacker.number()
    else { return nil }
    var entries: [BackupChange] = []
    for _ in 0..<max(0, count) {
      let isGone = frame.kind == .changes && unpacker.number() != Self.put
      guard let entry = try Self.entry(of: table, isGone: isGone, &unpacker) else { return nil }
      entries.append(entry)
    }
    guard unpacker.isAtEnd else { return nil }
    self.init(table, entries)
  }

  private static let put: Int64 = 1
  private static let gone: Int64 = 0

  private static func entry(
    of table: MovedTable, isGone: Bool, _ unpacker: inout Unpacker
  ) throws -> BackupChange? {
    var values: [MovedValue] = []
    for _ in 0..<(isGone ? table.keyLength : table.columns.count) {
      guard let value = unpacker.value() else { return nil }
      values.append(value)
    }
    guard isGone else { return .put(try MovedRow(table, values)) }
    return table.admitsKey(values) ? .gone(values) : nil
  }
}

extension Packer {
  fileprivate mutating func add(_ value: MovedValue) {
    switch value {
    case .null: add(Int64(0))
    case .integer(let number):
      add(Int64(1))
      add(number)
    case .text(let text):
      add(Int64(2))
      add(text)
    case .bytes(let bytes):
      add(Int64(3))
      add(bytes)
    }
  }
}

extension Unpacker {
  fileprivate mutating func value() -> MovedValue? {
    switch number() {
    case 0: .null
    case 1: number().map { .integer($0) }
    case 2: text().map { .text($0) }
    case 3: data().map { .bytes($0) }
    default: nil
    }
  }
}
