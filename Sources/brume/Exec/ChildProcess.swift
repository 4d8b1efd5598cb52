// Runs a command in the foreground: same terminal, same process group, signals passed on, and its
// exit status as a shell would report it.

import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum ChildProcess {
  /// - Returns: the exit status, or 128 plus the signal that ended the command.
  static func run(_ command: [String], environment: [String: String]) async throws -> Int32 {
    // Ctrl-C reaches the whole group; we wait for the command's own reaction to it.
    let passedOn = [SIGINT, SIGTERM, SIGHUP]
    for number in passedOn { signal(number, SIG_IGN) }
    let child = try spawn(command, environment, defaults: passedOn)
    let sources = [SIGTERM, SIGHUP].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { kill(child, number) }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    return await withCheckedContinuation { continuation in
      // Waiting blocks a thread, so it gets one of its own.
      DispatchQueue(label: "brume.child").async {
        continuation.resume(returning: wait(for: child))
      }
    }
  }

  private static func spawn(
    _ command: [String], _ environment: [String: String], defaults: [Int32]
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What we ignore the command must not inherit as ignored.
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in defaults { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child = pid_t()
    let failure = posix_spawnp(&child, command[0], nil, &attributes, arguments, variables)
    guard failure == 0 else {
      throw CommandFailure(
        "'\(command[0])' cannot be started (\(String(cString: strerror(failure)))); check its name")
    }
    return child
  }

  private static func wait(for child: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 {
      guard errno == EINTR else { return 1 }
    }
    let number = status & 0x7f
    return number == 0 ? (status >> 8) & 0xff : 128 + number
  }
}
