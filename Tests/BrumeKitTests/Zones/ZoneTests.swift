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

  @Test func `a custom zone can do everything`() {
    #expect(
      CKRecordZone(zoneName: "Notes").capabilities
        == [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
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
