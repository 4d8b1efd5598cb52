// `brume push tail --user`: who reads that it waits may change something.

import Foundation
import Testing

@Suite struct PushTailTests {
  @Test func `a device that the server does not take is not said to wait`() async throws {
    try await Shell.serving { brume in
      let name = String(repeating: "d", count: 300)
      let tail = try await brume("push", "tail", "--user", "alice", "--device", name)
      tail.expect(1, "the maximum is 255")
      #expect(!tail.talk.contains("waiting"), "\(tail.talk)")
    }
  }
}
