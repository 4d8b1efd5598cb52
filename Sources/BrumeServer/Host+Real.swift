// The real clock, identity and chance.

package import BrumeCore
import BrumeDelivery
import FoundationEssentials

extension Host {
  /// The machine's clock, and the system's chance.
  package static let real = Host(
    now: { Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)) },
    uuid: { randomUUID() },
    randomBytes: { count in
      var generator = SystemRandomNumberGenerator()
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    })
}

extension PushClock {
  /// The host's clock; sleeps in real time.
  init(_ host: Host) {
    self.init(now: host.now) { time in
      let now = host.now()
      // Any time may be asked for, also one so long ago that the difference is no number.
      try await Task.sleep(for: .milliseconds(time > now ? time - now : 0))
    }
  }
}

/// As `UUID()` makes it, which on Linux opens a device file each time.
private func randomUUID() -> String {
  var generator = SystemRandomNumberGenerator()
  let (high, low) = (generator.next() as UInt64, generator.next() as UInt64)
  // Version 4, variant 1.
  let (a, b) = (high & ~0xf000 | 0x4000, low & ~(0b11 << 62) | 0b10 << 62)
  func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
    UInt8(truncatingIfNeeded: word >> (56 - 8 * index))
  }
  return UUID(
    uuid: (
      byte(a, 0), byte(a, 1), byte(a, 2), byte(a, 3), byte(a, 4), byte(a, 5), byte(a, 6),
      byte(a, 7), byte(b, 0), byte(b, 1), byte(b, 2), byte(b, 3), byte(b, 4), byte(b, 5),
      byte(b, 6), byte(b, 7)
    )
  ).uuidString
}
