// Places in the form that Apple's framework writes. The archives below were made for these tests; their names of
// keys are those that programs in public read.

import Foundation
import Testing

@testable import BrumeKit

struct ApplePlaceArchiveTests {
  @Test func `a place that Apple's framework archived is read with all its numbers`() throws {
    let place = try unarchived(CLLocation.self, Self.place)
    #expect(place.coordinate.latitude == 48.25 && place.coordinate.longitude == 16.5)
    #expect(place.altitude == 171 && place.horizontalAccuracy == 5 && place.verticalAccuracy == 3)
    #expect(place.course == 90 && place.speed == 1.5)
    #expect(place.timestamp == Date(timeIntervalSinceReferenceDate: 700_000_000.5))
  }

  @Test func `a record of Apple's keeps the place in its field, also in our own archive`() throws {
    let record = try unarchived(CKRecord.self, Self.record)
    let place = try unarchived(CLLocation.self, Self.place)
    #expect(record["place"] as CLLocation? == place)
    #expect(try through(record)["place"] as CLLocation? == place)
  }

  private static let place = """
    YnBsaXN0MDDUAQIDBAUGBwpZJGFyY2hpdmVyWCR2ZXJzaW9uVCR0b3BYJG9iamVjdHNfEA9OU0tleWVkQXJjaGl2ZXIS\
    AAGGoNEICVRyb290gAGjCwwlVSRudWxs3A0ODxAREhMUFRYXGBkaGxwdHh8gISIjJFYkY2xhc3NfECZrQ0xMb2NhdGlv\
    bkNvZGluZ0tleUNvb3JkaW5hdGVMYXRpdHVkZV8QJ2tDTExvY2F0aW9uQ29kaW5nS2V5Q29vcmRpbmF0ZUxvbmdpdHVk\
    ZV8QHGtDTExvY2F0aW9uQ29kaW5nS2V5QWx0aXR1ZGVfECZrQ0xMb2NhdGlvbkNvZGluZ0tleUhvcml6b250YWxBY2N1\
    cmFjeV8QJGtDTExvY2F0aW9uQ29kaW5nS2V5VmVydGljYWxBY2N1cmFjeV8QGmtDTExvY2F0aW9uQ29kaW5nS2V5Q291\
    cnNlXxAZa0NMTG9jYXRpb25Db2RpbmdLZXlTcGVlZF8QHWtDTExvY2F0aW9uQ29kaW5nS2V5VGltZXN0YW1wXxAYa0NM\
    TG9jYXRpb25Db2RpbmdLZXlUeXBlXxAZa0NMTG9jYXRpb25Db2RpbmdLZXlGbG9vcl8QHWtDTExvY2F0aW9uQ29kaW5n\
    S2V5TWF0Y2hJbmZvgAIjQEggAAAAAAAjQDCAAAAAAAAjQGVgAAAAAAAjQBQAAAAAAAAjQAgAAAAAAAAjQFaAAAAAAAAj\
    P/gAAAAAAAAjQcTck4BAAAAQARJ/////gADSJicoKVokY2xhc3NuYW1lWCRjbGFzc2VzWkNMTG9jYXRpb26iKCpYTlNP\
    YmplY3QACAARABsAJAApADIARABJAEwAUQBTAFcAXQB2AH0ApgDQAO8BGAE/AVwBeAGYAbMBzwHvAfEB+gIDAgwCFQIe\
    AicCMAI5AjsCQAJCAkcCUgJbAmYCaQAAAAAAAAIBAAAAAAAAACsAAAAAAAAAAAAAAAAAAAJy
    """

