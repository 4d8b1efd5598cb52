// Where calls go: a server's host and port, or its Unix socket. Calls of one address share connections.

import Foundation

struct PlainAddress: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    case host(String, port: Int)
    case unixSocket(String)
  }
  let place: Place
  /// What the header Host says.
  let authority: String

  init(_ call: HTTPCall) throws(PlainFailure) {
    guard let url = URL(string: call.base), let host = url.host, !host.isEmpty else {
      throw .invalidAddress
    }
    switch url.scheme?.lowercased() {
    case "http+unix":
      place = .unixSocket(host.removingPercentEncoding ?? host)
      authority = "localhost"
    case "http":
      let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      place = .host(name, port: url.port ?? 80)
      let shown = name.contains(":") ? "[\(name)]" : name
      authority = url.port.map { "\(shown):\($0)" } ?? shown
    case "https": throw .noTLS
    default: throw .invalidAddress
    }
  }
}
