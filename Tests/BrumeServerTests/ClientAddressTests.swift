// Whom attempts and requests are counted by, and who counts as local.

import HTTPTypes
import NIOCore
import Testing

@testable import BrumeServer

struct ClientAddressTests {
  private static func address(
    _ peer: String, _ forwarded: String? = nil, trusting proxies: TrustedProxies = []
  ) throws -> ClientAddress {
    ClientAddress(
      peer: try SocketAddress(ipAddress: peer, port: 1), forwarded: forwarded,
      trustedProxies: proxies)
  }

  @Test func `the other end counts, whatever a header says`() throws {
    #expect(try Self.address("203.0.113.7").name == "203.0.113.7")
    #expect(try Self.address("203.0.113.7", "198.51.100.1").name == "203.0.113.7")
    #expect(
      try Self.address("203.0.113.7", "1.1.1.1", trusting: ["10.0.0.1"]).name == "203.0.113.7")
  }

  @Test func `a trusted proxy is believed, and only as far as it wrote itself`() throws {
    let proxies: TrustedProxies = ["10.0.0.1", "10.0.0.2"]
    let one = try Self.address("10.0.0.1", "203.0.113.7", trusting: proxies)
    #expect(one.name == "203.0.113.7" && !one.isLocal)
    let two = try Self.address(
      "10.0.0.1", "1.1.1.1, 203.0.113.7,10.0.0.2", trusting: proxies)
    #expect(two.name == "203.0.113.7", "what stands before it, anybody may have written")
    for nothing in ["", "unknown", "203.0.113.7, _hidden"] {
      #expect(try Self.address("10.0.0.1", nothing, trusting: proxies).name == "10.0.0.1")
    }
    let inside = try Self.address("10.0.0.1", "10.0.0.2, 10.0.0.1", trusting: proxies)
    #expect(inside.name == "10.0.0.2", "clients in the proxies' network count apart")
  }

  @Test(arguments: [
    ("8.8.8.8:1234", "8.8.8.8"), ("\"8.8.8.8:1234\"", "8.8.8.8"), ("1.1.1.1,\t8.8.8.8", "8.8.8.8"),
    ("[2001:db8::1]:99", "20010db800000000/64"), ("[2001:db8::1]", "20010db800000000/64"),
    ("\"[2001:db8::1]\"", "20010db800000000/64"), ("2001:db8::1", "20010db800000000/64"),
    ("[::ffff:8.8.8.8]:99", "8.8.8.8"), ("8.8.8.8, 10.0.0.1:443", "8.8.8.8"),
  ])
  func `a proxy may write a port, brackets, quotation marks and tabs`(
    forwarded: String, name: String
  ) throws {
    #expect(try Self.address("10.0.0.1", forwarded, trusting: ["10.0.0.1"]).name == name)
  }

  @Test(arguments: [
    ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false),
    ("192.168.4.0/22", "192.168.7.255", true), ("192.168.4.0/22", "192.168.8.0", false),
    ("10.0.0.1/32", "10.0.0.1", true), ("10.0.0.1/32", "10.0.0.0", false),
    ("10.1.2.3/8", "10.9.9.9", true), ("0.0.0.0/0", "203.0.113.7", true),
    ("0.0.0.0/0", "::1", false), ("::/0", "10.0.0.1", false),
    ("2001:db8::/33", "2001:db8:7fff::1", true), ("2001:db8::/33", "2001:db8:8000::1", false),
    ("2001:DB8:0::1", "2001:db8::1", true), ("::ffff:10.0.0.0/104", "::ffff:10.1.1.1", true),
    ("10.0.0.0/8", "::ffff:10.1.1.1", true), ("::ffff:10.0.0.1", "10.0.0.1", true),
    ("unix", "10.0.0.1", false),
  ])
  func `a network of proxies is believed, and nobody beside it`(
    network: String, peer: String, isBelieved: Bool
  ) throws {
    let proxies = TrustedProxies([try #require(TrustedProxies.Entry(network))])
    let address = try Self.address(peer, "2001:db8:ffff::1", trusting: proxies)
    #expect(address.name.hasPrefix("20010db8ffff") == isBelieved)
    let socket = try SocketAddress(ipAddress: peer, port: 1)
    #expect(ClientAddress.isProxy(socket, among: proxies) == isBelieved)
  }

  @Test(arguments: [
    "", "/", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/+8", "10.0.0.0/-1", "10.0.0.0/8/8",
    "10.0.0/8", "010.0.0.0/8", "::/129", "::/99999999999999999999", "10.0.0.0/ 8", "garbage/x",
    "proxy.example.org", "Unix", "[::1]",
  ])
  func `what is neither an address nor a network is no proxy`(text: String) {
    #expect(TrustedProxies.Entry(text) == nil)
  }

  @Test func `whoever connects to the Unix socket is believed by name only`() throws {
    let socket = try SocketAddress(unixDomainSocketPath: "/tmp/s")
    #expect(ClientAddress.isProxy(socket, among: ["unix"]))
    #expect(!ClientAddress.isProxy(socket, among: ["0.0.0.0/0", "::/0"]))
  }

  @Test func `an IPv6 network counts as one, a mapped IPv4 address as itself`() throws {
    let first = try Self.address("2001:db8:1:2:3:4:5:6")
    #expect(first == (try Self.address("2001:db8:1:2:ffff::1")))
    #expect(first != (try Self.address("2001:db8:1:3::1")))
    #expect(first.name.hasSuffix("/64"))
    #expect(try Self.address("::ffff:203.0.113.7").name == "203.0.113.7")
    let behind = try Self.address(
      "::ffff:10.0.0.1", "::ffff:203.0.113.7", trusting: ["10.0.0.1"])
    #expect(behind.name == "203.0.113.7")
  }

  @Test func `local is only who comes from this machine without a proxy between`() throws {
    for peer in ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"] {
      #expect(try Self.address(peer).isLocal)
      #expect(try !Self.address(peer, "203.0.113.7").isLocal)
      #expect(try !Self.address(peer, "127.0.0.1", trusting: ["127.0.0.1"]).isLocal)
    }
    #expect(try !Self.address("203.0.113.7").isLocal)
    #expect(try !Self.address("::ffff:203.0.113.7").isLocal)
    let unix = ClientAddress(
      peer: try SocketAddress(unixDomainSocketPath: "/tmp/s"), forwarded: nil, trustedProxies: [])
    #expect(unix.isLocal)
  }

  @Test(arguments: ["Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host", "X-Forwarded-Proto"])
  func `who comes by a proxy that names nobody is not local`(header: String) async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      #expect(try await client.send("/_brume/metrics").status == 200)
      let name = try #require(HTTPField.Name(header))
      let answer = try await client.send("/_brume/metrics", .get, nil, [name: "for=1.2.3.4"])
      #expect(answer.status >= 400, "\(answer.text)")
    }
  }

  // MARK: TLS

  @Test func `over TLS the cookie goes over TLS only, and no other host can have set it`() {
    let cookie = OperatorCookie(authority: "brume.example", isSecure: true)
    #expect(cookie.name == "__Host-brume-operator")
    #expect(
      cookie.header("x", seconds: 1)
        == "__Host-brume-operator=x; Path=/; Max-Age=1; HttpOnly; SameSite=Strict; Secure")
    for (authority, name) in [
      ("localhost:8787", "brume-operator-8787"), ("[::1]:9", "brume-operator-9"),
      ("example.org", "brume-operator-80"),
    ] {
      #expect(OperatorCookie(authority: authority, isSecure: false).name == name)
    }
  }

  @Test func `that a request came over TLS is believed from trusted proxies only`() throws {
    let proxy = try SocketAddress(ipAddress: "10.0.0.1", port: 1)
    let stranger = try SocketAddress(ipAddress: "10.0.0.2", port: 1)
    let rule = SecureRequests(trustedProxies: ["10.0.0.1"], baseURL: "https://brume.example")
    #expect(rule.isSecure(from: proxy, forwarded: "https"))
    #expect(rule.isSecure(from: proxy, forwarded: "http, HTTPS"))
    #expect(!rule.isSecure(from: proxy, forwarded: "https, http"))
    #expect(rule.isSecure(from: proxy, forwarded: nil))
    #expect(!rule.isSecure(from: stranger, forwarded: "https"))
    #expect(!rule.isSecure(from: nil, forwarded: "https"))
  }
}
