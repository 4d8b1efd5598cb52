// The asset stores' contract on memory, on a folder and, where BRUME_TEST_BUCKET has an address, on
// a bucket, and what is special about each. Tests/Independent/assets.py starts a service for it.

import BrumeAssets
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@Suite struct AssetStoreTests {
  enum Kind: String, Sendable { case memory, folder, bucket }

  static let bucket = ProcessInfo.processInfo.environment["BRUME_TEST_BUCKET"]
  static let kinds: [Kind] = [.memory, .folder] + (bucket == nil ? [] : [.bucket])

  @Test(arguments: kinds, AssetStoreContract.all)
  func `an asset store keeps its promise:`(kind: Kind, promise: AssetStoreContract.Case)
    async throws
  {
    let folder = try TemporaryFolder()
    let store: any AssetStore =
      switch kind {
      case .memory: MemoryAssetStore()
      case .folder: try FolderAssetStore(folder: folder.path + "/assets")
      case .bucket: try Self.emptyBucket(spool: folder.path + "/spool")
      }
    try await promise.run(store)
  }

  /// A place of its own in the bucket.
  private static func emptyBucket(spool: String) throws -> any AssetStore {
    let parts = (bucket ?? "").split(separator: "?", maxSplits: 1).map(String.init)
    let address = try S3Address("\(parts[0])/\(UUID().uuidString)?\(parts[1])")
    return try S3AssetStore(
      address, S3Credentials(keyID: "test", secret: "secret"), spool: spool,
      now: { Int64(Date().timeIntervalSince1970 * 1000) })
  }

  @Test func `a service that is not there is a failure of the asset store`() async throws {
    let folder = try TemporaryFolder()
    // Nothing listens on port 1.
    let store = try S3AssetStore(
      S3Address("s3://none?endpoint=http://127.0.0.1:1"),
      S3Credentials(keyID: "k", secret: "s"), spool: folder.path + "/spool", now: { 0 })
    let failure = await #expect(throws: AssetFailure.self) {
      try await store.write([1, 2, 3], as: "abcdefabcdef")
    }
    #expect(failure?.code == .unavailable)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/spool").isEmpty)
  }

  @Test func `the keys of a list are read as they are, and not as XML writes them`() {
    let text =
      "<Key>s&amp;p.csv</Key><Key>&lt;&quot;a&quot;&gt;&#13;</Key><Key>it&#39;s&amp;lt;</Key>"
    #expect(S3List.keys(in: text) == ["s&p.csv", "<\"a\">\r", "it's&lt;"])
  }

  @Test func `a folder forgets what a crash left unfinished`() async throws {
    let folder = try TemporaryFolder()
    let root = folder.path + "/assets"
    try await FolderAssetStore(folder: root).write([1, 2], as: "finished0000")
    try Data([1]).write(to: URL(filePath: root + "/incoming/unfinished00"))
    let store = try FolderAssetStore(folder: root)
    #expect(try await store.names(after: "", limit: 10) == ["finished0000"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/incoming").isEmpty)
  }

  @Test func `a file that is refused on its way leaves nothing in the folder`() async throws {
    let folder = try TemporaryFolder()
    let root = folder.path + "/assets"
    let store = try FolderAssetStore(folder: root)
    var pieces = 0
    await #expect(throws: CancellationError.self) {
      try await store.write("refused00000") {
        pieces += 1
        guard pieces <= 2 else { throw CancellationError() }
        return [1, 2, 3]
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: root + "/incoming").isEmpty)
    #expect(try await store.names(after: "", limit: 10) == [])
  }

  @Test func `a folder keeps its identity, which is no file of anybody`() async throws {
    let folder = try TemporaryFolder()
    let root = folder.path + "/assets"
    #expect(try FolderAssetStore(folder: root).identity(orElse: "first") == "first")
    let store = try FolderAssetStore(folder: root)
    #expect(try store.identity(orElse: "second") == "first")
    #expect(try await store.names(after: "", limit: 10) == [])
    try Data().write(to: URL(filePath: root + "/.identity"))
    #expect(try store.identity(orElse: "third") == "third", "a crash left nothing in it")
  }

  @Test func `a folder does not follow a link that somebody put in an object's place`() async throws
  {
    let folder = try TemporaryFolder()
    let root = folder.path + "/assets"
    let store = try FolderAssetStore(folder: root)
    try await store.write([1], as: "ab0000000000")
    let secret = folder.path + "/secret"
    try Data("secret".utf8).write(to: URL(filePath: secret))
    let link = root + "/ab/ab1111111111"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: secret)
    #expect(try await store.size(of: "ab1111111111") == nil)
    await #expect(throws: AssetFailure.self) {
      _ = try await store.bytes(of: "ab1111111111", 0..<6)
    }
  }
}

