// Shares in the form that Apple's framework writes. The archives below were made for these tests; their names of
// classes and keys are those of archives in public.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

struct AppleShareArchiveTests {
  @Test func `a share that Apple's framework archived is read, also in our own archive`() throws {
    let apples = try unarchived(CKShare.self, Self.share)
    for share in [apples, try through(apples)] {
      #expect(share.recordID.recordName == "s1" && share.recordID.zoneID.ownerName == "_o")
      #expect(share.recordChangeTag == "k2" && share.changedKeys().isEmpty)
      #expect(share[CKShare.SystemFieldKey.title] == "Trip")
      #expect(share.url?.lastPathComponent == "0abc" && share.rootName == "n1")
      #expect(share.publicPermission == .none && share.participants.count == 2)
    }
  }

  @Test func `it says who takes part, and who of them the user is`() throws {
    let share = try unarchived(CKShare.self, Self.share)
    #expect(share.owner.participantID == "p1" && share.owner.permission == .readWrite)
    #expect(share.owner.userIdentity.userRecordID?.recordName == "_o")
    #expect(share.owner.userIdentity.lookupInfo?.emailAddress == "o@example.org")
    let me = try #require(share.currentUserParticipant)
    #expect(me.participantID == "p2" && me.role == .privateUser)
    #expect(me.permission == .readOnly && me.acceptanceStatus == .accepted)
    #expect(try through(me).userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName)
  }

