// Which version of the product this is. A test compares it with the first heading of CHANGELOG.md.

/// The version and the platform of this program.
package enum Release {
  package static let version = "unreleased"

  /// The system and the processor that the program was built for.
  package static var platform: String { "\(system) \(processor)" }

  private static var system: String {
    #if os(macOS)
      "macOS"
    #elseif os(Linux)
      "Linux"
    #else
      "other"
    #endif
  }

  private static var processor: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "arm64"
    #else
      "other"
    #endif
  }
}
