import BrumeCore
import BrumeTestKit
import BrumeWire
import Testing

struct PushSimulatorTests {
  private let form = PushSimulator.Form(
    encode: { PushPayload.encode($0) }, decode: { try PushPayload.decode($0) })

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func
    `N1 N2 N3 N4 N7 SUB-20 every device receives what it should, whenever the server crashes, seed`(
      _ seed: UInt64
    ) async throws
  {
    let outcome = try await PushSimulator.run(
      seed: seed, steps: 150, coders: .wireForms, form: form)
    #expect(outcome.failures.prefix(3) == [], "seed \(seed)")
    #expect(outcome.changes > 20 && outcome.pushes > 20 && outcome.crashes > 5)
  }

  @Test(arguments: PushSimulator.Fault.allCases)
  func `the simulator notices that`(_ fault: PushSimulator.Fault) async throws {
    var failures = 0
    for seed in 1...12 as ClosedRange<UInt64> where failures == 0 {
      failures += try await PushSimulator.run(
        seed: seed, steps: 150, fault: fault, coders: .wireForms, form: form
      ).failures.count
    }
    #expect(failures > 0)
  }
}
