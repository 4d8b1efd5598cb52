// Which fetched files go when there are too many. Programs may share the folder: none of them removes
// a file while another one hands it out.

import Foundation
import Synchronization

extension AssetCache {
  /// Ours: a file stays for so long after it was asked for, beyond the limit too: the app may still have to copy it.
  static let keptSeconds = 3600.0
  /// Ours: what is being fetched for so long was left by a program that ended.
  static let leftSeconds = 86_400.0
  private static let lockName = ".lock"
  /// Of all folders of the process.
  private static let turns = Mutex(PruneTurns())

  /// Looks at files and gives them to holders.
  func whileNoneGoes<Value>(_ body: () throws -> Value) throws -> Value {
    try locked(LOCK_SH, body)
  }

  /// A file has come: looks through the folder when it is time to.
  func makeRoom(after bytes: Int64, _ now: Date) {
    let folder = directory.path
    let isDue = Self.turns.withLock { $0.isDue(in: folder, after: bytes, of: limitBytes) }
    guard isDue else { return }
    let names = prune(now)
    Self.turns.withLock { $0.found(names, in: folder) }
  }

  /// Removes files beyond the limits, unless they were asked for lately.
  ///
  /// - Returns: how many names were read.
  @discardableResult func prune(_ now: Date) -> Int {
    let read = try? locked(LOCK_EX) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
      removeLeftovers(among: names, now)
      removeExcess(among: names, now)
      return names.count
    }
    return read ?? 0
  }

  /// A file system without locks goes without.
  private func locked<Value>(_ kind: Int32, _ body: () throws -> Value) throws -> Value {
    let place = directory.appending(path: Self.lockName)
    let descriptor = open(place.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Self.cannotWrite(place) }
    defer { close(descriptor) }
    while flock(descriptor, kind) != 0, errno == EINTR {}
    return try body()
  }

  private func removeExcess(among names: [String], _ now: Date) {
    let folder = directory.path
    let known = names.filter { !$0.hasPrefix(".") }.compactMap {
      name -> (path: String, number: UInt64, size: Int64, date: Double)? in
      let path = "\(folder)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0 else { return nil }
      return (path, UInt64(status.st_ino), Int64(status.st_size), Self.touched(status))
    }.sorted { ($0.date, $0.number) > ($1.date, $1.number) }
    var sum: Int64 = 0
    var seen: Set<UInt64> = []
    for (index, file) in known.enumerated() {
      // The names of one file have its room and its time together.
      if seen.insert(file.number).inserted { sum += file.size }
      let isExcess = sum > limitBytes || index >= limitNames
      if isExcess, now.timeIntervalSince1970 - file.date >= Self.keptSeconds { unlink(file.path) }
    }
  }

  /// Removes what programs that were killed had begun to fetch.
  private func removeLeftovers(among names: [String], _ now: Date) {
    for name in names where name.hasPrefix(".") && name != Self.lockName {
      let path = directory.appending(path: name).path
      var status = stat()
      guard lstat(path, &status) == 0,
        now.timeIntervalSince1970 - Self.touched(status) >= Self.leftSeconds
      else { continue }
      unlink(path)
    }
  }

  private static func touched(_ status: stat) -> Double {
    #if canImport(Darwin)
      return Double(status.st_atimespec.tv_sec)
    #else
      return Double(status.st_atim.tv_sec)
    #endif
  }
}