@Suite struct S3SignatureTests {
  private static let credentials = S3Credentials(
    keyID: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
  /// 2013-05-24T00:00:00Z
  private static let time: Int64 = 1_369_353_600_000

  private func signature(_ request: S3Request) -> String? {
    request.signedHeaders(by: Self.credentials, region: "us-east-1", at: Self.time)
      .first { $0.0 == "authorization" }?.1.components(separatedBy: "Signature=").last
  }

  /// The examples of Amazon's S3 API reference.
  @Test func `the signatures are those of Amazon's own examples`() {
    let host = "examplebucket.s3.amazonaws.com"
    var get = S3Request("GET", host: host, path: "/test.txt")
    get.headers = [("range", "bytes=0-9")]
    #expect(
      signature(get) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    var list = S3Request("GET", host: host, path: "/")
    list.query = [("max-keys", "2"), ("prefix", "J")]
    #expect(
      signature(list) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    var put = S3Request("PUT", host: host, path: "/test%24file.text")
    put.headers = [
      ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
    ]
    put.bodyDigest = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
    #expect(
      signature(put) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test(
    arguments: [
      (0, "19700101T000000Z"), (951_782_400_000, "20000229T000000Z"),
      (1_709_251_199_999, "20240229T235959Z"), (4_107_542_399_000, "21000228T235959Z"),
      (4_107_542_400_000, "21000301T000000Z"),
    ] as [(Int64, String)])
  func `the day in a signature is right, leap years too`(time: Int64, text: String) {
    let headers = S3Request("GET", host: "h", path: "/").signedHeaders(
      by: Self.credentials, region: "r", at: time)
    #expect(headers.first { $0.0 == "x-amz-date" }?.1 == text)
  }

  @Test func `an address says where and how`() throws {
    let amazon = try S3Address("s3://photos?region=eu-west-1")
    #expect(amazon.endpoint == "https://s3.eu-west-1.amazonaws.com")
    #expect(!amazon.isInPath && amazon.prefix.isEmpty)
    let own = try S3Address("s3://photos/a/b/?endpoint=http://127.0.0.1:9000")
    #expect(own.bucket == "photos" && own.prefix == "a/b/" && own.isInPath)
    #expect(own.region == "us-east-1")
    // The port is signed as clients send it: a scheme's own is left out.
    for (given, endpoint) in [
      ("https://h:443", "https://h"), ("http://h:80/", "http://h"),
      ("http://h:443", "http://h:443"),
    ] {
      #expect(try S3Address("s3://b?endpoint=\(given)").endpoint == endpoint)
    }
  }

  @Test(arguments: [
    "photos", "s3://", "s3:///x", "s3://a b", "s3://b?endpoint=127.0.0.1", "s3://b?what=1",
    "s3://b?style=odd", "s3://b?endpoint=http://h/path", "s3://b?region",
  ])
  func `an address that is none is refused`(text: String) {
    #expect(throws: S3Address.Malformed.self) { try S3Address(text) }
  }
}
