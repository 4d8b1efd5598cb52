// The real clock, identity and chance.

package import BrumeCore
import FoundationEssentials

extension Host {
  package static let real = Host(
    now: { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) },
    uuid: { UUID().uuidString },
    randomBytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    })
}
