import BrumeModel
import Foundation
import Testing

struct FormTextTests {
  @Test func `letters and digits of ASCII and four signs stay as they are`() {
    let plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~"
    #expect(FormText.escaped(plain) == plain)
  }

  @Test(arguments: [
    ("", ""), (" ", "%20"), ("a+b/c=", "a%2Bb%2Fc%3D"), ("%", "%25"), ("é", "%C3%A9"),
    ("\u{0}\n\u{7F}", "%00%0A%7F"), ("٣", "%D9%A3"), ("😀", "%F0%9F%98%80"), ("*", "%2A"),
  ])
  func `everything else is two upper-case digits for each byte`(_ text: String, _ escaped: String) {
    #expect(FormText.escaped(text) == escaped)
  }

  @Test func `Foundation reads any text back`() {
    let text = String(String.UnicodeScalarView((0...0x2FF).compactMap(Unicode.Scalar.init)))
    #expect(FormText.escaped(text).removingPercentEncoding == text)
  }

  @Test func `a query begins with a question mark, and is nothing without pairs`() {
    #expect(FormText.query([]) == "")
    #expect(FormText.query([("a", "1 2"), ("b", "&")]) == "?a=1%202&b=%26")
  }

  @Test func `an address may have parameters already`() {
    #expect(FormText.address("http://x/y", adding: [("a", "b")]) == "http://x/y?a=b")
    #expect(FormText.address("http://x/y?z", adding: [("a", "b")]) == "http://x/y?z&a=b")
  }
}
