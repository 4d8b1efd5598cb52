import Foundation
import Testing

@testable import BrumeKit

@Suite struct RetryPolicyTests {
  private func error(_ code: CKError.Code, after seconds: Double? = nil) -> CKError {
    CKError(code, userInfo: seconds.map { [CKErrorRetryAfterKey: $0] } ?? [:])
  }

  @Test(arguments: [QualityOfService.default, .userInitiated, .userInteractive])
  func `urgent work reports failures of the network`(quality: QualityOfService) {
    var policy = RetryPolicy(qualityOfService: quality, limitSeconds: 100)
    #expect(policy.failed(error(.networkFailure), elapsedSeconds: 0) == .fail)
    #expect(policy.failed(error(.zoneBusy, after: 2), elapsedSeconds: 0) == .fail)
  }

  @Test func `CHG-13 patient work waits longer each time, up to two minutes`() {
    var policy = RetryPolicy(qualityOfService: .utility, limitSeconds: 1_000_000)
    let pauses = (0..<9).map { _ in policy.failed(error(.networkFailure), elapsedSeconds: 0) }
    #expect(
      pauses
        == [2, 4, 8, 16, 32, 64, 120, 120, 120].map { RetryPolicy.Decision.retry(afterSeconds: $0) }
    )
  }

  @Test func `CHG-13 the server's wish to wait is honoured`() {
    var policy = RetryPolicy(qualityOfService: .background, limitSeconds: 1000)
    #expect(
      policy.failed(error(.serviceUnavailable, after: 30), elapsedSeconds: 0)
        == .retry(afterSeconds: 30))
  }

  @Test func `CHG-13 a short wish of the server does not cut a pause that has grown`() {
    var policy = RetryPolicy(qualityOfService: .utility, limitSeconds: 1000)
    let pauses = (0..<4).map { _ in policy.failed(error(.zoneBusy, after: 5), elapsedSeconds: 0) }
    #expect(pauses == [5, 5, 8, 16].map { RetryPolicy.Decision.retry(afterSeconds: $0) })
  }

  @Test func `retrying ends at the time limit of the operation`() {
    var policy = RetryPolicy(qualityOfService: .utility, limitSeconds: 10)
    #expect(policy.failed(error(.zoneBusy, after: 11), elapsedSeconds: 0) == .fail)
    #expect(policy.failed(error(.zoneBusy), elapsedSeconds: 9.5) == .fail)
  }

  @Test func `only work that nobody waits for has a limit for the whole`() {
    for (quality, isOver) in [
      (QualityOfService.userInteractive, false), (.userInitiated, false), (.default, true),
      (.utility, true), (.background, true),
    ] {
      let policy = RetryPolicy(qualityOfService: quality, limitSeconds: 10)
      #expect(policy.isOver(elapsedSeconds: 10) == isOver)
      #expect(!policy.isOver(elapsedSeconds: 9.9))
    }
  }

  @Test func `an error that will not pass is not tried again`() {
    var policy = RetryPolicy(qualityOfService: .utility, limitSeconds: 1000)
    for code in [CKError.Code.permissionFailure, .invalidArguments, .serverRecordChanged] {
      #expect(policy.failed(error(code), elapsedSeconds: 0) == .fail)
    }
  }
}
