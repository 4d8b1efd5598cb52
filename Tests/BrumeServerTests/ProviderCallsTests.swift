// How many sign-ins may make the server call a provider.

import BrumeCore
import BrumeModel
import NIOCore
import Testing

@testable import BrumeServer

@Suite struct ProviderCallsTests {
  private let here = ClientAddress(peer: nil, forwarded: nil, trustedProxies: [])

  private func calls(_ adjust: (inout Limits) -> Void) -> ProviderCalls {
    var limits = Limits.apple
    adjust(&limits)
    return ProviderCalls(
      limits: limits, host: Host(now: { 1000 }, uuid: { "" }, randomBytes: { _ in [] }))
  }

  @Test func `no more than the limit talk to the provider at once`() throws {
    let calls = calls { $0.providerCalls = 2 }
    let first = try calls.begin(from: here)
    _ = try calls.begin(from: here)
    let error = #expect(throws: BrumeError.self) { try calls.begin(from: here) }
    #expect(error?.code == .throttled && error?.retryAfter == 1)
    first.end()
    _ = try calls.begin(from: here)
  }

  @Test func `an address and all together have a rate`() throws {
    for calls in [
      calls { $0.providerCallsBurstPerAddress = 3 }, calls { $0.providerCallsBurst = 3 },
    ] {
      for _ in 1...3 { try calls.begin(from: here).end() }
      let error = #expect(throws: BrumeError.self) { try calls.begin(from: here) }
      #expect(error?.code == .throttled)
    }
  }

  @Test func `the rate of an address is one a second, that of all twenty`() throws {
    for (calls, wait) in [
      (calls { $0.providerCallsBurstPerAddress = 1 }, 1.0),
      (calls { $0.providerCallsBurst = 1 }, 0.05),
    ] {
      try calls.begin(from: here).end()
      let error = #expect(throws: BrumeError.self) { try calls.begin(from: here) }
      #expect(error?.retryAfter == wait)
    }
  }
}
