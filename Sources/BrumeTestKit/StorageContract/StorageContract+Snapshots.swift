// Snapshots: one state of everything, beside writers.

import BrumeModel
import BrumeStorage
import Dispatch

extension StorageContract {
  static let snapshots: [Case] = [
    Case("a snapshot under load is one state, and has every write that was answered before") {
      store in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<4 {
          group.addTask(operation: { try await store.writePairs(of: writer, rounds: 20) })
        }
        group.addTask(operation: {
          for round in 0..<6 {
            let owner = "_own\(round)"
            try await store.write(in: .database(.sample(owner: owner))) {
              try $0.putNext("before", in: .sample(owner: owner))
            }
            try await store.snapshot { try $0.checkPairs(and: owner) }
          }
        })
        try await group.waitForAll()
      }
    },
    Case("a snapshot stops no writer, and has nothing that was written after it began") { store in
      let (begun, written) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
      try await store.write(in: .database(.sample())) { try $0.putNext("early") }
      async let names = store.snapshot { source in
        _ = try source.outline()
        _ = try source.rows(of: .users).next()
        begun.continuation.yield()
        written.wait()
        return try source.names()
      }
      for await _ in begun.stream { break }
      // Were it to wait for the snapshot, this would never return.
      try await store.write(in: .database(.sample())) { try $0.putNext("late") }
      written.signal()
      try expectEqual(try await names, ["early"], "records of the snapshot")
      let now = try await store.snapshot { try $0.names() }
      try expectEqual(now, ["early", "late"], "records of a later snapshot")
    },
  ]
}

extension Store {
  /// Two records and an entry of the log in each transaction.
  fileprivate func writePairs(of writer: Int, rounds: Int) async throws {
    let owner = "_w\(writer)"
    let zone = ZoneKey.sample(owner: owner)
    for round in 0..<rounds {
      try await write(in: .database(zone.database)) { transaction in
        for half in ["a", "b"] { try transaction.putNext("\(round)-\(half)", in: zone) }
        try transaction.log.append(.zoneCreated(zone), in: zone.database, origin: .sample)
      }
    }
  }
}

extension StoreExport {
  fileprivate func each(_ table: MovedTable, _ body: (MovedRow) throws -> Void) throws {
    let rows = try rows(of: table)
    while let row = try rows.next() { try body(row) }
  }

  fileprivate func names() throws -> [String] {
    var names: [String] = []
    try each(.records) { names.append(try $0.text("name")) }
    return names
  }

  /// Whether tables that are read one after the other agree, and a record is there that was answered.
  fileprivate func checkPairs(and owner: String) throws {
    var (records, entries, sequences) = ([String: Int64](), [String: Int64](), [String: Int64]())
    // The log first: were each table read as it is by then, records would be ahead.
    try each(.log) { entries[try $0.text("owner"), default: 0] += 1 }
    try each(.databases) { sequences[try $0.text("owner")] = try $0.integer("sequence") }
    try each(.records) { records[try $0.text("owner"), default: 0] += 1 }
    for (owner, count) in records where owner.hasPrefix("_w") {
      try expectEqual(count, 2 * (entries[owner] ?? 0), "records of \(owner), by its log")
      try expectEqual(count, sequences[owner] ?? 0, "records of \(owner), by its sequence")
    }
    try expectEqual(records[owner] ?? 0, 1, "records of \(owner), which were answered before")
  }
}
