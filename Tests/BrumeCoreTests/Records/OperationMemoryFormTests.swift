// What is kept of a request's results, byte by byte.

import BrumeModel
import Testing

@testable import BrumeCore

@Suite struct OperationMemoryFormTests {
  private static let id = RecordID(name: "a", zone: ZoneID(name: "Z"))

  private static func errors() -> [BrumeError] {
    var reset = BrumeError(.zoneNotFound, "gone")
    reset.didResetEncryptedData = true
    return [reset, BrumeError(.badRequest, "no"), BrumeError(.zoneBusy, "busy", retryAfter: 2.5)]
  }

  /// Items of one database need not stand in a row.
  private static func results() -> [(index: Int, kept: OperationMemory.Kept)] {
    zip([1, 4, 5], errors()).map { ($0, .init(.failure(ItemFailure(id, $1)))) }
  }

  @Test func `LIM-06 a kept failure comes back with its wait and with what became of its zone`()
    throws
  {
    var packer = Packer()
    OperationMemory.add(Self.results(), to: &packer)
    var unpacker = Unpacker(packer.bytes)
    let read = OperationMemory.kept(3, from: &unpacker)
    let kept = try #require(read)
    #expect(kept.compactMap { $0.failure } == Self.errors())
    #expect(kept.allSatisfy { !$0.isSave && !$0.isDeletion })
    #expect(unpacker.isAtEnd)
  }

  @Test func `what is kept beside results stands behind what earlier versions read`() {
    var old = Packer()
    for (index, error) in zip([1, 4, 5], Self.errors()) {
      old.add(Int64(index))
      old.add(Int64(2))
      for text in ["a", "Z", error.code.rawValue, error.reason] { old.add(text) }
    }
    var new = Packer()
    OperationMemory.add(Self.results(), to: &new)
    #expect(new.bytes.count > old.bytes.count && new.bytes.starts(with: old.bytes))
  }

  @Test func `failures as earlier versions kept them are read`() throws {
    var packer = Packer()
    for number in [Int64(0), 2] { packer.add(number) }
    for text in ["a", "Z", BrumeError.Code.notFound.rawValue, "gone"] { packer.add(text) }
    var unpacker = Unpacker(packer.bytes)
    let read = OperationMemory.kept(1, from: &unpacker)
    let kept = try #require(read)
    #expect(kept.compactMap { $0.failure } == [BrumeError(.notFound, "gone")])
    #expect(unpacker.isAtEnd)
    var few = Unpacker(packer.bytes)
    let more = OperationMemory.kept(2, from: &few)
    #expect(more == nil)
  }
}
