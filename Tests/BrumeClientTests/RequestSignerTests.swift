import Crypto
import Foundation
import Testing

@testable import BrumeClient

struct RequestSignerTests {
  private let date = Date(timeIntervalSince1970: 1_795_213_861)

  @Test func `dates are in UTC without fractions`() {
    #expect(RequestSigner.text(date) == "2026-11-20T22:31:01Z")
    #expect(RequestSigner.text(date.addingTimeInterval(0.75)) == "2026-11-20T22:31:01Z")
  }

  @Test func `the body's hash is that of the documented example`() {
    let body = Array(#"{"query":{"recordType":"Hike"},"resultsLimit":2}"#.utf8)
    #expect(RequestSigner.bodyHash(body) == "KZcM2wAsx9pMb0LNOE9z0l7sf2iGWKwayy4Hcs42BXw=")
    #expect(RequestSigner.bodyHash([]) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }

  @Test func `a signature verifies over date, hash and path`() throws {
    let key = P256.Signing.PrivateKey()
    let signer = try RequestSigner(.init(id: "k1", privateKeyPEM: key.pemRepresentation))
    let path = "/database/1/iCloud.a/development/public/records/query"
    let headers = try signer.headers(path: path, body: [1, 2], date: date)
    let values = Dictionary(uniqueKeysWithValues: headers.map { ($0.name, $0.value) })
    let text = try #require(values["X-Apple-CloudKit-Request-SignatureV1"])
    let signature = try P256.Signing.ECDSASignature(
      derRepresentation: try #require(Data(base64Encoded: text)))
    let message = "2026-11-20T22:31:01Z:\(RequestSigner.bodyHash([1, 2])):\(path)"
    #expect(key.publicKey.isValidSignature(signature, for: Data(message.utf8)))
    #expect(values["X-Apple-CloudKit-Request-KeyID"] == "k1")
    #expect(values["X-Apple-CloudKit-Request-ISO8601Date"] == "2026-11-20T22:31:01Z")
  }

  @Test func `a key that is none is named in the error`() {
    #expect(throws: CallFailure.self) {
      try RequestSigner(.init(id: "k1", privateKeyPEM: "hello"))
    }
  }
}
