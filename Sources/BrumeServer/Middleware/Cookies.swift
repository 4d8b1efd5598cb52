// The cookies of a request. A value is believed by nobody: whoever reads one says how it has to look. And what makes
// a browser keep one of ours.

import HTTPTypes

extension HTTPFields {
  /// Secrets of ours are 64 characters; what else has the name is somebody else's.
  private static let cookieLength = 64

  /// The first cookie of this name that can be one of ours.
  func cookie(_ name: String) -> String? {
    for header in self[values: .cookie] {
      for pair in header.split(separator: ";") {
        let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0] == name, parts[1].utf8.count == Self.cookieLength else {
          continue
        }
        return String(parts[1])
      }
    }
    return nil
  }
}

enum OwnCookie {
  /// What makes a browser keep a secret. Over TLS it has the path / for the prefix of its name.
  ///
  /// - Parameters:
  ///   - path: where it is sent without TLS.
  ///   - seconds: 0 makes the browser forget.
  static func header(
    _ name: String, _ secret: String, isSecure: Bool, path: String, sameSite: String, seconds: Int64
  ) -> String {
    "\(name)=\(secret); Path=\(isSecure ? "/" : path); Max-Age=\(seconds); HttpOnly; "
      + "SameSite=\(sameSite)" + (isSecure ? "; Secure" : "")
  }
}
