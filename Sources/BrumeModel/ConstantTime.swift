// Comparing secrets without telling, by the time it takes, where they first differ.

/// Compares secrets.
package enum ConstantTime {
  /// Whether two secrets are the same. Their lengths are no secret.
  package static func areEqual(_ a: some Collection<UInt8>, _ b: some Collection<UInt8>) -> Bool {
    a.count == b.count && zip(a, b).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
  }
}
