// By which names the server may be called.

import BrumeServer
import Testing

@Suite struct AllowedHostsTests {
  private static let hosts = AllowedHosts(
    listener: "box.lan", baseURL: "https://Trailbook.example:8443/cloud", others: ["brume"])

  @Test(arguments: [
    "localhost", "LOCALHOST:8787", "localhost.", "127.0.0.1:8787", "192.168.1.7", "[::1]:8787",
    "[2001:db8::1]", "box.lan:8787", "trailbook.example", "TRAILBOOK.example:443", "brume:8787",
  ])
  func `addresses, localhost and names of the settings are ours`(_ authority: String) {
    #expect(Self.hosts.allows(authority))
  }

  @Test(arguments: [
    "", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.1", "0x7f000001",
    "box.lan.evil.example", ":8787", "[evil.example]", "localhost:80@evil.example",
    "localhost:8787evil.example", "[::1]evil.example", "[::1]:80@evil.example", "[::1",
  ])
  func `a request for any other name is refused`(_ authority: String) {
    #expect(!Self.hosts.allows(authority))
  }
}
