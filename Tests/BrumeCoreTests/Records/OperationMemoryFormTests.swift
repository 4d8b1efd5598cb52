// What is kept of a request's results, byte by byte.

import BrumeModel
import Testing

@testable import BrumeCore

@Suite struct OperationMemoryFormTests {
  @Test func `LIM-06 a kept failure comes back with its wait and with what became of its zone`()
    throws
  {
    var reset = BrumeError(.zoneNotFound, "gone")
    reset.didResetEncryptedData = true
    let errors = [
      reset, BrumeError(.zoneBusy, "busy", retryAfter: 2.5), BrumeError(.badRequest, "no"),
    ]
    let id = RecordID(name: "a", zone: ZoneID(name: "Z"))
    for error in errors {
      var packer = Packer()
      OperationMemory.add(.failure(ItemFailure(id, error)), to: &packer)
      var unpacker = Unpacker(packer.bytes)
      let read = OperationMemory.Kept(&unpacker)
      let kept = try #require(read)
      #expect(kept.failure == error && !kept.isSave && !kept.isDeletion)
      #expect(unpacker.isAtEnd)
    }
  }

  @Test func `a failure as earlier versions kept it is read`() throws {
    var packer = Packer()
    packer.add(Int64(2))
    for text in ["a", "Z", BrumeError.Code.notFound.rawValue, "gone"] { packer.add(text) }
    var unpacker = Unpacker(packer.bytes)
    let read = OperationMemory.Kept(&unpacker)
    let kept = try #require(read)
    #expect(kept.failure == BrumeError(.notFound, "gone") && unpacker.isAtEnd)
  }
}
