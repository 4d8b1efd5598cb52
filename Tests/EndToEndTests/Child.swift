// A process with its output in pipes. Foundation's `Process` looks through all open descriptors when
// it starts one, and on Linux reads past the end of the list when there are hundreds, as there are
// while the other end-to-end tests run.

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct Child: Sendable {
  /// One start at a time, so that no process gets the pipes of another and keeps them open.
  private static let starting = Mutex(())
  let id: pid_t
  let output: FileHandle
  let talk: FileHandle

  init(_ path: String, _ arguments: [String], _ environment: [String: String]) throws {
    self = try Self.starting.withLock { _ in try Child(starting: path, arguments, environment) }
  }

  private init(
    starting path: String, _ arguments: [String], _ environment: [String: String]
  ) throws {
    let (output, talk) = (Pipe(), Pipe())
    for pipe in [output, talk] {
      for handle in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
        _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
      }
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
    posix_spawn_file_actions_adddup2(&actions, talk.fileHandleForWriting.fileDescriptor, 2)
    Self.closeOthers(in: &actions)
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var child = pid_t()
    let failure = posix_spawn(&child, path, &actions, nil, words, variables)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .ENOENT) }
    try output.fileHandleForWriting.close()
    try talk.fileHandleForWriting.close()
    id = child
    self.output = output.fileHandleForReading
    self.talk = talk.fileHandleForReading
  }

  /// Connections of servers in this process: whoever inherits one keeps its client from noticing that the server
  /// has closed it.
  private static func closeOthers(in actions: inout posix_spawn_file_actions_t) {
    #if canImport(Glibc)
      // One that is closed meanwhile does no harm here; elsewhere it would keep the program from starting.
      let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
      for descriptor in open.compactMap({ Int32($0) }) where descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    #endif
  }

  /// Waits for the end. A signal counts as a shell counts it: 128 and its number.
  func status() -> Int32 {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}
