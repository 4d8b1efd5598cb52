// The console's files, from inside the binary. They may load nothing from elsewhere, run no code but
// their own, and make no code of texts (Trusted Types). The files are the same for everybody and say
// nothing about the server; what the console shows, it asks for as an operator.

import BrumeConsole
import BrumeCore
import BrumeModel
import Crypto
import HTTPTypes

enum ConsoleRoutes {
  static let path = "/_brume/console"
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    + "media-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    + "require-trusted-types-for 'script'; trusted-types 'none'"

  static func index(_ call: Call) async throws -> Reply {
    try reply("index.html", call)
  }

  static func file(_ call: Call) async throws -> Reply {
    let name = call.path.dropFirst(path.count).drop { $0 == "/" }
    return try reply(name.isEmpty ? "index.html" : String(name), call)
  }

  /// Browsers keep a file and ask whether it is still the same.
  private static func reply(_ name: String, _ call: Call) throws(BrumeError) -> Reply {
    guard let file = ConsoleFile.all[name] else {
      throw BrumeError(.notFound, "the console has no file '\(name.prefix(80))'; open \(path)/")
    }
    let isKnown = call.headers[.ifNoneMatch]?.contains(file.tag) == true
    var reply = Reply.page(
      isKnown ? [] : file.bytes, file.type, policy: policy, caching: "no-cache")
    reply.headers[.eTag] = file.tag
    reply.status = isKnown ? .notModified : .ok
    return reply
  }
}

/// A file of the console.
struct ConsoleFile: Sendable {
  let bytes: [UInt8]
  let type: String
  /// Changes with the bytes.
  let tag: String

  /// All files by their path below the console's.
  static let all: [String: ConsoleFile] = {
    var count = 0
    let files = UnsafeBufferPointer(start: brume_console_files(&count), count: count)
    return Dictionary(
      uniqueKeysWithValues: files.map { file in
        let path = String(cString: file.path)
        return (path, ConsoleFile(path, Array(String(cString: file.text).utf8)))
      })
  }()

  private init(_ path: String, _ bytes: [UInt8]) {
    self.bytes = bytes
    type = Self.types[path.split(separator: ".").last.map(String.init) ?? ""] ?? "text/plain"
    tag = "\"\(Hex.text(Array(SHA256.hash(data: bytes).prefix(16))))\""
  }

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css", "js": "text/javascript",
    "svg": "image/svg+xml",
  ]
}
