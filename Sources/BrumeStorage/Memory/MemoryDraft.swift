// One body's copy of the state, what of it the body may change, and what several features reach into.

import BrumeModel

final class MemoryDraft {
  var state: MemoryState
  let coders: StoreCoders
  /// What may be changed; nil for reading.
  private let scope: WriteScope?

  init(_ state: MemoryState, _ coders: StoreCoders, scope: WriteScope? = nil) {
    self.state = state
    self.coders = coders
    self.scope = scope
  }

  /// Ends the process if the write did not say that it changes this: on an engine that locks by
  /// the scope it would change what it has not locked.
  func requireScope(_ part: WriteScope.Part) {
    requireScope(scope?.covers(part, among: bucketCount) ?? false, for: part)
  }

  func requireScope(_ key: SettingKey) {
    requireScope(scope?.covers(key, among: bucketCount) ?? false, for: key)
  }

  func requireScope(_ device: DeviceKey) {
    requireScope(.account(device.user, device.containerEnvironment))
  }

  private func requireScope(_ isCovered: Bool, for changed: Any) {
    precondition(
      isCovered, "a write in \(scope.map { "\($0.parts)" } ?? "nothing") changes \(changed)")
  }

  var bucketCount: Int { state.buckets.count }

  /// The bucket of a database and of what belongs to it.
  func bucket(of database: DatabaseKey) -> Bucket {
    bucketCount == 1 ? .only : Bucket(of: database, among: bucketCount)
  }

  func zone(of key: ZoneKey) -> MemoryZone? {
    state.databases[key.database]?.zones[ByteText(key.name)]
  }

  func change(_ key: ZoneKey, _ change: (inout MemoryZone) -> Void) {
    change(
      &state.databases[key.database, default: .init()].zones[ByteText(key.name), default: .init()])
  }

  func stored(_ record: MemoryRecord) -> StoredRecord {
    StoredRecord(
      name: record.record.name, type: record.record.type, sequence: record.sequence,
      content: .encoded(record.bytes, coders.record))
  }
}
