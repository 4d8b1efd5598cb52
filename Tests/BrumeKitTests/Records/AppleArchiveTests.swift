// Archives in the form that Apple's framework writes. The three below were made for these tests; their names of
// classes and keys are those of archives in public.

import Foundation
import Testing

@testable import BrumeKit

struct AppleArchiveTests {
  private func data(_ text: String) throws -> Data { try #require(Data(base64Encoded: text)) }

  @Test func `system fields that an app kept on Apple's system are read`() throws {
    let record = try #require(
      CKRecord(coder: try NSKeyedUnarchiver(forReadingFrom: try data(Self.systemFields))))
    let zone = CKRecordZone.ID(zoneName: "Notes")
    #expect(record.recordType == "Note")
    #expect(record.recordID == CKRecord.ID(recordName: "n1", zoneID: zone))
    #expect(record.recordChangeTag == "k2")
    #expect(record.creationDate == Date(timeIntervalSinceReferenceDate: 1))
    #expect(record.modificationDate == Date(timeIntervalSinceReferenceDate: 2))
    #expect(record.creatorUserRecordID?.recordName == CKCurrentUserDefaultName)
    #expect(record.lastModifiedUserRecordID == nil && record.share == nil && record.parent == nil)
    #expect(record.allKeys().isEmpty && record.changedKeys().isEmpty && !record.parentChanged)
  }

