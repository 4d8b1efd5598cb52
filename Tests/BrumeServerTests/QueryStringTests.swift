// Reading the query of a request target.

import BrumeServer
import Testing

@Suite struct QueryStringTests {
  @Test(arguments: [
    ("/p?a=1&b=2", "b", "2"), ("/p?a=1&a=2", "a", "1"), ("/p?t=a%2Bb%2F%3D%3D", "t", "a+b/=="),
    ("/p?t=a+b/==", "t", "a+b/=="), ("/p?a=%zz%4", "a", "%zz%4"), ("/p?a=1#x&b=2", "a", "1"),
    ("/p?%61=1", "a", "1"), ("/p?a=x=y", "a", "x=y"),
  ])
  func `a value is found as it was meant`(target: String, name: String, value: String) {
    #expect(QueryString(target: target)[name] == value)
  }

  @Test(arguments: ["/p", "/p?", "/p?a", "/p?a=", "/p?&&="])
  func `what is absent or empty is nil`(target: String) {
    #expect(QueryString(target: target)["a"] == nil)
  }

  @Test func `bytes that are no text give a value, not a crash`() {
    #expect(QueryString(target: "/p?a=%ff%fe")["a"] == "\u{FFFD}\u{FFFD}")
  }
}
