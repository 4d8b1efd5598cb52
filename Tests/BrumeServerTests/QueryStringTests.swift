// Reading the query of a request target.

import BrumeModel
import BrumeServer
import Testing

@Suite struct QueryStringTests {
  private func query(_ target: String) throws -> QueryString {
    try QueryString(target: target, limits: .apple)
  }

  @Test(arguments: [
    ("/p?a=1&b=2", "b", "2"), ("/p?a=1&a=2", "a", "1"), ("/p?t=a%2Bb%2F%3D%3D", "t", "a+b/=="),
    ("/p?t=a+b/==", "t", "a+b/=="), ("/p?a=%25", "a", "%"), ("/p?a=1#x&b=2", "a", "1"),
    ("/p?%61=1", "a", "1"), ("/p?a=x=y", "a", "x=y"), ("/p?a=%C3%A9", "a", "é"),
  ])
  func `a value is found as it was meant`(target: String, name: String, value: String) throws {
    #expect(try query(target)[name] == value)
  }

  @Test(arguments: [
    ("iCloud%2Eorg%2Eexample.app", 200, ""), ("iCloud%2Eorg%2Eexample%2Eapp", 200, ""),
    ("iCloud.org.example.app%2F", 400, ""), ("iCloud.org.example%252Eapp", 400, ""),
    ("iCloud.org.example%zz", 400, "the container in the path has a '%'"),
    ("iCloud.org%00", 400, "the container in the path"),
  ])
  func `the percent encoding of a path is undone once, and an encoded slash separates nothing`(
    container: String, status: Int, reason: String
  ) async throws {
    try await ServerFixture().routes { client in
      let path = "/database/1/\(container)/%64evelopment/priv%61te/zones/list"
      let answer = try await client.send("\(path)?\(client.fixture.credentials("alice"))")
      #expect(answer.status == status, "\(answer.text)")
      #expect(answer.reason.contains(reason), "\(answer.reason)")
    }
  }

  @Test(arguments: ["/p", "/p?", "/p?a", "/p?a=", "/p?&&="])
  func `what is absent or empty is nil`(target: String) throws {
    #expect(try query(target)["a"] == nil)
  }

  @Test(arguments: [
    "%ff%fe", "%C3", "a%00b", "%0a", "%7f", "%zz", "%4", String(repeating: "x", count: 8193),
  ])
  func `a value that may not enter is refused by the parameter's name`(value: String) {
    let error = #expect(throws: BrumeError.self) { try query("/p?b=1&clientId=\(value)") }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains("'clientId'") == true)
  }

  @Test func `a name that may not enter is refused too`() {
    #expect(throws: BrumeError.self) { try query("/p?a%00b=1") }
  }
}
