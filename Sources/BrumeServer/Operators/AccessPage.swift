// The page where operators sign in, and where the first one is made. Its files load nothing from elsewhere,
// run no code but their own script, and stand in nobody's frame.

import BrumeConsole
import BrumeModel
import HTTPTypes

enum AccessPage {
  static let path = "/_brume/console/signin"
  private static let policy =
    SignInPage.policy + "; require-trusted-types-for 'script'; trusted-types 'none'"

  /// The address that a one-time link leads to. What stands behind # never leaves the browser by itself.
  static func link(_ secret: String, on server: ServerAddress) -> String {
    "\(server.url)\(path)#\(secret)"
  }

  /// The address that an invitation leads to.
  static func invitation(_ secret: String, on server: ServerAddress) -> String {
    "\(server.url)\(path)#invitation.\(secret)"
  }

  static func page(_ call: Call) async throws -> Reply {
    reply(EmbeddedFile.bytes(brume_access_page), "text/html; charset=utf-8")
  }

  static func file(_ call: Call) async throws -> Reply {
    switch call.path.split(separator: "/").last {
    case "access.js": return reply(EmbeddedFile.bytes(brume_access_script), "text/javascript")
    case "access.css": return reply(EmbeddedFile.bytes(brume_access_style), "text/css")
    default: throw BrumeError(.notFound, "the operators' page has no such file; open \(path)")
    }
  }

  private static func reply(_ bytes: [UInt8], _ type: String) -> Reply {
    .unframed(bytes, type, policy: policy, caching: "no-cache")
  }
}
