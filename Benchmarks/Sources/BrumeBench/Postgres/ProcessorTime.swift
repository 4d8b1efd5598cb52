// Processor time of processes, as Linux counts it.

import Foundation

enum ProcessorTime {
  private static let ticksPerSecond = Double(sysconf(Int32(_SC_CLK_TCK)))

  /// Seconds that a process has used.
  static func of(_ process: Int32) -> Double { seconds(stat(process), 11...12) }

  /// Seconds that a process and its children have used, those that ended too.
  static func ofFamily(of process: Int32) -> Double {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    let children = processes.compactMap { Int32($0) }.map(stat)
      .filter { $0.count > 1 && $0[1] == "\(process)" }
    return children.reduce(seconds(stat(process), 11...14)) { $0 + seconds($1, 11...12) }
  }

  /// Seconds that this process has used.
  static var own: Double { of(getpid()) }

  /// What `/proc` says of a process, after its name, which may hold anything.
  private static func stat(_ process: Int32) -> [Substring] {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  private static func seconds(_ fields: [Substring], _ places: ClosedRange<Int>) -> Double {
    guard fields.count > places.upperBound else { return 0 }
    return fields[places].reduce(0) { $0 + (Double($1) ?? 0) } / ticksPerSecond
  }
}
