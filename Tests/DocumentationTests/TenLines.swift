// Text docs/testing.md 2
// Text Sources/BrumeKit/BrumeKit.docc/TestingYourSyncCode.md 1
import BrumeTesting
import CloudKit
import Testing

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
// End
