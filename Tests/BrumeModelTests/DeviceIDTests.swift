import BrumeModel
import Testing

struct DeviceIDTests {
  @Test func `device IDs of the same characters and other bytes are two, in the order of bytes`() {
    // An accent in two spellings, and the sign for kelvin, which is the same character as the letter.
    let ids = ["K", "cafe\u{301}", "caf\u{e9}", "\u{212a}"].map { DeviceID($0) }
    #expect(Set(ids).count == 4)
    #expect(Array(ids.reversed()).sorted() == ids)
  }
}
