// The way from libFuzzer's function, which is a C function, into tasks and back.

import Dispatch
import Synchronization

enum Waiting {
  /// Ends when `body` does; nil if it threw. What takes too long is libFuzzer's to notice.
  static func value<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) -> Value? {
    let (done, result) = (DispatchSemaphore(value: 0), Result<Value>())
    Task.detached {
      let value = try? await body()
      result.value.withLock { $0 = value }
      done.signal()
    }
    done.wait()
    return result.value.withLock { $0 }
  }

  private final class Result<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
  }
}
