// Another side that answers calls as a test says, in order, and remembers them.

package import BrumePush
import Synchronization

package final class Recorder: Sendable {
  private let calls = Mutex<[OutsideCall]>([])

  package init() {}

  package var all: [OutsideCall] { calls.withLock { $0 } }

  package func answer(_ call: OutsideCall, from answers: [OutsideReply]) -> OutsideReply {
    calls.withLock { calls in
      calls.append(call)
      return answers[min(calls.count, answers.count) - 1]
    }
  }
}
