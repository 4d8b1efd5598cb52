// Where a bucket is and how it is asked: read from a setting such as
// `s3://photos/brume?endpoint=https://minio.example:9000&region=eu-west-1&style=path`.

import BrumeModel

/// The place of a bucket.
package struct S3Address: Equatable, Sendable {
  package let bucket: String
  /// In front of every object's name; empty, or ending with a slash.
  package let prefix: String
  /// Scheme, host and port.
  package let endpoint: String
  package let region: String
  /// True: the bucket is in the path; false: it is in the host's name.
  package let isInPath: Bool

  /// A text that is no such address.
  package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
    package let description: String
    package init(description: String) { self.description = description }
  }

  /// Reads `s3://BUCKET[/PREFIX][?endpoint=URL][&region=NAME][&style=path|host]`.
  ///
  /// Without an endpoint it is Amazon's of the region, asked by host; with one it is asked by path
  /// unless `style=host` says otherwise, as most compatible services want it.
  package init(_ text: String) throws(Malformed) {
    let whole = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard whole[0].hasPrefix("s3://") else {
      throw Malformed(description: "'\(text)' does not begin with s3://")
    }
    let place = whole[0].dropFirst(5).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = String(place[0])
    var folder = place.count > 1 ? place[1] : ""
    while folder.hasSuffix("/") { folder.removeLast() }
    prefix = folder.isEmpty ? "" : folder + "/"
    guard !bucket.isEmpty, (bucket + prefix).utf8.allSatisfy(Self.isPlain) else {
      throw Malformed(
        description: "'\(text)' needs a bucket, named with letters, digits, '.', '-', '_'")
    }
    let options = try Self.options(whole.count > 1 ? whole[1] : "", of: text)
    region = options["region"] ?? "us-east-1"
    var endpoint = options["endpoint"] ?? "https://s3.\(region).amazonaws.com"
    if endpoint.hasSuffix("/") { endpoint.removeLast() }
    // Clients leave a scheme's own port out of Host, which is signed.
    for (scheme, port) in [("https://", ":443"), ("http://", ":80")]
    where endpoint.hasPrefix(scheme) && endpoint.hasSuffix(port) {
      endpoint.removeLast(port.count)
    }
    guard endpoint.hasPrefix("http://") || endpoint.hasPrefix("https://"),
      endpoint.split(separator: "/").count == 2
    else {
      throw Malformed(description: "the endpoint in '\(text)' must look like https://host:port")
    }
    self.endpoint = endpoint
    isInPath = (options["style"] ?? (options["endpoint"] == nil ? "host" : "path")) == "path"
  }

  private static func options(
    _ text: Substring, of whole: String
  ) throws(Malformed) -> [String: String] {
    var options: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      let isKnown =
        switch parts.first {
        case "endpoint", "region": parts.count == 2
        case "style": parts.count == 2 && ["path", "host"].contains(parts[1])
        default: false
        }
      guard isKnown else {
        throw Malformed(
          description:
            "'\(pair)' in '\(whole)' is unknown; there are endpoint=URL, region=NAME and "
            + "style=path or style=host")
      }
      options[parts[0]] = parts[1]
    }
    return options
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || ".-_/".utf8.contains(byte)
  }

  /// The host with its port, as requests name it.
  package var host: String {
    let server = String(endpoint.split(separator: "/")[1])
    return isInPath ? server : "\(bucket).\(server)"
  }
  /// Scheme and host.
  package var base: String { (endpoint.hasPrefix("https") ? "https://" : "http://") + host }
  /// The bucket's own path.
  var root: String { isInPath ? "/\(bucket)/" : "/" }
  /// Where an object is.
  package func path(of name: String) -> String { root + prefix + name }
}
