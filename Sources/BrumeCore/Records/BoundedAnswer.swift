// What a repeated request is answered holds records as they are now, and they may have grown since. What has no room is
// said without its content: it was saved, and can be fetched.

import BrumeModel

struct BoundedAnswer {
  private let limits: Limits
  private var room: AnswerRoom

  init(_ limits: Limits) {
    self.limits = limits
    room = AnswerRoom(limits)
  }

  /// The result, or what is said in its place when the answer is full.
  mutating func fitting(_ result: RecordResult) throws -> RecordResult {
    switch result {
    case .success(.deleted): return result
    case .success(.saved(let stored)):
      // Measured as when it was saved: its stored form may be a third longer.
      let record = try stored.record()
      return room.takes(record.answerBytes) ? result : savedAlready(record)
    case .failure(let failure):
      guard let record = failure.error.serverRecord, !room.takes(record.answerBytes) else {
        return result
      }
      return .failure(ItemFailure(failure.id, limits.answerIsFull(before: failure.id.name)))
    }
  }

  /// A failure, since clients would take a record without its fields for one that has lost them. Ours fetch what the
  /// failure names as the server's record, and take it for saved.
  private func savedAlready(_ record: Record) -> RecordResult {
    var error = BrumeError(
      .limitExceeded,
      "record '\(NameRules.shown(record.name))' was saved when this request came first; the answer has no room for it "
        + "beside \(room.maximum) bytes of others, the maximum; fetch it with records/lookup")
    var head = record
    (head.fields, head.encryptedFields) = ([:], [])
    error.serverRecord = head
    return .failure(ItemFailure(RecordID(name: record.name, zone: record.zone), error))
  }
}
