// Forms, whole and in pieces, well-formed and not.

import BrumeModel
import BrumeWire
import Testing

@Suite struct MultipartTests {
  static let type = "multipart/form-data; boundary=----A1B2"
  static let header =
    "------A1B2\r\nContent-Disposition: form-data; name=\"files\"; filename=\"file.file\"\r\n"
    + "Content-Type: application/octet-stream\r\n\r\n"

  /// The content that a reader finds in a body that arrives in pieces of `size`.
  static func content(_ body: [UInt8], pieces size: Int) throws -> [UInt8] {
    var reader = try #require(try MultipartReader(contentType: type))
    var content: [UInt8] = []
    for start in stride(from: 0, to: body.count, by: size) {
      content += try reader.take(body[start..<min(start + size, body.count)])
    }
    try reader.finish()
    return content
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100_000])
  func `a form's one part comes out byte for byte, however it arrives`(size: Int) throws {
    // Near misses of the boundary, and bytes that end lines.
    let file = Array("\r\n--\r\n------A1B\r\n------A1C2\r\r\n\n--".utf8) + (0...255)
    let body = Array(Self.header.utf8) + file + Array("\r\n------A1B2--\r\n".utf8)
    #expect(try Self.content(body, pieces: size) == file)
  }

  @Test(arguments: [(1, true), (70, true), (0, false), (71, false)])
  func `a boundary has so many characters as RFC 2046 allows`(count: Int, isTaken: Bool) {
    let type = "multipart/form-data; boundary=" + String(repeating: "b", count: count)
    #expect(((try? MultipartReader(contentType: type)) != nil) == isTaken)
  }

  @Test func `an empty file is a file, and text around a form is ignored`() throws {
    let body = "preamble\r\n" + Self.header + "\r\n------A1B2--\r\nepilogue"
    #expect(try Self.content(Array(body.utf8), pieces: 5) == [])
  }

  @Test(arguments: [
    "", "no form", header, header + "content", header + "content\r\n------A1B2", "------A1B2--\r\n",
    header + "a\r\n------A1B2\r\nContent-Type: text/plain\r\n\r\nb\r\n------A1B2--\r\n",
    "------A1B2\r\nX: " + String(repeating: "x", count: 9000),
  ])
  func `a form that is cut off, empty, endless or of several parts is refused`(body: String) {
    #expect(throws: BrumeError.self) { try Self.content(Array(body.utf8), pieces: 16) }
  }

  @Test func `other types are no forms, and a form needs a boundary`() throws {
    for type in ["text/plain;charset=UTF-8", "application/octet-stream", ""] {
      let reader = try MultipartReader(contentType: type)
      #expect(reader == nil)
    }
    for type in [
      "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; x=y",
    ] {
      #expect(throws: BrumeError.self) { try MultipartReader(contentType: type) }
    }
    let quoted = try MultipartReader(contentType: "Multipart/Form-Data; Boundary=\"a b\"")
    #expect(quoted != nil)
  }

  @Test func `a form's header has so many bytes`() throws {
    func read(_ count: Int) throws {
      var reader = try #require(try MultipartReader(contentType: Self.type, headerBytes: 200))
      // The line break that is thought to stand before a body counts as well.
      _ = try reader.take([UInt8](repeating: UInt8(ascii: "x"), count: count - 2)[...])
    }
    try read(200)
    #expect(throws: BrumeError.self) { try read(201) }
    #expect(Limits.apple.multipartHeaderBytes == 8192)
  }

  @Test func `any bytes give content or an error, and memory stays small`() throws {
    var state: UInt64 = 7
    for _ in 0..<2000 {
      var reader = try #require(try MultipartReader(contentType: Self.type))
      var body = Array(Self.header.utf8) + Array("x\r\n------A1B2--".utf8)
      for _ in 0..<3 {
        state = state &* 6_364_136_223_846_793_005 &+ 1
        body[Int(state >> 33) % body.count] = UInt8(truncatingIfNeeded: state >> 20)
      }
      _ = try? reader.take(body[...])
      _ = try? reader.finish()
    }
  }
}
