// The name of a request that an app names itself (`clientChangeTokenData`). Apps say the same words
// with many saves, a device's name for example; only the same words with the same records are a
// repetition, which the server answers without doing it again.

import BrumeModel

extension ModifyRecordsRequest {
  /// A name for the words with this very content: 64 hex digits. An asset counts by its bytes, since
  /// each upload has a receipt of its own.
  package func name(after words: [UInt8]) -> String {
    var digest = ContentDigest()
    digest.update(data: words)
    for operation in operations {
      digest.add(operation.kind.rawValue)
      digest.add(operation.record)
    }
    let digits = digest.bytes().flatMap { [$0 >> 4, $0 & 15] }
    return String(decoding: digits.map { $0 < 10 ? $0 + 48 : $0 + 87 }, as: UTF8.self)
  }
}

extension ContentDigest {
  fileprivate mutating func add(_ text: String) {
    update(data: Array(text.utf8))
    update(data: [0xff])
  }

  fileprivate mutating func add(_ draft: RecordDraft) {
    for part in [draft.name, draft.type, draft.changeTag, draft.zone?.name, draft.zone?.ownerName] {
      add(part ?? "")
    }
    for (name, field) in draft.fields.sorted(by: { $0.key < $1.key }) {
      add(name)
      add(field.isEncrypted ? "encrypted" : "plain")
      if let value = field.value { add(value) } else { add("none") }
    }
    add("\(draft.parent) \(draft.shareRoot?.name ?? "") \(draft.createShortGUID)")
    add("\(String(describing: draft.publicPermission)) \(draft.participants ?? [])")
    add("\(String(describing: draft.access))")
  }

  private mutating func add(_ value: FieldValue) {
    switch value {
    case .asset(let asset): add("file \(asset.fileChecksum)")
    case .list(let values, _):
      add("list of \(values.count)")
      for value in values { add(value) }
    case .bytes(let bytes):
      add("bytes")
      update(data: bytes)
    case .string(let text):
      add("text")
      add(text)
    case .int64, .double, .timestamp, .location, .reference: add("\(value)")
    }
  }
}
