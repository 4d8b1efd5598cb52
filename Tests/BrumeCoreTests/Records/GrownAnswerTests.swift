// A repeated request is answered with the records as they are now, which may be larger than those
// that it saved.

import BrumeCore
import BrumeModel
import BrumeTestKit
import Testing

struct GrownAnswerTests {
  private static let names = ["a", "b", "c"]

  /// A request, and its repetition after each record has got 1,000 letters.
  private func answers(
    upTo most: Int = Limits.apple.answerBytes, areThere: Bool = false
  ) async throws -> (first: [RecordResult], second: [RecordResult]) {
    var limits = Limits.apple
    limits.answerBytes = most
    let fixture = try await EngineFixture(limits: limits)
    let operations = Self.names.map { RecordOperation.create($0) }
    if areThere { #expect(try await fixture.modify(operations).allSucceeded) }
    let first = try await fixture.modify(operations, id: "op-1")
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    for name in Self.names { try await fixture.save(.force(name, ["text": text])) }
    return (first, try await fixture.modify(operations, id: "op-1"))
  }

  private func record(_ result: RecordResult) throws -> Record {
    guard case .saved(let stored) = try result.get() else { throw EngineFixture.Unexpected.deleted }
    return try stored.record()
  }

  /// What one of the grown records takes in an answer.
  private func bytesOfOne() async throws -> Int {
    try record(try await answers().second[0]).answerBytes
  }

  @Test func `a repetition says of records that do not fit by now that they were saved`()
    async throws
  {
    let bytes = try await bytesOfOne()
    let (first, second) = try await answers(upTo: 2 * bytes)
    #expect(first.allSucceeded)
    #expect(second.codes == [nil, nil, .limitExceeded])
    #expect(try record(second[1]).fields["text"] != nil)
    let error = try #require(second[2].error)
    #expect(error.reason.hasPrefix("record 'c' was saved when this request came first"))
    #expect(error.reason.hasSuffix("fetch it with records/lookup"))
    let saved = try record(first[2])
    #expect(error.serverRecord?.name == "c" && error.serverRecord?.fields.isEmpty == true)
    #expect(error.serverRecord?.changeTag == saved.changeTag)
    let less = try await answers(upTo: 2 * bytes - 1).second
    #expect(less.codes == [nil, .limitExceeded, .limitExceeded])
  }

  @Test func `a repetition whose conflicts do not fit by now asks for another request`()
    async throws
  {
    let bytes = try await bytesOfOne()
    let (first, second) = try await answers(upTo: 2 * bytes, areThere: true)
    #expect(first.codes == [.conflict, .conflict, .conflict])
    #expect(second.codes == [.conflict, .conflict, .limitExceeded])
    #expect(second[1].error?.serverRecord?.fields["text"] != nil)
    // Nothing was saved, so no record says so.
    #expect(second[2].error?.serverRecord == nil)
    let less = try await answers(upTo: 2 * bytes - 1, areThere: true).second
    #expect(less.codes == [.conflict, .limitExceeded, .limitExceeded])
  }
}
