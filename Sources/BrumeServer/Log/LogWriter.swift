// Writes the lines of a server to one output, on a thread of its own: whoever logs does not wait for who reads. A pipe that
// nobody reads, a stopped terminal or a full disk cost lines, which are counted, and nothing else.

package import BrumeModel
import BrumeStorage
import Dispatch
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One output of a server.
package final class LogWriter: Sendable {
  private let descriptor: Int32
  private let now: @Sendable () -> Milliseconds
  private let lines: Mutex<WaitingLines>
  private let wake = DispatchSemaphore(value: 0)
  /// Whether something was handed over that is not written yet.
  private let isBusy = Atomic(false)

  /// Starts the thread, which stays as long as the process. It waits in the system's call: the descriptor may be shared with
  /// other programs, and one that returns at once would do so for them too.
  ///
  /// - Parameters:
  ///   - limits: how many bytes may wait.
  ///   - note: the line that says how many are missing in its place.
  /// - Returns: nil if the system has no thread to give.
  package init?(
    to descriptor: Int32, _ limits: Limits, now: @escaping @Sendable () -> Milliseconds,
    note: @escaping @Sendable (LostLines) -> [UInt8]
  ) {
    self.descriptor = descriptor
    self.now = now
    lines = Mutex(WaitingLines(limits, note: note))
    guard EngineThread.start({ [self] in run() }) else { return nil }
  }

  /// Lines that were lost since the beginning.
  package var lost: Int64 { lines.withLock { $0.lost } }

  /// Hands over a line, or several, with their ends. They are written in the order of the calls.
  package func write(_ line: [UInt8]) {
    let time = now()
    let wakesWriter = lines.withLock { lines in
      isBusy.store(true, ordering: .releasing)
      return lines.add(line, at: time)
    }
    if wakesWriter { wake.signal() }
  }

  /// Waits until everything is written, though not for a reader that does not read. Handlers of signals call it, so it takes
  /// no lock: the thread that they interrupt may have it.
  ///
  /// - Parameter most: for how long, in milliseconds.
  package func waitUntilWritten(_ most: Int) {
    var waited = 0
    while isBusy.load(ordering: .acquiring), waited < most {
      poll(nil, 0, 1)
      waited += 1
    }
  }

  private func run() {
    Self.leaveSignalsToOthers()
    while true {
      let piece = lines.withLock { lines in
        let piece = lines.next()
        if piece == nil { isBusy.store(false, ordering: .releasing) }
        return piece
      }
      guard let piece else {
        wake.wait()
        continue
      }
      let written = Descriptor.write(piece.bytes[...], to: descriptor, waits: true).written
      let time = now()
      lines.withLock { $0.finish(piece, written: written, at: time) }
    }
  }

  /// A handler that waits for this thread must not run on it, and a reader that has gone is a failure of the call, and not
  /// the end of the server.
  private static func leaveSignalsToOthers() {
    var all = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_BLOCK, &all, nil)
  }
}
