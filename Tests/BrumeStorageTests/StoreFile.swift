// The files of a store, for tests that look into them or change them.

import Foundation
import GRDB
import Testing

extension TemporaryFolder {
  /// Runs a body on the database of a closed store.
  @discardableResult
  func onFile<Value>(_ body: (Database) throws -> Value) throws -> Value {
    let queue = try DatabaseQueue(path: path + "/data/brume.sqlite")
    let value = try queue.inDatabase { try body($0) }
    try queue.close()
    return value
  }

  /// Bytes of the write-ahead log.
  func sizeOfLog() throws -> Int {
    let log = URL(filePath: path + "/data/brume.sqlite-wal")
    return try #require(log.resourceValues(forKeys: [.fileSizeKey]).fileSize)
  }
}
