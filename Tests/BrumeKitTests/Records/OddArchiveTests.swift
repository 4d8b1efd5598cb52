// Archives that nobody of ours wrote: numbers, dates and names that stop a program which trusts them.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct OddArchiveTests {
  /// Values under the keys of a class, to be read by its `init(coder:)`. As in an app that makes a reader by itself, the
  /// first value that cannot be decoded stops the program.
  private func reader(_ write: (NSKeyedArchiver) -> Void) throws -> NSKeyedUnarchiver {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    write(archiver)
    archiver.finishEncoding()
    return try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
  }

  @Test func `a negative number of abilities is bits, and is written again`() throws {
    let coder = try reader { archiver in
      archiver.encode(CKRecordZone.ID(zoneName: "Z"), forKey: "zoneID")
      archiver.encode(-1, forKey: "capabilities")
    }
    let zone = try #require(CKRecordZone(coder: coder))
    #expect(zone.capabilities.rawValue == .max)
    let again = try reader { zone.encode(with: $0) }
    #expect(CKRecordZone(coder: again)?.capabilities == zone.capabilities)
  }

  @Test func `values of Apple's that name no changed keys are read`() throws {
    let coder = try reader {
      $0.encode(NSDictionary(dictionary: ["a": NSString(string: "x")]), forKey: "RecordValues")
    }
    let read = try #require(AppleRecordValues(coder: coder))
    #expect(read.values["a"] as? String == "x")
    #expect(read.originals.isEmpty && read.changes.isEmpty)
  }

  @Test func `a query that an archive has nothing of can be copied and archived`() throws {
    let query = CKQuery(coder: try reader { $0.encode(1, forKey: "something") })
    #expect((query.copy() as? CKQuery)?.recordType == "")
    #expect(CKQuery(coder: try reader { query.encode(with: $0) }).recordType == "")
  }

  @Test func `a subscription of no kind is not read`() throws {
    let archive = try reader { $0.encodeText("s", "subscriptionID") }
    #expect(CKSubscription(coder: archive) == nil)
    #expect(CKDatabaseSubscription(coder: archive).subscriptionID == "s")
  }

  @Test func `a zone ID without a name is not read`() throws {
    let coder = try reader { archiver in
      archiver.encodeText("", "zoneName")
      archiver.encodeText("_o", "ownerName")
    }
    #expect(CKRecordZone.ID(coder: coder) == nil)
  }
}
