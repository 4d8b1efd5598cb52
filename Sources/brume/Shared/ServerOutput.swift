// The outputs of a process that serves: what it says at its start, and its log. Threads of their own write them, so that the
// server goes on when nobody reads. What was said before the process ends is written first, for as long as somebody reads.

import BrumeCore
import BrumeModel
import BrumeServer
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

final class ServerOutput: Sendable {
  /// For standard output.
  let announcements: LogWriter
  /// For standard error.
  let talk: LogWriter

  /// Nil: the process is no server's. Handlers of signals ask for it, so there is no lock.
  static var current: ServerOutput? {
    installed.load(ordering: .acquiring)?.takeUnretainedValue()
  }
  private static let installed = Atomic<Unmanaged<ServerOutput>?>(nil)

  /// Ours: how long the end of the process waits for readers, in milliseconds.
  private static let patience = 2000

  /// From here on until the process ends.
  static func begin(_ settings: Settings) {
    guard let output = ServerOutput(settings) else { return }
    installed.store(Unmanaged.passRetained(output), ordering: .releasing)
    atexit { ServerOutput.end() }
    EndingSignals.handle { ServerOutput.end() }
  }

  /// Two descriptors of one file, such as a terminal, have one writer, which keeps their lines in order. Others do not wait
  /// for one another.
  private init?(_ settings: Settings) {
    let format = settings.logFormat
    func writer(_ descriptor: Int32) -> LogWriter? {
      LogWriter(to: descriptor, settings.limits, now: Host.real.now) {
        Logs.line(about: $0, format)
      }
    }
    guard let talk = writer(STDERR_FILENO) else { return nil }
    let isShared = Self.file(STDOUT_FILENO) == Self.file(STDERR_FILENO)
    guard let announcements = isShared ? talk : writer(STDOUT_FILENO) else { return nil }
    (self.talk, self.announcements) = (talk, announcements)
  }

  /// Counts the lines that were lost since the process began.
  static var lost: (@Sendable () -> Int64)? {
    guard let current else { return nil }
    let (talk, announcements) = (current.talk, current.announcements)
    return { talk === announcements ? talk.lost : talk.lost + announcements.lost }
  }

  private static func end() {
    guard let current else { return }
    current.announcements.waitUntilWritten(patience)
    if current.talk !== current.announcements { current.talk.waitUntilWritten(patience) }
  }

  /// Which file a descriptor is open on.
  private static func file(_ descriptor: Int32) -> [UInt64]? {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { return nil }
    return [UInt64(truncatingIfNeeded: facts.st_dev), UInt64(truncatingIfNeeded: facts.st_ino)]
  }
}
