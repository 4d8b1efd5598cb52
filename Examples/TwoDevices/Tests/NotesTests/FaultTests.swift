// What can go wrong, in order. `LocalServer` is a server inside the test: no port, no other process.

import BrumeTesting
import CloudKit
import Notes
import Testing

@Suite(.timeLimit(.minutes(1))) struct FaultTests {
  @Test func `the second save conflicts, then the network drops, then the token expires`()
    async throws
  {
    let server = try await LocalServer()
    let notes = NoteStore(container: try await server.device("phone", of: "alice"))
    try await notes.launch()
    server.faults.add(
      .conflict.skipping(1), .error(.networkFailure, on: .saveRecords), .expiredToken)
    try await notes.add("Milk")
    try await notes.rename("Milk", to: "Oat milk")
    try await notes.refresh()
    #expect(await notes.texts == ["Oat milk"])
    #expect(server.faults.waiting == 0)
  }
}
