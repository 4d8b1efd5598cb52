// Lines that are written by a thread: into real pipes that nobody reads, that are closed, and onto a disk that is full.

import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LogWriterTests {
  @Test func `who logs waits for no reader, and whoever reads later finds what waited and the gap`()
    async throws
  {
    let pipe = Pipe()
    try Self.fill(pipe)
    let writer = try #require(Self.writer(pipe.fileHandleForWriting, bytes: 10_000))
    // Whoever waits here waits for good.
    for number in 0..<250 { writer.write(Self.line(number)) }
    #expect(writer.lost == 240)
    var text = await Self.read(pipe, until: "lost ")
    writer.write(Array("end\n".utf8))
    text += await Self.read(pipe, until: "end\n")
    let lines = text.split(separator: "\n").map { String($0.filter { $0 != "." }) }
    #expect(lines == (0..<10).map(String.init) + ["lost 240", "end"])
  }

  @Test func `nobody waits for good for lines that nobody reads`() throws {
    let pipe = Pipe()
    let writer = try #require(Self.writer(pipe.fileHandleForWriting, bytes: 1 << 20))
    for number in 0..<250 { writer.write(Self.line(number)) }
    writer.waitUntilWritten(1)
    #expect(writer.lost == 0)
    try pipe.fileHandleForReading.close()
    // The thread is done with the descriptor, which another test may get.
    writer.waitUntilWritten(60_000)
    #expect(writer.lost > 0)
  }

  @Test func `a pipe that was closed costs the lines, and not the process`() throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    try Self.loseAll(pipe.fileHandleForWriting)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
  func `a disk that is full costs the lines`() throws {
    try Self.loseAll(try #require(FileHandle(forWritingAtPath: "/dev/full")))
  }

  private static func loseAll(_ file: FileHandle) throws {
    let writer = try #require(Self.writer(file, bytes: 1 << 20))
    for number in 0..<20 { writer.write(line(number)) }
    writer.waitUntilWritten(60_000)
    #expect(writer.lost == 20)
    // Kept open until here.
    try file.close()
  }

  // MARK: Lines and pipes

  private static func writer(_ file: FileHandle, bytes: Int) -> LogWriter? {
    var limits = Limits()
    limits.logBytesWaiting = bytes
    return LogWriter(to: file.fileDescriptor, limits, now: { 0 }) {
      Array("lost \($0.count)\n".utf8)
    }
  }

  private static func line(_ number: Int) -> [UInt8] {
    Array("\(number)".utf8) + [UInt8](repeating: UInt8(ascii: "."), count: 995) + [10]
  }

  /// Fills the pipe with dots.
  private static func fill(_ pipe: Pipe) throws {
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let flags = fcntl(descriptor, F_GETFL)
    try #require(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0)
    let bytes = [UInt8](repeating: UInt8(ascii: "."), count: 4096)
    while Descriptor.write(bytes[...], to: descriptor, waits: false).failure == nil {}
    try #require(fcntl(descriptor, F_SETFL, flags) == 0)
  }

  /// Reading blocks, so it gets a thread of its own. Ends behind the line that has the text.
  private static func read(_ pipe: Pipe, until text: String) async -> String {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "reader").async {
        var found = ""
        while !found.contains(text) || found.last != "\n" {
          let part = pipe.fileHandleForReading.availableData
          if part.isEmpty { break }
          found += String(decoding: part, as: UTF8.self)
        }
        continuation.resume(returning: found)
      }
    }
  }
}
