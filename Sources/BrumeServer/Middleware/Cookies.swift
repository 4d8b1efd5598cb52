// The cookies of a request. A value is believed by nobody: whoever reads one says how it has to look.

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
