import BrumeStorage
import BrumeTestKit
import Testing

/// Lists of names that are one column (decision 0060): the one way in and out.
@Suite struct LinesTests {
  @Test(
    arguments: [
      [], [""], ["a"], ["a", ""], ["", "a"], ["a b", "\u{301}", "\r", "\u{0}", "\u{1F600}"],
    ] as [[String]])
  func `a list of texts without line feeds comes back byte for byte:`(texts: [String]) {
    let back = Lines.texts(Lines.text(texts))
    #expect(back.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    #expect(Lines.texts(ofColumn: Lines.column(texts)).count == texts.count)
  }

  @Test func `a column without texts is null, and a list with an empty text is not`() {
    #expect(Lines.column([]) == nil)
    #expect(Lines.column([""]) == "\n")
    #expect(Lines.texts(ofColumn: nil) == [])
  }

  @Test func `any text is a list, and what was read is written again`() {
    var random = SeededRandom(seed: 60)
    let bytes: [UInt8] = Array("\n\n\r\u{301}ab".utf8)
    for _ in 0..<2000 {
      let text = String(
        decoding: (0..<random.next(below: 12)).map { _ in bytes[random.next(below: bytes.count)] },
        as: UTF8.self)
      let texts = Lines.texts(text)
      #expect(Lines.texts(Lines.text(texts)) == texts)
      #expect(texts.allSatisfy { !$0.utf8.contains(10) })
    }
  }
}
