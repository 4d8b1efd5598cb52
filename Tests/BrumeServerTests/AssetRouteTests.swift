// Assets over HTTP: tokens, uploads in both forms, saves, downloads with ranges, and the headers
// that keep browsers from running what somebody uploaded.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@Suite struct AssetRouteTests {
  static let file = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// The address for a file, as a target.
  static func uploadTarget(
    _ client: RouteClient, scope: String = "private"
  ) async throws -> String {
    let token: JSON = ["recordType": "Note", "fieldName": "photo", "recordName": "one"]
    let answer = try await client.call("assets/upload", ["tokens": [token]], in: scope)
    let url = try #require(answer["tokens"]?.array?.first?["url"]?.string, "\(answer.text)")
    return target(url)
  }

  static func target(_ url: String) -> String {
    let parts = URLComponents(string: url)
    return (parts?.percentEncodedPath ?? "") + "?" + (parts?.percentEncodedQuery ?? "")
  }

  /// Uploads and saves; answers the field as the save answered it.
  static func saved(_ client: RouteClient, scope: String = "private") async throws -> JSON {
    let target = try await uploadTarget(client, scope: scope)
    let upload = try await client.send(target, .post, file, [.contentType: "text/plain"])
    let value = try #require(upload["singleFile"], "\(upload.text)")
    let answer = try await client.save(
      "one", ["photo": ["type": "ASSETID", "value": value]], in: scope)
    let record = try #require(answer["records"]?.array?.first)
    return try #require(record["fields"]?["photo"], "\(answer.text)")
  }

  @Test(arguments: [HTTPRequest.Method.post, .put])
  func `a file goes up raw, is saved, and comes down`(method: HTTPRequest.Method) async throws {
    try await ServerFixture().routes { client in
      let target = try await Self.uploadTarget(client)
      let upload = try await client.send(target, method, Self.file)
      #expect(upload.status == 200)
      let value = try #require(upload["singleFile"])
      #expect(value["size"]?.int == 1000 && value["receipt"]?.string != nil)
      let saved = try await client.save("one", ["photo": ["value": value]])
      let field = try #require(saved["records"]?.array?.first?["fields"]?["photo"], "\(saved.text)")
      #expect(field["type"]?.string == "ASSETID")
      #expect(field["value"]?["fileChecksum"] == value["fileChecksum"])
      #expect(field["value"]?["receipt"] == nil)
      let url = try #require(field["value"]?["downloadURL"]?.string)
      #expect(url.hasPrefix(client.fixture.server.url))
      let download = try await client.send(Self.target(url))
      #expect(download.status == 200 && download.bytes == Self.file)
    }
  }

  @Test func `a form with one part is the same file`() async throws {
    try await ServerFixture().routes { client in
      let target = try await Self.uploadTarget(client)
      let raw = try await client.send(target, .post, Self.file)
      let body =
        Array("--b\r\nContent-Disposition: form-data; name=\"files\"\r\n\r\n".utf8) + Self.file
        + Array("\r\n--b--\r\n".utf8)
      let form = try await client.send(
        target, .post, body, [.contentType: "multipart/form-data; boundary=b"])
      #expect(form.status == 200)
      #expect(
        form["singleFile"]?["fileChecksum"] == raw["singleFile"]?["fileChecksum"], "\(form.text)")
      let cut = try await client.send(
        target, .post, Array(body.dropLast(8)), [.contentType: "multipart/form-data; boundary=b"])
      #expect(cut.status == 400 && cut.code == "BAD_REQUEST")
    }
  }

  @Test func `every token has its record name, and 201 of them are too many`() async throws {
    try await ServerFixture().routes { client in
      let token: JSON = ["recordType": "Note", "fieldName": "photo"]
      let few = try await client.call("assets/upload", ["tokens": [token, token]])
      let names = few["tokens"]?.array?.compactMap { $0["recordName"]?.string } ?? []
      #expect(Set(names).count == 2)
      let many = try await client.call(
        "assets/upload", ["tokens": .array(Array(repeating: token, count: 201))])
      #expect(many.status == 400 && many.code == "BAD_REQUEST")
      let nobody = try await client.call("assets/upload", ["tokens": [token]], as: nil)
      #expect(nobody.code == "AUTHENTICATION_REQUIRED")
      let odd = try await client.call("assets/upload", ["tokens": [["fieldName": "photo"]]])
      #expect(odd.code == "BAD_REQUEST" && odd.reason.contains("recordType"))
    }
  }

  @Test func `a file at the limit is taken, and one byte more is 413`() async throws {
    let fixture = try await ServerFixture { $0.limits.assetBytes = 1000 }
    try await fixture.routes { client in
      let target = try await Self.uploadTarget(client)
      #expect(try await client.send(target, .post, Self.file).status == 200)
      let answer = try await client.send(target, .post, Self.file + [0])
      #expect(answer.status == 413 && answer.reason.contains("1000"))
      // The client that has sent it all may go on; the one that would not stop may not.
      #expect(answer.headers[.connection] == nil)
      let endless = try await client.send(
        target, .post, [UInt8](repeating: 0, count: 40_000))
      #expect(endless.status == 413 && endless.headers[.connection] == "close")
    }
  }

  @Test func `a wrong upload address is refused`() async throws {
    try await ServerFixture().routes { client in
      for (target, status) in [
        ("/_brume/assets/upload", 400), ("/_brume/assets/upload?ticket=AAAA", 403),
        ("/_brume/assets/file", 400), ("/_brume/assets/file?pass=../../etc/passwd", 403),
      ] {
        let method: HTTPRequest.Method = target.contains("upload") ? .post : .get
        #expect(try await client.send(target, method, [1]).status == status, "\(target)")
      }
      // A download address is no upload address, nor the other way round.
      let field = try await Self.saved(client)
      let pass = try #require(
        field["value"]?["downloadURL"]?.string?.components(separatedBy: "=")[1])
      let crossed = try await client.send("/_brume/assets/upload?ticket=\(pass)", .post, [1])
      #expect(crossed.status == 403)
    }
  }

  @Test func `a reused receipt is a bad request that names the field`() async throws {
    try await ServerFixture().routes { client in
      let target = try await Self.uploadTarget(client)
      let value = try #require(
        try await client.send(target, .post, Self.file)["singleFile"])
      try await client.save("one", ["photo": ["value": value]])
      let again = try await client.save("one", ["photo": ["value": value]], kind: "forceUpdate")
      let record = again["records"]?.array?.first
      #expect(record?["serverErrorCode"]?.string == "BAD_REQUEST")
      #expect(record?["reason"]?.string?.contains("'photo'") == true)
    }
  }

  @Test func `lookups, queries and feeds give addresses, and a value sent back is unchanged`()
    async throws
  {
    try await ServerFixture().routes { client in
      let saved = try await Self.saved(client)
      let lookup = try await client.call(
        "records/lookup", ["records": [["recordName": "one"]]])
      let value = try #require(
        lookup["records"]?.array?.first?["fields"]?["photo"]?["value"], "\(lookup.text)")
      #expect(value["fileChecksum"] == saved["value"]?["fileChecksum"])
      #expect(value["downloadURL"]?.string != nil)
      let query = try await client.call(
        "records/query", ["query": ["recordType": "Note"]])
      let found = query["records"]?.array?.first?["fields"]?["photo"]?["value"]
      #expect(found?["downloadURL"]?.string != nil, "\(query.text)")
      let without = try await client.call(
        "records/lookup", ["records": [["recordName": "one"]], "desiredKeys": ["title"]])
      #expect(without["records"]?.array?.first?["fields"]?["photo"] == nil)
      let again = try await client.save(
        "one", ["photo": ["value": value], "title": ["value": "x"]], kind: "forceUpdate")
      let after = again["records"]?.array?.first?["fields"]?["photo"]?["value"]
      #expect(after?["fileChecksum"] == value["fileChecksum"], "\(again.text)")
    }
  }

  @Test func `a rereferenced asset is ready to write, by index`() async throws {
    try await ServerFixture().routes { client in
      _ = try await Self.saved(client)
      let answer = try await client.call(
        "assets/rereference",
        [
          "assets": [
            ["recordName": "none", "fieldName": "photo"],
            ["recordName": "one", "fieldName": "photo"],
          ]
        ])
      let assets = try #require(answer["assets"]?.array, "\(answer.text)")
      #expect(assets[0]["serverErrorCode"]?.string == "NOT_FOUND")
      let saved = try await client.save("two", ["cover": ["value": assets[1]]])
      let value = saved["records"]?.array?.first?["fields"]?["cover"]?["value"]
      #expect(value?["size"]?.int == 1000, "\(saved.text)")
    }
  }

  @Test func `assets of the public database are read by everybody who may read the record`()
    async throws
  {
    try await ServerFixture().routes { client in
      _ = try await Self.saved(client, scope: "public")
      let lookup = try await client.call(
        "records/lookup", ["records": [["recordName": "one"]]], as: nil, in: "public")
      let url = lookup["records"]?.array?.first?["fields"]?["photo"]?["value"]?["downloadURL"]
      let download = try await client.send(Self.target(try #require(url?.string, "\(lookup.text)")))
      #expect(download.bytes == Self.file)
    }
  }

  // MARK: Answers

  @Test func `a browser never runs what is downloaded`() async throws {
    try await ServerFixture().routes { client in
      let url = try await Self.saved(client)["value"]?["downloadURL"]?.string
      let answer = try await client.send(Self.target(try #require(url)))
      #expect(answer.headers[.contentType] == "application/octet-stream")
      #expect(answer.headers[.contentDisposition]?.hasPrefix("attachment") == true)
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
      #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("sandbox") == true)
      #expect(answer.headers[.contentLength] == "1000")
    }
  }

  @Test(
    arguments: [
      ("bytes=0-0", 206, 0..<1), ("bytes=990-", 206, 990..<1000), ("bytes=-10", 206, 990..<1000),
      ("bytes=500-5000", 206, 500..<1000), ("bytes=-5000", 206, 0..<1000),
      ("bytes=0-99999999999999999999", 206, 0..<1000),
      ("bytes=1000-", 416, 0..<0), ("bytes=-0", 416, 0..<0), ("bytes=5000-6000", 416, 0..<0),
      ("bytes=5-2", 200, 0..<1000), ("bytes=0-1,3-4", 200, 0..<1000), ("bytes=", 200, 0..<1000),
      ("bytes=--1", 200, 0..<1000), ("bytes=a-b", 200, 0..<1000), ("lines=0-1", 200, 0..<1000),
    ] as [(String, Int, Range<Int>)])
  func `a range gives its bytes`(header: String, status: Int, range: Range<Int>) async throws {
    try await ServerFixture().routes { client in
      let url = try await Self.saved(client)["value"]?["downloadURL"]?.string
      let target = Self.target(try #require(url))
      let answer = try await client.send(target, .get, nil, [.range: header])
      #expect(answer.status == status)
      #expect(answer.bytes == Array(Self.file[range]))
      let total = status == 206 ? "bytes \(range.lowerBound)-\(range.upperBound - 1)/1000" : nil
      #expect(answer.headers[.contentRange] == (status == 416 ? "bytes */1000" : total))
    }
  }

  @Test func `HEAD, ETag and If-Range work as caches expect`() async throws {
    try await ServerFixture().routes { client in
      let url = try await Self.saved(client)["value"]?["downloadURL"]?.string
      let target = Self.target(try #require(url))
      let head = try await client.send(target, .head)
      #expect(head.status == 200 && head.bytes.isEmpty)
      #expect(head.headers[.contentLength] == "1000")
      let tag = try #require(head.headers[.eTag])
      let cached = try await client.send(target, .get, nil, [.ifNoneMatch: tag])
      #expect(cached.status == 304 && cached.bytes.isEmpty)
      let same = try await client.send(target, .get, nil, [.range: "bytes=0-9", .ifRange: tag])
      #expect(same.status == 206)
      let other = try await client.send(
        target, .get, nil, [.range: "bytes=0-9", .ifRange: "\"other\""])
      #expect(other.status == 200 && other.bytes.count == 1000)
    }
  }

  @Test func `pages of other origins may use the addresses, in production too`() async throws {
    let fixture = try await ServerFixture { $0.isDevelopment = false }
    try await fixture.routes { client in
      for path in ["/_brume/assets/upload?ticket=A", "/_brume/assets/file?pass=A"] {
        let answer = try await client.send(
          path, .options, nil,
          [.origin: "https://page.example", .accessControlRequestMethod: "PUT"])
        #expect(answer.headers[.accessControlAllowOrigin] == "https://page.example")
        #expect(answer.headers[.accessControlAllowMethods]?.contains("PUT") == true)
      }
    }
  }

  // MARK: Slow and rude clients

  @Test func `an upload that stops coming is closed and leaves nothing`() async throws {
    try await ConnectionTests.live(bodySeconds: 1) { fixture, socket in
      let server = fixture.server
      let caller = Caller(
        in: ServerFixture.containerEnvironment,
        user: fixture.user("alice"), device: nil, kind: .user, requestID: "test")
      let file = AssetUploadRequest.File(recordType: "Note", fieldName: "photo")
      let ticket = try #require(
        try await server.engine.uploadTickets.issue(
          AssetUploadRequest(files: [file]), in: .private, as: caller
        ).first?.ticket)
      await socket.send(
        "POST /_brume/assets/upload?ticket=\(ticket) HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: 500\r\n\r\nabc")
      #expect(await socket.readToEnd() == "")
      #expect(try await server.assets.names(after: "", limit: 9) == [])
    }
  }

  @Test func `an operator sees what is missing`() async throws {
    try await ServerFixture().routes { client in
      _ = try await Self.saved(client)
      let whole = try await client.admin("assets/check")
      #expect(whole["files"]?.int == 1 && whole["missing"]?.array == [], "\(whole.text)")
      let store = client.fixture.server.assets
      for name in try await store.names(after: "", limit: 9) { try await store.remove(name) }
      #expect(try await client.admin("assets/check")["missing"]?.array?.count == 1)
    }
  }

  @Test func `a file of the largest size has room before a save holds it`() async throws {
    for (bytes, room) in [(1 << 20, 4 << 30), (4 << 30, 4 << 30), (8 << 30, 8 << 30)] {
      let flags = try SettingFlags.parse(["--asset-bytes", "\(bytes)"])
      let limits = try Settings(try await SettingSources(flags: flags, environment: [:])).limits
      #expect(limits.assetBytes == Int64(bytes))
      #expect(limits.pendingUploadBytesPerUser == Int64(room))
    }
  }

  @Test func `assets' settings are read, and a wrong place is refused`() async throws {
    func settings(_ flags: [String]) async throws -> Settings {
      try Settings(try await SettingSources(flags: SettingFlags.parse(flags), environment: [:]))
    }
    let read = try await settings([
      "--asset-bytes", "100", "--asset-upload-life", "1", "--asset-address-life=2",
      "--asset-base-url", "https://files.example/", "--assets",
      "s3://photos/x?endpoint=http://127.0.0.1:1", "--asset-key-id", "k", "--asset-key-secret", "s",
    ])
    #expect(read.limits.assetBytes == 100 && read.limits.assetUploadLifetime == 1000)
    #expect(read.limits.assetAddressLifetime == 2000)
    #expect(read.assets.baseURL == "https://files.example")
    #expect(read.assets.storeLocation != .besideRecords)
    for wrong in [
      ["--assets", "elsewhere"], ["--assets", "s3://b"], ["--asset-bytes", "-1"],
      ["--asset-sweep", "soon"],
    ] {
      await #expect(throws: SettingError.self) { try await settings(wrong) }
    }
  }
}
