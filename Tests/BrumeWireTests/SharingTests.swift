// What of a share is shown to whom.

import BrumeModel
import Testing

@testable import BrumeWire

struct SharingTests {
  private static var share: Record {
    var share = Sample.share
    share.shareDetails?.participants[1].oneTimeToken = "secret"
    share.shareDetails?.participants[1].added = 5
    share.shareDetails?.allowsAccessRequests = true
    share.shareDetails?.requesters = [UserIdentity(user: UserID("_asks"))]
    share.shareDetails?.blocked = [UserIdentity(user: UserID("_blocked"))]
    return share
  }

  private func shown(_ reader: UserID?) throws -> Share {
    var writer = JSONWriter()
    writer.record(Self.share, RecordOptions(reader: reader))
    return try #require(try Record(json: JSON(parsing: writer.bytes)).shareDetails)
  }

  @Test func `engines keep everything of a share`() throws {
    let bytes = RecordCoder.wire.encode(Self.share)
    #expect(try RecordCoder.wire.decode(bytes) == Self.share)
  }

  @Test func `the owner gets everything`() throws {
    #expect(try shown(Sample.owner) == Self.share.shareDetails)
  }

  @Test func `where tokens are hidden the owner gets everything else`() throws {
    var options = RecordOptions(reader: Sample.owner)
    options.hidesTokens = true
    var writer = JSONWriter()
    writer.record(Self.share, options)
    var expected = Self.share.shareDetails
    expected?.participants[1].oneTimeToken = nil
    #expect(try Record(json: JSON(parsing: writer.bytes)).shareDetails == expected)
  }

  @Test func `others get neither secrets nor requests`() throws {
    for reader in [Sample.guest, UserID("_stranger"), nil] {
      let share = try shown(reader)
      #expect(share.participants.map(\.oneTimeToken) == [nil, nil])
      #expect(share.participants.map(\.added) == [nil, 5])
      #expect(share.requesters.isEmpty && share.blocked.isEmpty && !share.allowsAccessRequests)
      #expect(share.rootRecordName == "A-7")
    }
  }

  @Test func `others get addresses of nobody but themselves`() throws {
    for (reader, numbers) in [
      (Sample.guest, [nil, "+4366012345"]), (UserID("_stranger"), [nil, nil]), (nil, [nil, nil]),
    ] as [(UserID?, [String?])] {
      let share = try shown(reader)
      #expect(share.participants.map(\.identity.emailAddress) == [nil, nil])
      #expect(share.participants.map(\.identity.phoneNumber) == numbers)
      #expect(share.participants.map(\.identity.user) == [Sample.owner, Sample.guest])
      #expect(share.participants[0].identity.givenName == "Ada")
    }
  }

  @Test func `who manages a share gets addresses, also in a conflict`() throws {
    var share = Self.share
    share.shareDetails?.participants[1].role = .administrator
    share.shareDetails?.participants[1].acceptance = .accepted
    var error = BrumeError(.conflict, "it changed")
    error.serverRecord = share
    let bytes = Wire.records(
      [.failure(ItemFailure(RecordID(name: share.name, zone: share.zone), error))],
      RecordOptions(reader: Sample.guest))
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(text.contains("ada@example.org") && text.contains("+4366012345"))
  }

  @Test func `what a save says about access comes through the wire`() throws {
    var draft = RecordDraft(name: "s", type: Record.shareType)
    draft.access = AccessDraft(
      allowsRequests: true, waiting: [UserID("_a")], blocked: [UserID("_b")])
    var writer = JSONWriter()
    draft.write(to: &writer)
    let object = try JSON(parsing: writer.bytes).asObject("the draft")
    #expect(try RecordDraft(object).access == draft.access)
  }
}
