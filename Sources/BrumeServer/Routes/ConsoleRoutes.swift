// The console's files, from inside the binary. They may load nothing from elsewhere and run no code
// but their own.

import BrumeConsole
import BrumeCore
import BrumeModel
import HTTPTypes

enum ConsoleRoutes {
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  static func index(_ call: Call) async throws -> Reply {
    reply(EmbeddedFile.bytes(brume_console_index), "text/html; charset=utf-8")
  }

  static func file(_ call: Call) async throws -> Reply {
    let path = call.target.prefix { $0 != "?" }
    switch path.split(separator: "/").last {
    case "console.js": return reply(EmbeddedFile.bytes(brume_console_script), "text/javascript")
    case "console.css": return reply(EmbeddedFile.bytes(brume_console_style), "text/css")
    default:
      throw BrumeError(.notFound, "the console has no file '\(path)'; open /_brume/console/")
    }
  }

  private static func reply(_ bytes: [UInt8], _ type: String) -> Reply {
    .page(bytes, type, policy: policy, caching: "no-cache")
  }
}