  private static let record = """
    YnBsaXN0MDDUAQIDBAUGBwpZJGFyY2hpdmVyWCR2ZXJzaW9uVCR0b3BYJG9iamVjdHNfEA9OU0tleWVkQXJjaGl2ZXIS\
    AAGGoNEICVRyb290gAGvEBYLDBcdHiQnKDA4O0NHSGBjZGdoaW1wVSRudWxs1Q0ODxAREhMUFRZWJGNsYXNzWlJlY29y\
    ZFR5cGVYUmVjb3JkSURaVmFsdWVTdG9yZV8QGUhhc1VwZGF0ZWRQYXJlbnRSZWZlcmVuY2WAAoADgASACAjSGBkaG1ok\
    Y2xhc3NuYW1lWCRjbGFzc2VzWENLUmVjb3JkohocWE5TT2JqZWN0VFNob3DTDR8gISIjWlJlY29yZE5hbWVWWm9uZUlE\
    gAWABoAH0hgZJSZaQ0tSZWNvcmRJRKIlHFJzMdQNKSorLC0uL1hab25lTmFtZVlvd25lck5hbWVfEBBkYXRhYmFzZVNj\
    b3BlS2V5gBCAEYASEADUDTEyMzQ1NjdcUmVjb3JkVmFsdWVzXk9yaWdpbmFsVmFsdWVzW0NoYW5nZWRLZXlzgAmACoAT\
    gBTSGBk5Ol8QEkNLUmVjb3JkVmFsdWVTdG9yZaI5HNMNPD0+P0FXTlMua2V5c1pOUy5vYmplY3RzgAuhQIAMoUKADdIY\
    GURFXxATTlNNdXRhYmxlRGljdGlvbmFyeaNERhxcTlNEaWN0aW9uYXJ5VXBsYWNl3A1JSktMTU5PUFFSU1RVVldYWVpb\
    XF1eX18QJmtDTExvY2F0aW9uQ29kaW5nS2V5Q29vcmRpbmF0ZUxhdGl0dWRlXxAna0NMTG9jYXRpb25Db2RpbmdLZXlD\
    b29yZGluYXRlTG9uZ2l0dWRlXxAca0NMTG9jYXRpb25Db2RpbmdLZXlBbHRpdHVkZV8QJmtDTExvY2F0aW9uQ29kaW5n\
    S2V5SG9yaXpvbnRhbEFjY3VyYWN5XxAka0NMTG9jYXRpb25Db2RpbmdLZXlWZXJ0aWNhbEFjY3VyYWN5XxAaa0NMTG9j\
    YXRpb25Db2RpbmdLZXlDb3Vyc2VfEBlrQ0xMb2NhdGlvbkNvZGluZ0tleVNwZWVkXxAda0NMTG9jYXRpb25Db2RpbmdL\
    ZXlUaW1lc3RhbXBfEBhrQ0xMb2NhdGlvbkNvZGluZ0tleVR5cGVfEBlrQ0xMb2NhdGlvbkNvZGluZ0tleUZsb29yXxAd\
    a0NMTG9jYXRpb25Db2RpbmdLZXlNYXRjaEluZm+ADiNASCAAAAAAACNAMIAAAAAAACNAZWAAAAAAACNAFAAAAAAAACNA\
    CAAAAAAAACNAVoAAAAAAACM/+AAAAAAAACNBxNyTgEAAABABEn////+AANIYGWFiWkNMTG9jYXRpb26iYRxQ0hgZZWZe\
    Q0tSZWNvcmRab25lSUSiZRxVTm90ZXNfEBBfX2RlZmF1bHRPd25lcl9f0w08PWprbIALoKDSDT1ub4AVoNIYGXFyXE5T\
    TXV0YWJsZVNldKNxcxxVTlNTZXQACAARABsAJAApADIARABJAEwAUQBTAGwAcgB9AIQAjwCYAKMAvwDBAMMAxQDHAMgA\
    zQDYAOEA6gDtAPYA+wECAQ0BFAEWARgBGgEfASoBLQEwATkBQgFMAV8BYQFjAWUBZwFwAX0BjAGYAZoBnAGeAaABpQG6\
    Ab0BxAHMAdcB2QHbAd0B3wHhAeYB/AIAAg0CEwIsAlUCfwKeAscC7gMLAycDRwNiA34DngOgA6kDsgO7A8QDzQPWA98D\
    6APqA+8D8QP2BAEEBAQFBAoEGQQcBCIENQQ8BD4EPwRABEUERwRIBE0EWgReAAAAAAAAAgEAAAAAAAAAdAAAAAAAAAAA\
    AAAAAAAABGQ=
    """
}