  private func whole() throws -> CKRecord {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(
        ofClass: CKRecord.self, from: try data(Self.wholeRecord)))
  }

  @Test func `a whole record of Apple's is read with its fields and changes`() throws {
    let record = try whole()
    #expect(record.recordChangeTag == "k2")
    #expect(record["title"] == "Milk" && record["count"] == 3 && record["tags"] == ["a", "b"])
    #expect((record["file"] as CKAsset?)?.fileURL?.path == "/tmp/a photo")
    let gone = try #require(record["gone"] as CKAsset?)
    #expect(gone.fileURL == nil)
    #expect(record.changedKeys() == ["title"])
  }

  @Test func `encrypted fields of Apple's stay encrypted, also in our own archive`() throws {
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: try whole(), requiringSecureCoding: true)
    let back = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: archive))
    #expect(back.encryptedValues["secret"] == "x" && back["secret"] as String? == nil)
    #expect(back.recordChangeTag == "k2" && back["title"] == "Milk")
  }

  @Test func `an ID without a name is not read`() throws {
    let decoder = try NSKeyedUnarchiver(forReadingFrom: try data(Self.namelessID))
    decoder.decodingFailurePolicy = .setErrorAndReturn
    let id = decoder.decodeObject(of: CKRecord.ID.self, forKey: NSKeyedArchiveRootObjectKey)
    #expect(id == nil)
  }

  private static let systemFields = """
    YnBsaXN0MDDUAQIDBAUGMkRZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv\
    EA8HCAkKEBscHSAmJyouCTBVJG51bGxVTm90ZXNfEBBfX2RlZmF1bHRPd25lcl9f0gsMDQ5YJGNsYXNzZXNaJGNsYXNz\
    bmFtZaIOD15DS1JlY29yZFpvbmVJRFhOU09iamVjdNUREhMUFRYXGBkaViRjbGFzc1hab25lTmFtZV8QEWFub255bW91\
    c0NLVXNlcklEXxAQZGF0YWJhc2VTY29wZUtleVlvd25lck5hbWWAA4ABgAAQAIACVE5vdGVSbjHSCwweH6IfD1pDS1Jl\
    Y29yZElE0xEhIiMkJVpSZWNvcmROYW1lVlpvbmVJRIAHgAaABFJrMtILDCgpoikPVk5TRGF0ZdIRKywtV05TLnRpbWWA\
    CiM/8AAAAAAAANIRKywvI0AAAAAAAAAA0xEhIiMxJYAN2jM0NTY3ODk6Ozw9Pj8YGEBBQkMYXxATQ3JlYXRvclVzZXJS\
    ZWNvcmRJRFRFVGFnXxAZSGFzVXBkYXRlZFBhcmVudFJlZmVyZW5jZV8QGExhc3RNb2RpZmllZFVzZXJSZWNvcmRJRF8Q\
    D1BhcmVudFJlZmVyZW5jZVtSZWNvcmRDdGltZVhSZWNvcmRJRFtSZWNvcmRNdGltZVpSZWNvcmRUeXBlXlNoYXJlUmVm\
    ZXJlbmNlgA6ACQiAC4AIgAyABRIAAYagAAgAEQAbACQAKQAyAEQAVgBcAGIAdQB6AIMAjgCRAKAAqQC0ALsAxADYAOsA\
    9QD3APkA+wD9AP8BBAEHAQwBDwEaASEBLAEzATUBNwE5ATwBQQFEAUsBUAFYAVoBYwFoAXEBeAF6AY8BpQGqAcYB4QHz\
    Af8CCAIUAh8CLgIwAjICMwI1AjcCOQI7AAAAAAAAAgEAAAAAAAAARQAAAAAAAAAAAAAAAAAAAkA=
    """

  private static let wholeRecord = """
    YnBsaXN0MDDUAQIDBAUGs7ZZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKv\
    EDQHCAkKEBscHSAmJyouCTAyNTc4O0BBQkNER01QVFVWV1hZWl5VbVVydnp9hYaHjI+RlJmcVSRudWxsVU5vdGVzXxAQ\
    X19kZWZhdWx0T3duZXJfX9ILDA0OWCRjbGFzc2VzWiRjbGFzc25hbWWiDg9eQ0tSZWNvcmRab25lSURYTlNPYmplY3TV\
    ERITFBUWFxgZGlYkY2xhc3NYWm9uZU5hbWVfEBFhbm9ueW1vdXNDS1VzZXJJRF8QEGRhdGFiYXNlU2NvcGVLZXlZb3du\
    ZXJOYW1lgAOAAYAAEACAAlROb3RlUm4x0gsMHh+iHw9aQ0tSZWNvcmRJRNMRISIjJCVaUmVjb3JkTmFtZVZab25lSUSA\
    B4AGgARSazLSCwwoKaIpD1ZOU0RhdGXSESssLVdOUy50aW1lgAojP/AAAAAAAADSESssLyNAAAAAAAAAANMRISIjMSWA\
    DdILDDM0ojQPVk5TTnVsbNERNoAPXxAVZmlsZTovLy90bXAvYSUyMHBob3Rv0gsMOTqiOg9VTlNVUkzTETw9Phg/V05T\
    LmJhc2VbTlMucmVsYXRpdmWAEoARVE1pbGsQA1FhUWLSCwxFRqJGD1dOU0FycmF50hFISUpaTlMub2JqZWN0c4AYoktM\
    gBaAF9ILDE5Pok8PV0NLQXNzZXTSEVFSU1xBc3NldEZpbGVVUkyAGoAT0hFRUhhVdGl0bGVVY291bnRUdGFnc1RmaWxl\
    VGdvbmXSCwxbXKNcXQ9fEBNOU011dGFibGVEaWN0aW9uYXJ5XE5TRGljdGlvbmFyedMRX0hgYWdXTlMua2V5c4AipWJj\
    ZGVmgB2AHoAfgCCAIaVoaWprbIAUgBWAGYAbgBzTEV9IYG5woW+AJKFxgBDSCwxzdKN0dQ9cTlNNdXRhYmxlU2V0VU5T\
    U2V00hFId3iAJ6F5gCbSCwx7fKJ8D18QEkNLUmVjb3JkVmFsdWVTdG9yZdQRfn+AgYKDhFtDaGFuZ2VkS2V5c15Pcmln\
    aW5hbFZhbHVlc1xSZWNvcmRWYWx1ZXOAKYAogCWAI1F4VnNlY3JldNMRX0hgiIqhiYAsoYuAK9MRX0hgjY6goNIRSHeQ\
    oNILDJKTo5N8D18QG0NLRW5jcnlwdGVkUmVjb3JkVmFsdWVTdG9yZdQRfn+AlZaXmIAwgC+ALoAt0gsMmpuimw9YQ0tS\
    ZWNvcmTdEZ2en6ChoqOkpaanqKmqq6ytGBiur7CxGLJfEBNDcmVhdG9yVXNlclJlY29yZElEVEVUYWdfEBNFbmNyeXB0\
    ZWRWYWx1ZVN0b3JlXxAZSGFzVXBkYXRlZFBhcmVudFJlZmVyZW5jZV8QGExhc3RNb2RpZmllZFVzZXJSZWNvcmRJRF8Q\
    D1BhcmVudFJlZmVyZW5jZVtSZWNvcmRDdGltZVhSZWNvcmRJRFtSZWNvcmRNdGltZVpSZWNvcmRUeXBlXlNoYXJlUmVm\
    ZXJlbmNlWlZhbHVlU3RvcmWAMoAOgAmAMQiAC4AIgAyABYAq0bS1VHJvb3SAMxIAAYagAAgAEQAbACQAKQAyAEQAewCB\
    AIcAmgCfAKgAswC2AMUAzgDZAOAA6QD9ARABGgEcAR4BIAEiASQBKQEsATEBNAE/AUYBUQFYAVoBXAFeAWEBZgFpAXAB\
    dQF9AX8BiAGNAZYBnQGfAaQBpwGuAbEBswHLAdAB0wHZAeAB6AH0AfYB+AH9Af8CAQIDAggCCwITAhgCIwIlAigCKgIs\
    AjECNAI8AkECTgJQAlICVwJdAmMCaAJtAnICdwJ7ApECngKlAq0CrwK1ArcCuQK7Ar0CvwLFAscCyQLLAs0CzwLWAtgC\
    2gLcAt4C4wLnAvQC+gL/AwEDAwMFAwoDDQMiAysDNwNGA1MDVQNXA1kDWwNdA2QDawNtA28DcQNzA3oDewN8A4EDggOH\
    A4sDqQOyA7QDtgO4A7oDvwPCA8sD5gP8BAEEFwQzBE4EYARsBHUEgQSMBJsEpgSoBKoErASuBK8EsQSzBLUEtwS5BLwE\
    wQTDAAAAAAAAAgEAAAAAAAAAtwAAAAAAAAAAAAAAAAAABMg=
    """

  private static let namelessID = """
    YnBsaXN0MDDUAQIDBAUGISRZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVkQXJjaGl2ZXKo\
    BwgJChAXGBtVJG51bGxVTm90ZXNSXzHSCwwNDlgkY2xhc3Nlc1okY2xhc3NuYW1log4PXkNLUmVjb3JkWm9uZUlEWE5T\
    T2JqZWN00xESExQVFlYkY2xhc3NYWm9uZU5hbWVZb3duZXJOYW1lgAOAAYACUNILDBkaohoPWkNLUmVjb3JkSUTTERwd\
    Hh8gWlJlY29yZE5hbWVWWm9uZUlEgAaABYAE0SIjVHJvb3SABxIAAYagCBEbJCkyRE1TWVxhanV4h5CXnqexs7W3uL3A\
    y9Ld5Obo6u3y9AAAAAAAAAEBAAAAAAAAACUAAAAAAAAAAAAAAAAAAAD5
    """
}
