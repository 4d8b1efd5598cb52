// The JavaScript client, from inside the binary: one module and its types, for pages of any origin.
//
// A client is as old as the server that it comes from, so browsers ask each time whether theirs is
// still the newest, and get 304 if it is.

import BrumeConsole
import BrumeCore
import BrumeModel
import HTTPTypes

enum ClientRoutes {
  static let path = "/_brume/client"

  private struct File {
    let bytes: [UInt8]
    let type: String
    let tag: String

    init(_ file: (UnsafeMutablePointer<Int>) -> UnsafePointer<UInt8>, _ type: String) {
      bytes = EmbeddedFile.bytes(file)
      self.type = type
      var hash = StableHash()
      hash.add(String(decoding: bytes, as: UTF8.self))
      tag = "\"\(hash.hexDigits)\""
    }
  }
  private static let module = File(brume_client_module, "text/javascript; charset=utf-8")
  private static let types = File(brume_client_types, "text/plain; charset=utf-8")

  static func file(_ call: Call) async throws -> Reply {
    let path = call.path
    switch path.split(separator: "/").last {
    case "brume.js": return reply(module, call)
    case "brume.d.ts": return reply(types, call)
    default:
      throw BrumeError(
        .notFound,
        "the client has no file '\(ErrorReply.shown(String(path)))'; there are brume.js and brume.d.ts"
      )
    }
  }

  private static func reply(_ file: File, _ call: Call) -> Reply {
    var reply = Reply.page(
      file.bytes, file.type, policy: "default-src 'none'", caching: "public, no-cache")
    reply.headers[.eTag] = file.tag
    // Also where the request names no origin: a copy in a cache is then good for every page.
    reply.headers[.accessControlAllowOrigin] = "*"
    if call.headers[.ifNoneMatch]?.contains(file.tag) == true {
      reply.status = .notModified
      reply.body = .bytes([])
    }
    return reply
  }
}
