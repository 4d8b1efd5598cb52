// Long-lived operations between two runs of a program: one file for each in the state directory, with
// what is to be done and, once it was done, when. The archive only keeps bytes; what they mean is BrumeKit's
// business.
//
// Finished ones are kept for a day, so that a program which ended too early can run them again and
// get their blocks called; then they are deleted (Apple: CKOperation header).

import BrumeModel
package import Foundation

/// The long-lived operations of one device.
package struct OperationArchive: Sendable {
  /// An operation that was written down.
  package struct Entry: Equatable, Sendable {
    package var id: String
    package var content: [UInt8]
    package var owner: Owner
    /// When it was written down first, before the server was asked; nil in archives of earlier versions, and if the clock
    /// was set back since.
    package var begun: Date?
    /// Nil while it is not finished.
    package var finished: Date?
    package init(
      id: String, content: [UInt8], owner: Owner = Owner(), begun: Date? = nil,
      finished: Date? = nil
    ) {
      self.id = id
      self.content = content
      self.owner = owner
      self.begun = begun
      self.finished = finished
    }
  }

  /// Whose an operation is. Nobody's, if nobody is signed in, and in archives of earlier versions.
  package struct Owner: Equatable, Sendable, Codable {
    /// The session of the user.
    package var account: String?
    /// The user's record name, where it was known.
    package var user: String?
    package init(account: String? = nil, user: String? = nil) {
      self.account = account
      self.user = user
    }

    /// Users have several sessions, one after the other.
    package func isSame(as other: Owner) -> Bool {
      if let user, let other = other.user { return user == other }
      return account == other.account
    }
  }
  /// CloudKit: finished long-lived operations are collected after 24 hours (CKOperation header).
  package static let lifetimeSeconds = 86_400.0
  /// Ours: what lies further ahead was written down before the clock was set back, and nobody knows how long ago.
  private static let clockDifferenceSeconds = 3600.0
  /// Ours: more are not written down, unless finished ones can go.
  package static let limit = 1000

  private let folder: String

  /// Nil without a state directory: then nothing outlives the process.
  package init?(_ configuration: Configuration) {
    guard let directory = configuration.stateDirectory else { return nil }
    let place = [configuration.container.name, configuration.environment.rawValue]
    folder = "\(directory)/operations/" + place.map(DeviceState.fileName).joined(separator: "-")
  }

  /// The operations of earlier runs and of this one, oldest first. Forgets those that are over.
  package func list(now: Date) -> [(id: String, owner: Owner)] {
    var kept: [(id: String, owner: Owner, written: Date)] = []
    for name in names.prefix(2 * Self.limit) {
      // A file is written under another name first, where it may be seen, or stay after a crash.
      guard let entry = read(name), DeviceState.fileName(entry.id) == name else {
        removeLeftover(name, now: now)
        continue
      }
      if Self.isOver(entry, now: now) {
        remove(entry.id)
      } else {
        kept.append((entry.id, entry.owner, written(name)))
      }
    }
    return kept.sorted { ($0.written, $0.id) < ($1.written, $1.id) }.map { ($0.id, $0.owner) }
  }

  /// An operation that was written down; nil if there is none, or it was finished a day ago.
  package func entry(_ id: String, now: Date) -> Entry? {
    guard var entry = read(DeviceState.fileName(id)), entry.id == id else { return nil }
    if Self.isOver(entry, now: now) {
      remove(id)
      return nil
    }
    if let begun = entry.begun, Self.isAhead(begun, now: now) { entry.begun = nil }
    return entry
  }

  private static func isOver(_ entry: Entry, now: Date) -> Bool {
    guard let finished = entry.finished else { return false }
    return now.timeIntervalSince(finished) >= lifetimeSeconds || isAhead(finished, now: now)
  }

  private static func isAhead(_ time: Date, now: Date) -> Bool {
    time.timeIntervalSince(now) > clockDifferenceSeconds
  }

  /// Writes an operation down. It is there when this returns.
  ///
  /// - Throws: `notConfigured` if the directory cannot be written.
  package func keep(_ entry: Entry) throws(CallFailure) {
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let file = File(
        id: entry.id, content: Data(entry.content), owner: entry.owner,
        begun: entry.begun?.timeIntervalSinceReferenceDate,
        finished: entry.finished?.timeIntervalSinceReferenceDate)
      let place = url(DeviceState.fileName(entry.id))
      try JSONEncoder().encode(file).write(to: place, options: .atomic)
    } catch {
      throw .notConfigured(
        "the state directory (BRUME_STATE_DIR) cannot keep a long-lived operation: \(error)")
    }
  }

  package func remove(_ id: String) {
    try? FileManager.default.removeItem(at: url(DeviceState.fileName(id)))
  }

  private func removeLeftover(_ name: String, now: Date) {
    guard now.timeIntervalSince(written(name)) >= Self.lifetimeSeconds else { return }
    try? FileManager.default.removeItem(at: url(name))
  }

  /// Makes room for one more: what is finished goes, the oldest first. False if too much is not finished.
  package func makeRoom(now: Date, limit: Int = Self.limit) -> Bool {
    guard names.count >= limit else { return true }
    _ = list(now: now)
    let finished = names.prefix(2 * Self.limit).compactMap { read($0).flatMap(Self.ending) }
    let excess = max(0, names.count - limit + 1)
    for (id, _) in finished.sorted(by: { $0.finished < $1.finished }).prefix(excess) { remove(id) }
    return names.count < limit
  }

  private static func ending(_ entry: Entry) -> (id: String, finished: Date)? {
    entry.finished.map { (entry.id, $0) }
  }

  // MARK: Files

  private var names: [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private struct File: Codable {
    var id: String
    var content: Data
    var owner: Owner?
    var begun: Double?
    var finished: Double?
  }

  private func read(_ name: String) -> Entry? {
    guard let data = try? Data(contentsOf: url(name)),
      let file = try? JSONDecoder().decode(File.self, from: data)
    else { return nil }
    return Entry(
      id: file.id, content: [UInt8](file.content), owner: file.owner ?? Owner(),
      begun: file.begun.map { Date(timeIntervalSinceReferenceDate: $0) },
      finished: file.finished.map { Date(timeIntervalSinceReferenceDate: $0) })
  }

  private func written(_ name: String) -> Date {
    let attributes = try? FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
    return attributes?[.modificationDate] as? Date ?? .distantPast
  }

  private func url(_ name: String) -> URL { URL(fileURLWithPath: "\(folder)/\(name)") }
}
