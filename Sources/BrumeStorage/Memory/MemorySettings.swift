// Settings in memory.

import BrumeModel

final class MemorySettings: MemoryFeature, SettingWriting {
  func value(_ key: SettingKey) throws -> [UInt8]? { draft.state.settings[ByteText(key.text)] }

  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    draft.requireScope(key)
    draft.state.settings[ByteText(key.text)] = value
  }
}
