// Answers of the other side that could not be noted, because a page of the store is damaged: the push is still in its mailbox.
// As long as the process lives it is not sent a second time; only the noting is tried again, ever more seldom.

import BrumeModel
import BrumeStorage
import Synchronization

/// The last answer of each lane that could not be noted.
struct UnnotedAnswers: Sendable {
  private let most: Int
  private var answers: [DeliveryWorker.Lane: (id: String, answer: ChannelAnswer)] = [:]

  /// - Parameter most: lanes that are remembered. What is more is sent again, with the same ID.
  init(upTo most: Int) { self.most = most }

  /// The answer to what was sent under an ID.
  func answer(_ lane: DeliveryWorker.Lane, _ id: String) -> ChannelAnswer? {
    answers[lane].flatMap { $0.id == id ? $0.answer : nil }
  }

  mutating func keep(_ answer: ChannelAnswer, _ lane: DeliveryWorker.Lane, _ id: String) {
    switch answer.verdict {
    case .retry, .busy: return
    case .done, .gone, .refused, .tooLarge: break
    }
    if answers.count < most || answers[lane] != nil { answers[lane] = (id, answer) }
  }

  mutating func forget(_ lane: DeliveryWorker.Lane) { answers[lane] = nil }
}

extension DeliveryWorker {
  /// Sends something, unless that was done and only not noted, and notes the answer.
  ///
  /// - Parameters:
  ///   - id: no other push of the lane has it.
  ///   - note: gets the answer, and when sending began; nil: that was reported before.
  func sendOnce(
    to lane: Lane, _ id: String, since start: Milliseconds, send: () async throws -> ChannelAnswer,
    note: (ChannelAnswer, Milliseconds?) async throws -> DeliveryQueue<Lane>.Outcome
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    let known = unnoted.withLock { $0.answer(lane, id) }
    let answer = if let known { known } else { try await send() }
    do {
      let outcome = try await note(answer, known == nil ? start : nil)
      // Also of another push: the lane is past the one whose answer was kept.
      unnoted.withLock { $0.forget(lane) }
      return outcome
    } catch let error where error.saysDamage {
      unnoted.withLock { $0.keep(answer, lane, id) }
      throw error
    }
  }
}
