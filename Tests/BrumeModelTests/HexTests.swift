import BrumeModel
import Testing

struct HexTests {
  @Test func `each byte is two lower-case digits`() {
    #expect(Hex.text([]) == "")
    #expect(Hex.text([0, 9, 10, 0x1F, 0xA0, 0xFF]) == "00090a1fa0ff")
  }

  @Test func `sixteen digits in their order`() {
    let digits = (UInt8(0)..<16).map(Hex.digit)
    #expect(String(decoding: digits, as: UTF8.self) == "0123456789abcdef")
  }
}
