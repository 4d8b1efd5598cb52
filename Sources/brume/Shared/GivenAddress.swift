// A server's address as somebody gives it. What cannot be one is wrong use, and not a server that does not answer.

import ArgumentParser
import FoundationEssentials

enum GivenAddress {
  private static let schemes = ["http", "https", "http+unix"]

  /// Scheme, host and port, to write a path behind.
  ///
  /// - Parameter name: the option or variable that has it.
  /// - Throws: `ValidationError`.
  static func checked(_ text: String, from name: String) throws -> String {
    var address = text
    while address.last == "/" { address.removeLast() }
    guard let url = URL(string: address, encodingInvalidCharacters: false),
      schemes.contains(url.scheme?.lowercased() ?? ""), url.host?.isEmpty == false
    else {
      throw ValidationError(
        "\(name) is '\(text)'; write scheme, host and port, such as http://127.0.0.1:8787 or "
          + "https://brume.example.org")
    }
    return address
  }
}
