import BrumeModel
import BrumePush
import Foundation
import Testing

/// Which URLs the server calls for somebody else (docs/operating/web-push.md).
@Suite struct AddressTests {
  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.9.9.9",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1",
    "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:8.8.8.8",
    "::ffff:127.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1",
    "2001:1ff::1", "2001:db8::1", "2002:7f00:1::1", "3fff::1", "fc00::1", "fdab::1", "fe80::1",
    "fec0::1", "ff02::1", "5f00::1",
  ])
  func `an address of ourselves or of nobody is not public:`(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!address.isPublic)
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1",
    "192.0.1.1", "192.167.1.1", "198.17.1.1", "198.20.0.1", "223.255.255.255", "2001:4860::8888",
    "2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:200::1",
  ])
  func `an address of the open Internet is public:`(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isPublic)
  }

  @Test(arguments: [
    "", "1", "127.1", "0177.0.0.1", "0x7f.0.0.1", "2130706433", "1.2.3.4.5", "1.2.3.256", "1.2.3.",
    "01.2.3.4", "1.2.3.4 ", ":::", "1::2::3", "12345::", "::g", "1:2:3:4:5:6:7", "::1%lo",
    "1:2:3:4:5:6:7:8:9", "::1.2.3", "1.2.3.4::", "１.2.3.4",
  ])
  func `what is no plain address is none:`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `only an answer says that a name does not exist, not a lookup that failed`()
    async throws
  {
    #expect(NameLookup.isUnknown(EAI_NONAME))
    for status in [EAI_AGAIN, EAI_FAIL, EAI_MEMORY, EAI_SYSTEM] {
      #expect(!NameLookup.isUnknown(status))
    }
    let own = try await NameLookup.addresses("localhost")
    #expect(own.contains(.v4(0x7f00_0001)))
  }

  @Test func `an address has one text`() {
    #expect(IPAddress("2001:db8::ff:0:1")?.description == "2001:db8:0:0:0:ff:0:1")
    #expect(IPAddress("::ffff:1.2.3.4") == IPAddress("::ffff:102:304"))
    #expect(IPAddress("9.8.7.6")?.description == "9.8.7.6")
  }

  @Test(arguments: [
    ("https://push.example/a?b", "https://push.example", "/a?b"),
    ("https://PUSH.example:443", "https://push.example", "/"),
    ("https://push.example:8443/x", "https://push.example:8443", "/x"),
    ("http://push.example:80/x", "http://push.example", "/x"),
    ("https://push.example?token=1", "https://push.example", "/?token=1"),
    ("https://[2606:4700::1]/x", "https://[2606:4700:0:0:0:0:0:1]", "/x"),
    ("https://a_b.example/", "https://a_b.example", "/"),
  ])
  func `a URL is read as it will be called:`(text: String, origin: String, target: String) throws {
    let url = try PushURL(text)
    #expect(url.origin == origin)
    #expect(url.target == target)
  }

  @Test(arguments: [
    "", "push.example", "ftp://a.example", "https:a.example", "https:///x", "https://@a.example",
    "https://u:p@a.example/", "https://a.example\\@b.example/", "https://a.example/#x",
    "https://a.example/ x", "https://a.example/\n", "https://ä.example/", "https://a.example:0/",
    "https://a.example:65536/", "https://a.example:/", "https://a..example/", "https://-a.example/",
    "https://127.1/", "https://0x7f.1/", "https://2130706433/", "https://0177.0.0.1/",
    "https://[::1%25lo]/", "https://[::1/", "https://[1.2.3.4]/", "https://a.example:44x/",
    "HTTPS://a.example/",
  ])
  func `a URL that could be read in two ways is refused:`(text: String) {
    #expect(throws: BrumeError.self) { try PushURL(text) }
  }

  // MARK: The guard

  private func outside(
    _ addresses: [String], allowed: [String] = []
  ) -> OutsideGuard {
    OutsideGuard(allowed: allowed) { _ in addresses.compactMap { IPAddress($0) } }
  }

  @Test func `the call goes to the address that was checked`() async throws {
    let target = try await outside(["8.8.8.8", "1.1.1.1"]).target("https://push.example/x")
    #expect(target.address == IPAddress("8.8.8.8"))
  }

  @Test(arguments: [
    "http://push.example/", "https://push.example:8443/", "https://127.0.0.1/", "https://[::1]/",
    "https://169.254.169.254/latest/meta-data",
  ])
  func `a closed URL is refused whatever its name resolves to:`(text: String) async {
    await #expect(throws: BrumeError.self) { try await outside(["8.8.8.8"]).target(text) }
  }

  @Test func `one private address among many is enough to refuse`() async {
    await #expect(throws: BrumeError.self) {
      try await outside(["8.8.8.8", "10.0.0.1"]).target("https://push.example/")
    }
    let error = await #expect(throws: BrumeError.self) {
      try await outside([]).target("https://gone.example/")
    }
    #expect(error?.reason.contains("'gone.example'") == true)
  }

  @Test func `the operator's own hosts may be called, and no others`() async throws {
    let outside = outside(["127.0.0.1"], allowed: ["localhost:9000", "10.0.0.5"])
    #expect(try await outside.target("http://localhost:9000/x").url.port == 9000)
    #expect(try await outside.target("http://10.0.0.5:81/x").url.port == 81)
    await #expect(throws: BrumeError.self) { try await outside.target("http://localhost:9001/x") }
    await #expect(throws: BrumeError.self) { try await outside.target("https://10.0.0.6/") }
  }

  @Test func `a name that cannot be looked up may be tried again`() async {
    struct Failure: Error {}
    let outside = OutsideGuard(allowed: []) { _ in throw Failure() }
    let error = await #expect(throws: BrumeError.self) {
      try await outside.target("https://push.example/")
    }
    #expect(error?.code == .tryAgainLater)
  }
}
