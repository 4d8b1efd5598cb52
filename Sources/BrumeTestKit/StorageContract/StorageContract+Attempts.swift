// What engines promise that remember attempts to sign in for several processes.

import BrumeModel
import BrumeStorage

extension StorageContract {
  package static let attempts: [SharedCase] = [
    SharedCase("attempts at both are counted together, each once") { one, other in
      try await eachWriter(of: one, other) { _, store in
        for _ in 0..<10 {
          try await store.attempts.change([.sample(0)], limit: 100) { found, now in
            let count = found[.sample(0)]?.count ?? 0
            found[.sample(0)] = FailedAttempts(count: count + 1, last: now, until: now + 1000)
          }
        }
      }
      let (found, now) = try await one.attempts.change([.sample(0), .sample(1)], limit: 100) {
        ($0, $1)
      }
      try expectEqual(Array(found.keys), [.sample(0)], "keys that were counted")
      let entry = found[.sample(0)] ?? FailedAttempts(last: 0)
      try expectEqual(entry.count, 80, "attempts")
      try expectEqual(entry.until, entry.last + 1000, "pause")
      try expect(entry.last <= now, "the time goes on for both")
    },
    SharedCase("what an attempt leaves out is forgotten by both") { one, other in
      try await one.attempts.change([.sample(0)], limit: 100) { found, now in
        found[.sample(0)] = FailedAttempts(count: 3, last: now)
      }
      let before = try await other.attempts.change([.sample(0)], limit: 100) { found, _ in
        defer { found = [:] }
        return found[.sample(0)]?.count
      }
      try expectEqual(before, 3, "attempts")
      let after = try await one.attempts.change([.sample(0)], limit: 100) { found, _ in found }
      try expectEqual(after, [:], "attempts")
    },
    SharedCase("no more attempts are remembered than may be, the newest stay") { one, _ in
      let keys = (0..<30).map { AttemptKey.sample($0) }
      for (time, key) in keys.enumerated() {
        let known = try await one.attempts.change(keys, limit: 10) { found, _ in
          defer { found[key] = FailedAttempts(count: 1, last: Milliseconds(time)) }
          return Set(found.keys)
        }
        try expect(known.count <= 10, "\(known.count) are remembered")
        try expect(time == 0 || known.contains(keys[time - 1]), "the newest is forgotten")
      }
    },
  ]
}

extension Store {
  fileprivate var attempts: any SharedAttempts {
    get throws {
      guard let sharedAttempts else {
        throw StorageContract.Violation(description: "attempts are not shared")
      }
      return sharedAttempts
    }
  }
}

extension AttemptKey {
  fileprivate static func sample(_ number: Int) -> AttemptKey {
    AttemptKey(digest: [UInt8(number)])
  }
}