  @Test func `an app's own reader gives a share too`() throws {
    let data = try #require(Data(base64Encoded: Self.share))
    let reader = try NSKeyedUnarchiver(forReadingFrom: data)
    let record = reader.decodeObject(of: CKRecord.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect((record as? CKShare)?.participants.count == 2)
  }

  @Test func `metadata of a share of Apple's is read`() throws {
    let metadata = try unarchived(CKShare.Metadata.self, Self.metadata)
    #expect(metadata.containerIdentifier == "iCloud.org.example")
    #expect(metadata.hierarchicalRootRecordID?.recordName == "n1")
    #expect(metadata.participantRole == .privateUser && metadata.participantStatus == .pending)
    #expect(metadata.participantPermission == .readOnly)
    #expect(metadata.ownerIdentity.userRecordID?.recordName == "_o")
    #expect(metadata.share.recordID.recordName == "s1" && metadata.share.participants.isEmpty)
    #expect(try through(metadata).containerIdentifier == "iCloud.org.example")
  }

  @Test func `a zone of Apple's is read with its abilities`() throws {
    let zone = try unarchived(CKRecordZone.self, Self.zone)
    #expect(zone.zoneID == CKRecordZone.ID(zoneName: "Notes") && zone.share == nil)
    #expect(zone.capabilities == .custom)
    #expect(try through(zone).capabilities == .custom)
  }

  @Test func `tokens and cursors of Apple's are read, for the server to refuse`() throws {
    let token = try unarchived(CKServerChangeToken.self, Self.token)
    #expect(token.text == "AQID")
    #expect(try through(token) == token)
    let cursor = try unarchived(CKQueryOperation.Cursor.self, Self.cursor)
    #expect(cursor.request.marker == "AQID" && cursor.request.query.recordType == "")
    #expect(try through(cursor).request == cursor.request)
  }

  private static let share = """
    YnBsaXN0MDDUAQIDBAUGsbRZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv\
    EC4HCAkKEBscHSAhIiUrLC0wNTY4OTo+RklNUFNbXl9iaGt0dXiGh4mKjY6RlZqeVSRudWxsUl9vVU5vdGVz0gsMDQ5Y\
    JGNsYXNzZXNaJGNsYXNzbmFtZaIOD15DS1JlY29yZFpvbmVJRFhOU09iamVjdNUREhMUFRYXGBkaViRjbGFzc1hab25l\
    TmFtZV8QEWFub255bW91c0NLVXNlcklEXxAQZGF0YWJhc2VTY29wZUtleVlvd25lck5hbWWAA4ACgAAQAIABXxAQX19k\
    ZWZhdWx0T3duZXJfX1xfZGVmYXVsdFpvbmXVERITFBUWHhgZH4AGgAVeY2xvdWRraXQuc2hhcmVSczHSCwwjJKIkD1pD\
    S1JlY29yZElE0xEmJygpKlpSZWNvcmROYW1lVlpvbmVJRIAKgAmABFJrMl8QJmh0dHBzOi8vd3d3LmljbG91ZC5jb20v\
    c2hhcmUvMGFiYyNUcmlw0gsMLi+iLw9VTlNVUkzTETEyMxg0V05TLmJhc2VbTlMucmVsYXRpdmWADoANUm4x0xEmJyg3\
    KoAQXmNsb3Vka2l0LnRpdGxlVFRyaXDSCww7PKM8PQ9fEBNOU011dGFibGVEaWN0aW9uYXJ5XE5TRGljdGlvbmFyedMR\
    P0BBQkRXTlMua2V5c1pOUy5vYmplY3RzgBShQ4ASoUWAE9MRP0BBR0igoNILDEpLo0tMD1xOU011dGFibGVTZXRVTlNT\
    ZXTSEUBOT4AXoNILDFFSolIPXxASQ0tSZWNvcmRWYWx1ZVN0b3Jl1BFUVVZXWFlaW0NoYW5nZWRLZXlzXk9yaWdpbmFs\
    VmFsdWVzXFJlY29yZFZhbHVlc4AZgBiAFoAV0xEmJyhcXYABgAddb0BleGFtcGxlLm9yZ9ILDGBhomEPXxAYQ0tVc2Vy\
    SWRlbnRpdHlMb29rdXBJbmZv1BFjZGVmZxgYXEVtYWlsQWRkcmVzc1tQaG9uZU51bWJlclhSZWNvcmRJRIAdgBzSCwxp\
    aqJqD15DS1VzZXJJZGVudGl0edURbG1ub3BxchhzXxAQSGFzSUNsb3VkQWNjb3VudFpMb29rdXBJbmZvXk5hbWVDb21w\
    b25lbnRzXFVzZXJSZWNvcmRJRIAfCYAegBtScDHSCwx2d6J3D18QEkNLU2hhcmVQYXJ0aWNpcGFudNcReXp7fH1+f4CB\
    goOEhV8QEEFjY2VwdGFuY2VTdGF0dXNdSXNDdXJyZW50VXNlcl1QYXJ0aWNpcGFudElEWlBlcm1pc3Npb25UVHlwZVxV\
    c2VySWRlbnRpdHmAIhACCIAhEAMQAYAgU19tZdMRJicoiF2AJNQRY2RlZhgYGNURbG1ub3BxixiMgCaAJVJwMtcReXp7\
    fH1+f4Bxj4CDkIAogCfSCwySk6OTlA9eTlNNdXRhYmxlQXJyYXlXTlNBcnJhedIRQJaXgCqimJmAI4Ap0gsMm5yjnJ0P\
    V0NLU2hhcmVYQ0tSZWNvcmTcEZ+goaKjZaSlpqeoqaqBGKuErK2uGK+wVEVUYWdfEBlIYXNVcGRhdGVkUGFyZW50UmVm\
    ZXJlbmNlXxAPUGFyZW50UmVmZXJlbmNlXFBhcnRpY2lwYW50c18QEFB1YmxpY1Blcm1pc3Npb25aUmVjb3JkVHlwZVxS\
    b290UmVjb3JkSUReU2hhcmVSZWZlcmVuY2VTVVJMWlZhbHVlU3RvcmWALIAMgCuAC4AIgBGAD4Aa0bKzVHJvb3SALRIA\
    AYagAAgAEQAbACQAKQAyAEQAdQB7AH4AhACJAJIAnQCgAK8AuADDAMoA0wDnAPoBBAEGAQgBCgEMAQ4BIQEuATkBOwE9\
    AUwBTwFUAVcBYgFpAXQBewF9AX8BgQGEAa0BsgG1AbsBwgHKAdYB2AHaAd0B5AHmAfUB+gH/AgMCGQImAi0CNQJAAkIC\
    RAJGAkgCSgJRAlICUwJYAlwCaQJvAnQCdgJ3AnwCfwKUAp0CqQK4AsUCxwLJAssCzQLUAtYC2ALmAusC7gMJAxIDHwMr\
    AzQDNgM4Az0DQANPA1oDbQN4A4cDlAOWA5cDmQObA54DowOmA7sDygPdA+sD+QQEBAkEFgQYBBoEGwQdBB8EIQQjBCcE\
    LgQwBDkERARGBEgESwRaBFwEXgRjBGcEdgR+BIMEhQSIBIoEjASRBJUEnQSmBL8ExATgBPIE/wUSBR0FKgU5BT0FSAVK\
    BUwFTgVQBVIFVAVWBVgFWwVgBWIAAAAAAAACAQAAAAAAAAC1AAAAAAAAAAAAAAAAAAAFZw==
    """

  private static let metadata = """
    YnBsaXN0MDDUAQIDBAUGf4JZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv\
    EB4HCAkKEBscHSAhIiUrLDA0OEhJTFJVVlleYWprbXBVJG51bGxSX29VTm90ZXPSCwwNDlgkY2xhc3Nlc1okY2xhc3Nu\
    YW1log4PXkNLUmVjb3JkWm9uZUlEWE5TT2JqZWN01RESExQVFhcYGRpWJGNsYXNzWFpvbmVOYW1lXxARYW5vbnltb3Vz\
    Q0tVc2VySURfEBBkYXRhYmFzZVNjb3BlS2V5WW93bmVyTmFtZYADgAKAABAAgAFfEBBfX2RlZmF1bHRPd25lcl9fXF9k\
    ZWZhdWx0Wm9uZdUREhMUFRYeGBkfgAaABV5jbG91ZGtpdC5zaGFyZVJzMdILDCMkoiQPWkNLUmVjb3JkSUTTESYnKCkq\
    WlJlY29yZE5hbWVWWm9uZUlEgAqACYAEUmsy0gsMLS6jLi8PXk5TTXV0YWJsZUFycmF5V05TQXJyYXnSETEyM1pOUy5v\
    YmplY3RzgA2g0gsMNTajNjcPV0NLU2hhcmVYQ0tSZWNvcmTZETk6Ozw9Pj9AQUJDGERFRkcYVEVUYWdfEBlIYXNVcGRh\
    dGVkUGFyZW50UmVmZXJlbmNlXxAPUGFyZW50UmVmZXJlbmNlXFBhcnRpY2lwYW50c18QEFB1YmxpY1Blcm1pc3Npb25Y\
    UmVjb3JkSURaUmVjb3JkVHlwZV5TaGFyZVJlZmVyZW5jZYAPgAwIgA4QAYALgAhfEBJpQ2xvdWQub3JnLmV4YW1wbGXS\
    CwxKS6JLD11DS0NvbnRhaW5lcklE0xFNTk9QUV8QE0NvbnRhaW5lcklkZW50aWZpZXJbRW52aXJvbm1lbnSAEoAREALT\
    ESYnKFNUgAGAB11vQGV4YW1wbGUub3Jn0gsMV1iiWA9fEBhDS1VzZXJJZGVudGl0eUxvb2t1cEluZm/UEVpbPlxdGBhc\
    RW1haWxBZGRyZXNzW1Bob25lTnVtYmVygBaAFdILDF9gomAPXkNLVXNlcklkZW50aXR51RFiY2RlZmdoGGlfEBBIYXNJ\
    Q2xvdWRBY2NvdW50Wkxvb2t1cEluZm9eTmFtZUNvbXBvbmVudHNcVXNlclJlY29yZElEgBgJgBeAFFJuMdMRJicobCqA\
    GtILDG5vom8PXxAPQ0tTaGFyZU1ldGFkYXRh2RFxcnN0dXZ3eHl6e1FFfBh9fltDb250YWluZXJJRF1Pd25lcklkZW50\
    aXR5XxAVUGFydGljaXBhbnRQZXJtaXNzaW9uXxARUGFydGljaXBhbnRTdGF0dXNfEA9QYXJ0aWNpcGFudFR5cGVaUm9v\
    dFJlY29yZFxSb290UmVjb3JkSURVU2hhcmWAHIATgBkQA4AbgBDRgIFUcm9vdIAdEgABhqAACAARABsAJAApADIARABl\
    AGsAbgB0AHkAggCNAJAAnwCoALMAugDDANcA6gD0APYA+AD6APwA/gERAR4BKQErAS0BPAE/AUQBRwFSAVkBZAFrAW0B\
    bwFxAXQBeQF9AYwBlAGZAaQBpgGnAawBsAG4AcEB1AHZAfUCBwIUAicCMAI7AkoCTAJOAk8CUQJTAlUCVwJsAnECdAKC\
    AokCnwKrAq0CrwKxArgCugK8AsoCzwLSAu0C9gMDAw8DEQMTAxgDGwMqAzUDSANTA2IDbwNxA3IDdAN2A3kDgAOCA4cD\
    igOcA68DuwPJA+ED9QQHBBIEHwQlBCcEKQQrBC0ELwQxBDQEOQQ7AAAAAAAAAgEAAAAAAAAAgwAAAAAAAAAAAAAAAAAA\
    BEA=
    """

  private static let zone = """
    YnBsaXN0MDDUAQIDBAUGKCtZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKoBwgJ\
    ChAbHidVJG51bGxfEBBfX2RlZmF1bHRPd25lcl9fVU5vdGVz0gsMDQ5YJGNsYXNzZXNaJGNsYXNzbmFtZaIOD15DS1JlY29y\
    ZFpvbmVJRFhOU09iamVjdNUREhMUFRYXGBkaViRjbGFzc1hab25lTmFtZV8QEWFub255bW91c0NLVXNlcklEXxAQZGF0YWJh\
    c2VTY29wZUtleVlvd25lck5hbWWAA4ACgAAQAIAB0gsMHB2iHQ9cQ0tSZWNvcmRab25l1REfICEiIyQlGCZcQ2FwYWJpbGl0\
    aWVzV0V4cGlyZWReU2hhcmVSZWZlcmVuY2VWWm9uZUlEgAWABwiABBAP0SkqVHJvb3SABhIAAYagAAgAEQAbACQAKQAyAEQA\
    TQBTAGYAbABxAHoAhQCIAJcAoACrALIAuwDPAOIA7ADuAPAA8gD0APYA+wD+AQsBFgEjASsBOgFBAUMBRQFGAUgBSgFNAVIB\
    VAAAAAAAAAIBAAAAAAAAACwAAAAAAAAAAAAAAAAAAAFZ
    """

  private static let token = """
    YnBsaXN0MDDUAQIDBAUGFBdZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKk\
    BwgJD1UkbnVsbEMBAgPSCgsMDVgkY2xhc3Nlc1okY2xhc3NuYW1log0OXxATQ0tTZXJ2ZXJDaGFuZ2VUb2tlblhOU09i\
    amVjdNIQERITViRjbGFzc18QD0NoYW5nZVRva2VuRGF0YYACgAHRFRZUcm9vdIADEgABhqAIERskKTJESU9TWGFsb4WO\
    k5qsrrCzuLoAAAAAAAABAQAAAAAAAAAYAAAAAAAAAAAAAAAAAAAAvw==
    """

  private static let cursor = """
    YnBsaXN0MDDUAQIDBAUGJShZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKo\
    BwgJChAbHB9VJG51bGxfEBBfX2RlZmF1bHRPd25lcl9fVU5vdGVz0gsMDQ5YJGNsYXNzZXNaJGNsYXNzbmFtZaIOD15D\
    S1JlY29yZFpvbmVJRFhOU09iamVjdNUREhMUFRYXGBkaViRjbGFzc1hab25lTmFtZV8QEWFub255bW91c0NLVXNlcklE\
    XxAQZGF0YWJhc2VTY29wZUtleVlvd25lck5hbWWAA4ACgAAQAIABQwECA9ILDB0eoh4PXUNLUXVlcnlDdXJzb3LTESAh\
    IiMkWkN1cnNvckRhdGFWWm9uZUlEgAaABYAE0SYnVHJvb3SABxIAAYagAAgAEQAbACQAKQAyAEQATQBTAGYAbABxAHoA\
    hQCIAJcAoACrALIAuwDPAOIA7ADuAPAA8gD0APYA+gD/AQIBEAEXASIBKQErAS0BLwEyATcBOQAAAAAAAAIBAAAAAAAA\
    ACkAAAAAAAAAAAAAAAAAAAE+
    """
}
