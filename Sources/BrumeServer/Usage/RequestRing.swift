// The newest requests of this server, in memory: the log that operators search by request ID. What is older,
// or was before the process began, is in the server's log file if its level is 'debug'.

import BrumeModel
import Synchronization

/// Keeps as many lines as it has room for, and forgets the oldest.
struct RequestRing: Sendable {
  private let capacity: Int
  private var lines: [RequestLine] = []
  private var last: Int64 = 0

  init(capacity: Int) { self.capacity = max(1, capacity) }

  mutating func append(_ line: RequestLine) {
    last += 1
    var line = line
    line.position = last
    if lines.count < capacity {
      lines.append(line)
    } else {
      lines[place(of: last)] = line
    }
  }

  /// When the oldest line came.
  var since: Milliseconds? {
    lines.isEmpty ? nil : lines[place(of: last - Int64(lines.count) + 1)].time
  }

  /// The newest that fit, newest first.
  ///
  /// - Parameters:
  ///   - after: only lines with a higher position.
  ///   - before: only lines with a lower position; nil: from the newest on.
  /// - Returns: the lines, and whether there are older ones that fit.
  func page(
    _ filter: RequestLineFilter, after: Int64, before: Int64?, limit: Int
  ) -> (lines: [RequestLine], more: Bool) {
    var found: [RequestLine] = []
    let oldest = max(after, last - Int64(lines.count))
    var position = min(last, (before ?? .max) - 1)
    while position > oldest {
      let line = lines[place(of: position)]
      position -= 1
      guard filter.takes(line) else { continue }
      if found.count == limit { return (found, true) }
      found.append(line)
    }
    return (found, false)
  }

  private func place(of position: Int64) -> Int { Int((position - 1) % Int64(capacity)) }
}

/// The ring of one server.
package final class RequestLog: Sendable {
  private let ring: Mutex<RequestRing>

  /// - Parameter capacity: lines that are kept.
  init(capacity: Int) { ring = Mutex(RequestRing(capacity: capacity)) }

  func append(_ line: RequestLine) { ring.withLock { $0.append(line) } }

  /// The ring as it is now, to be looked through without holding anybody up.
  var contents: RequestRing { ring.withLock { $0 } }
}
