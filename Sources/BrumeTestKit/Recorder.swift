// Another side that answers calls as a test says, in order, and remembers them.

package import BrumePush
import Synchronization

/// Remembers calls. For calls from any thread.
package final class Recorder: Sendable {
  private let calls = Mutex<[OutsideCall]>([])

  package init() {}

  package var all: [OutsideCall] { calls.withLock { $0 } }

  /// Remembers the call, and answers it: the first with the first answer, those beyond the last with the
  /// last.
  package func answer(_ call: OutsideCall, from answers: [OutsideReply]) -> OutsideReply {
    calls.withLock { calls in
      calls.append(call)
      return answers[min(calls.count, answers.count) - 1]
    }
  }
}
