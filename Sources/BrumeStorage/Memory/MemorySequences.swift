// The sequences of databases in memory.

import BrumeModel

final class MemorySequences: MemoryFeature, SequenceWriting {
  func last(in database: DatabaseKey) throws -> Int64 {
    draft.state.databases[database]?.sequence ?? 0
  }

  func next(in database: DatabaseKey) throws -> Int64 {
    draft.requireScope(.database(database))
    let next = max(try last(in: database), draft.state.sequenceFloor) + 1
    draft.state.databases[database, default: .init()].sequence = next
    return next
  }

  func raise(above floor: Int64) throws {
    draft.requireScope(.server)
    draft.state.sequenceFloor = max(draft.state.sequenceFloor, floor)
  }
}
