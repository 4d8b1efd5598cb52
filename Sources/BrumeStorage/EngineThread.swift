// A thread of our own for an engine: it waits for a disk or a server, which the threads of Swift's
// concurrency must not do.

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Starts threads that may wait.
package enum EngineThread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Starts `body` on a new thread. Answers false if the system has none to give.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let box = Unmanaged.passRetained(Body(body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(
      &thread, nil,
      { context in
        #if canImport(Darwin)
          let pointer: UnsafeMutableRawPointer? = context
        #else
          let pointer = context
        #endif
        if let pointer { Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, box.toOpaque())
    guard result == 0 else {
      box.release()
      return false
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
    return true
  }

  /// Runs `body` on a new thread and answers what it answers.
  ///
  /// - Throws: what `body` threw; `StoreError` if the system has no thread to give.
  package static func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      guard start({ continuation.resume(with: Result { try body() }) }) else {
        return continuation.resume(
          throwing: StoreError(.noRoom, "the system has no thread to give"))
      }
    }
  }
}
