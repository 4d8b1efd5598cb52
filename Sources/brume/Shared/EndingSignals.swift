// Signals that end the process, such as a trap's: something may be done before, and then they end it as they would have.

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum EndingSignals {
  private static let all = [
    SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGTERM,
  ]

  // Written before the handler is there, which is the only one that reads them.
  private nonisolated(unsafe) static var before: @convention(c) () -> Void = {}
  private nonisolated(unsafe) static let old = UnsafeMutablePointer<sigaction>.allocate(
    capacity: Int(all.max() ?? 0) + 1)

  /// To be called once. A signal that is ignored, or that somebody asks for later, stays theirs.
  ///
  /// - Parameter before: takes no lock, because any thread may have been interrupted anywhere.
  static func handle(by before: @escaping @convention(c) () -> Void) {
    self.before = before
    for number in all {
      var action = sigaction()
      sigaction(number, nil, &action)
      (old + Int(number)).initialize(to: action)
      guard !isIgnored(action) else { continue }
      action = handler()
      sigaction(number, &action, nil)
    }
  }

  private static func end(_ number: Int32) {
    before()
    sigaction(number, old + Int(number), nil)
    // It comes when the handler returns.
    raise(number)
  }

  private static func handler() -> sigaction {
    var action = sigaction()
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = { EndingSignals.end($0) }
    #else
      action.__sigaction_handler.sa_handler = { EndingSignals.end($0) }
    #endif
    return action
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    #if canImport(Darwin)
      let handler = action.__sigaction_u.__sa_handler
    #else
      let handler = action.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
