// This runs a command in the foreground: same terminal, same process group, signals passed on, and its
// exit status as a shell would report it.

import BrumeServer
import BrumeStorage
import Dispatch
import UnixSignals

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

enum ChildProcess {
  /// - Returns: the exit status, or 128 plus the signal that ended the command.
  static func run(_ command: [String], environment: [String: String]) async throws -> Int32 {
    // Ctrl-C reaches the whole group; we wait for the command's own reaction to it.
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    let child = try spawn(command, environment)
    return await withTaskGroup(of: Int32?.self) { group in
      group.addTask(operation: {
        for await signal in signals where signal != .sigint { kill(child, signal.rawValue) }
        return nil
      })
      group.addTask(operation: { await status(of: child) })
      defer { group.cancelAll() }
      while let result = await group.next() {
        if let result { return result }
      }
      return 1
    }
  }

  private static func spawn(
    _ command: [String], _ environment: [String: String]
  ) throws -> pid_t {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What we block or ignore the command must not inherit.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var child = pid_t()
    let failure = posix_spawnp(&child, command[0], nil, &attributes, arguments, variables)
    guard failure == 0 else { throw notStarted(command[0], failure) }
    return child
  }

  /// With the status that a shell would end with.
  private static func notStarted(_ command: String, _ failure: Int32) -> StatusFailure {
    switch failure {
    case ENOENT where command.contains("/") && DiskFile.exists(command):
      StatusFailure(
        .notFound, "the program that the first line of '\(command)' names is not there; correct it")
    case ENOENT, ENOTDIR:
      StatusFailure(.notFound, "there is no command '\(command)'; check its name and PATH")
    case EACCES where DiskFile.isFolder(command):
      StatusFailure(.notExecutable, "'\(command)' is a folder; name a program")
    case EACCES:
      StatusFailure(
        .notExecutable, "'\(command)' may not be executed; 'chmod +x \(command)' allows it")
    case ENOEXEC:
      StatusFailure(
        .notExecutable,
        "'\(command)' is no program for this machine; a script begins with a line such as #!/bin/sh"
      )
    default:
      StatusFailure(
        .notExecutable, "'\(command)' cannot be started: \(SystemError.reason(failure))")
    }
  }

  /// Waiting blocks, so it gets a thread of its own: a serial queue has one.
  private static func status(of child: pid_t) async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "brume.child").async {
        continuation.resume(returning: wait(for: child))
      }
    }
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
