import BrumeModel
import Testing

@testable import BrumeKit

struct ZoneTests {
  @Test func `the default zone is the current user's, and can do nothing special`() {
    #expect(CKRecordZone.default().zoneID == CKRecordZone.ID.default)
    #expect(CKRecordZone.ID.default.zoneName == "_defaultZone")
    #expect(CKRecordZone.ID.default.ownerName == CKCurrentUserDefaultName)
    #expect(CKRecordZone.default().capabilities == [])
    #expect(CKRecordZone.ID() == CKRecordZone.ID.default)
  }

  @Test func `ZON-01 what a zone can do is said by the server, not by who makes it`() {
    #expect(CKRecordZone(zoneName: "Notes").capabilities == [])
    #expect(CKRecordZone(zoneID: CKRecordZone.ID(zoneName: "Notes")).capabilities == [])
    for isAtomic in [true, false] {
      let state = ZoneState(zone: ZoneID(name: "Notes", ownerName: "_1"), isAtomic: isAtomic)
      let zone = CKRecordZone(state, from: Viewpoint(scope: .private))
      #expect(
        zone.capabilities
          == (isAtomic ? [.fetchChanges, .atomic, .sharing, .zoneWideSharing] : []))
    }
  }

  @Test func `a zone of the server shows its share`() {
    let state = ZoneState(
      zone: ZoneID(name: "Notes", ownerName: "_1"), isAtomic: true, share: Record.zoneShareName)
    let zone = CKRecordZone(state, from: Viewpoint(scope: .shared))
    #expect(zone.zoneID.ownerName == "_1")
    #expect(zone.share?.recordID.recordName == CKRecordNameZoneWideShare)
  }

  @Test func `the public default zone belongs to nobody, and shows as the default one`() {
    let state = ZoneState(
      zone: ZoneID(name: ZoneID.defaultName, ownerName: UserID.publicOwnerName), isAtomic: false)
    #expect(CKRecordZone(state, from: Viewpoint(scope: .public)).zoneID == .default)
  }
}
