// One run in a copy of this process.

import CSimulation
import Foundation

struct Child {
  let order: Life.Order
  private let process: Int32
  private let file: Int32
  /// Ours: seconds that a run may take, on a busy machine too.
  private static let patience: UInt32 = 300

  init(_ order: Life.Order) {
    self.order = order
    var ends: [Int32] = [0, 0]
    pipe(&ends)
    let process = simulation_fork()
    if process == 0 {
      close(ends[0])
      // The number of steps ends a run that goes on; one that hangs within a step ends by this, and is a failure.
      alarm(Self.patience)
      let outcome = Life.outcome(order)
      let bytes = Array(outcome.text.utf8)
      var sent = 0
      while sent < bytes.count {
        let count = bytes[sent...].withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        if count <= 0 { break }
        sent += count
      }
      _exit(0)
    }
    close(ends[1])
    self.process = process
    file = ends[0]
  }

  func outcome() -> Life.Outcome {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count <= 0 { break }
      bytes += buffer[..<count]
    }
    close(file)
    var status: Int32 = 0
    waitpid(process, &status, 0)
    return Life.Outcome(text: String(decoding: bytes, as: UTF8.self))
      ?? Life.Outcome(failures: ["the process ended by itself, status \(status)"], isCrash: true)
  }
}
