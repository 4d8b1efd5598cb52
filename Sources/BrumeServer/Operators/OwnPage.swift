// Whether a request comes from a page of this server. Browsers say which page makes a call, older ones by
// its origin; other programs say nothing, and have no page to be fooled.

import BrumeModel
import HTTPTypes

enum OwnPage {
  /// - Parameters:
  ///   - authority: the request's Host.
  ///   - serverURL: what clients write in front of a path.
  static func isSender(
    of headers: HTTPFields, authority: String?, serverURL: String
  ) -> Bool {
    if let site = headers[.fetchSite] { return site == "same-origin" || site == "none" }
    guard let origin = headers[.origin] else { return true }
    let host = authority ?? ""
    return ["http://\(host)", "https://\(host)", serverURL].contains(origin)
  }
}

extension Call {
  /// Whether a page of this server may have sent it.
  func isFromPage(of server: ServerAddress) -> Bool {
    OwnPage.isSender(of: headers, authority: authority, serverURL: server.url)
  }
}
