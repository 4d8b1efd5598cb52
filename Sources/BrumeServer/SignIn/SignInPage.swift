// The page's files and answers, with headers that let it load nothing from elsewhere, run no code but
// its own script, and stand in nobody's frame.

import BrumeConsole
import BrumeModel
import BrumeWire
import HTTPTypes

enum SignInPage {
  /// What kept a person's browser from its next step: `ErrorReply` shows it as a page.
  struct Failure: Error {
    let error: any Error
  }

  static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  static let empty = reply(EmbeddedFile.bytes(brume_signin_page), "text/html; charset=utf-8")

  static func file(_ path: Substring) throws(BrumeError) -> Reply {
    switch path.split(separator: "/").last {
    case "signin.js": reply(EmbeddedFile.bytes(brume_signin_script), "text/javascript")
    case "signin.css": reply(EmbeddedFile.bytes(brume_signin_style), "text/css")
    default: throw BrumeError(.notFound, "the sign-in page has no such file")
    }
  }

  static func json(_ json: JSON) -> Reply {
    reply(json.bytes(), "application/json")
  }

  static func redirect(_ address: String) -> Reply {
    var reply = reply([], "text/plain")
    reply.status = .seeOther
    reply.headers[.location] = address
    return reply
  }

  /// A page whose script finds its outcome in an attribute.
  static func outcome(_ json: JSON) -> Reply {
    let text = escaped(String(decoding: json.bytes(), as: UTF8.self))
    let html = """
      <!doctype html>
      <html lang="en"><head><meta charset="utf-8"><title>Sign in</title>
      <meta name="referrer" content="no-referrer">
      <link rel="stylesheet" href="file/signin.css"><script src="file/signin.js" defer></script>
      </head><body data-outcome="\(text)"><main><h1>Sign in</h1><p id="message" role="status"></p>
      </main></body></html>
      """
    return reply(Array(html.utf8), "text/html; charset=utf-8")
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private static func reply(_ bytes: [UInt8], _ type: String) -> Reply {
    .unframed(bytes, type, policy: policy, caching: "no-store")
  }
}
