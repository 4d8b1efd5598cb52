// One transaction of the memory engine: a copy of the state and what every part needs to reach into
// it. The parts themselves are the `MemoryTransaction+…` files, one for each file of the port.

import BrumeModel

final class MemoryTransaction {
  var state: MemoryState
  let coders: StoreCoders
  /// What may be changed; nil for reading.
  private let scope: WriteScope?
  private let awaited: @Sendable () -> Bool

  init(
    _ state: MemoryState, _ coders: StoreCoders, scope: WriteScope? = nil,
    awaited: @escaping @Sendable () -> Bool = { false }
  ) {
    self.state = state
    self.coders = coders
    self.scope = scope
    self.awaited = awaited
  }

  /// Ends the process if the write did not say that it changes this: on an engine that locks by
  /// the scope it would change what it has not locked.
  func requireScope(_ part: WriteScope.Part) {
    requireScope(scope?.covers(part, among: 1) ?? false, for: part)
  }

  func requireScope(_ key: SettingKey) {
    requireScope(scope?.covers(key, among: 1) ?? false, for: key)
  }

  private func requireScope(_ isCovered: Bool, for changed: Any) {
    precondition(
      isCovered, "a write in \(scope.map { "\($0.parts)" } ?? "nothing") changes \(changed)")
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
