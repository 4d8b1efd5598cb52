// What a client of PostgreSQL sends, cut where it waits for an answer (PostgreSQL's documentation, "Frontend/
// Backend Protocol"): a byte for the kind, four for the length, the message.

/// Everything up to a point where the client waits.
struct ClientBatch {
  var bytes: [UInt8] = []
  /// Texts of the statements that are executed.
  var statements: [String] = []

  var begins: Bool { statements.contains { $0.hasPrefix("BEGIN ISOLATION LEVEL READ COMMITTED") } }
  var commits: Bool { statements.contains("COMMIT") }
}

struct ClientBatches {
  private var buffer: [UInt8] = []
  private var batch = ClientBatch()
  private var hasStarted = false
  /// Texts of prepared statements by their names.
  private var prepared: [String: String] = [:]

  /// The batches that end in these bytes.
  mutating func add(_ bytes: [UInt8]) -> [ClientBatch] {
    buffer += bytes
    var batches: [ClientBatch] = []
    while let message = takeMessage() {
      batch.bytes += message
      if endsBatch(message) {
        batches.append(batch)
        batch = ClientBatch()
      }
    }
    return batches
  }

  /// The first message has no byte for its kind.
  private mutating func takeMessage() -> [UInt8]? {
    let start = hasStarted ? 1 : 0
    guard buffer.count >= start + 4 else { return nil }
    let length = buffer[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    guard buffer.count >= start + length else { return nil }
    defer { buffer.removeFirst(start + length) }
    return Array(buffer.prefix(start + length))
  }

  private mutating func endsBatch(_ message: [UInt8]) -> Bool {
    guard hasStarted else {
      hasStarted = true
      return true
    }
    let texts = message.dropFirst(5).split(separator: 0, omittingEmptySubsequences: false)
      .prefix(2).map { String(decoding: $0, as: UTF8.self) }
    switch message.first {
    case UInt8(ascii: "P"): prepared[texts[0]] = texts[1]
    case UInt8(ascii: "B"): batch.statements.append(prepared[texts[1]] ?? "")
    case UInt8(ascii: "S"), UInt8(ascii: "Q"), UInt8(ascii: "X"): return true
    default: break
    }
    return false
  }
}
