// The answer to a request that is refused before any route sees it. The connection ends with it.

import BrumeModel
import BrumeWire
import HTTPTypes
import NIOHTTP1

/// An answer instead of the routes'.
struct Refusal {
  private let status: Int
  private let error: BrumeError

  init(_ status: Int, _ error: BrumeError) {
    self.status = status
    self.error = error
  }

  /// - Parameters:
  ///   - status: what the rules decided.
  ///   - hosts: how many Host headers came.
  init(_ status: Int, of head: HTTPRequest, hosts: Int) {
    self.init(status, Self.reason(status, head, hosts))
  }

  /// Of bytes that are no HTTP.
  init(of error: HTTPParserError) {
    switch error {
    case .headerOverflow:
      self.init(
        431,
        BrumeError(
          .badRequest, "the headers of the request are too long; send what is long in its body"))
    default:
      self.init(
        400,
        BrumeError(
          .badRequest,
          "the request is no HTTP/1.1 that this server can read (\(error)); send a request line, headers "
            + "and a body as RFC 9112 writes them"))
    }
  }

  /// - Parameter uuid: the request's ID; nobody else has named it.
  func answer(uuid: String) -> (head: HTTPResponse, body: [UInt8]) {
    let body = Wire.error(error, uuid: uuid)
    let head = HTTPResponse(
      status: .init(code: status),
      headerFields: [
        .connection: "close", .contentType: "application/json", .contentLength: "\(body.count)",
        .requestUUID: uuid,
      ])
    return (head, body)
  }

  private static func reason(_ status: Int, _ head: HTTPRequest, _ hosts: Int) -> BrumeError {
    switch status {
    case 403:
      BrumeError(
        .accessDenied,
        "this server is not called '\(NameRules.shown(head.authority ?? ""))'; its operator can allow that "
          + "name with \(Setting.allowedHosts.flag)")
    case 414:
      BrumeError(
        .badRequest, "the address of the request is too long; send what is long in its body")
    case 417:
      BrumeError(
        .badRequest,
        "this server knows no expectation but '100-continue'; send the request without the header 'Expect'"
      )
    case 501:
      BrumeError(
        .badRequest,
        "this server reads no 'Transfer-Encoding' but 'chunked'; send the body as it is, with its length or "
          + "in chunks")
    default:
      BrumeError(.badRequest, "the request has \(hosts) Host headers; send exactly one")
    }
  }

  /// Of a connection on which no request came.
  static let nothingTaken = BrumeError(
    .tryAgainLater,
    "no request came in time on this connection, so none was carried out; send it again on a new "
      + "connection")
}
