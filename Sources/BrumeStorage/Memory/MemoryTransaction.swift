// One transaction of the memory engine: a copy of the state and what every part needs to reach into
// it. The parts themselves are the `MemoryTransaction+…` files, one for each file of the port.

import BrumeModel

final class MemoryTransaction {
  var state: MemoryState
  let coders: StoreCoders
  private let awaited: @Sendable () -> Bool

  init(
    _ state: MemoryState, _ coders: StoreCoders, awaited: @escaping @Sendable () -> Bool = { false }
  ) {
    self.state = state
    self.coders = coders
    self.awaited = awaited
  }

  var isAwaited: Bool { awaited() }

  func zone(of key: ZoneKey) -> MemoryZone? {
    state.databases[key.database]?.zones[ByteText(key.name)]
  }

  func change<Value>(_ key: ZoneKey, _ change: (inout MemoryZone) throws -> Value) rethrows -> Value
  {
    try change(
      &state.databases[key.database, default: .init()].zones[ByteText(key.name), default: .init()])
  }

  func stored(_ record: MemoryRecord) -> StoredRecord {
    StoredRecord(
      name: record.record.name, type: record.record.type, sequence: record.sequence,
      content: .encoded(record.bytes, coders.record))
  }
}

extension MemoryTransaction: WriteTransaction {}
