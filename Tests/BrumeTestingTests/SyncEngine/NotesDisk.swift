// What outlives the notes app when it is killed, and when it is killed. A disk can be made to work wrongly,
// to see that the search for crashes would find an app or an engine that does.

import BrumeKit
import BrumeTesting
import Foundation
import Synchronization

extension NotesApp {
  /// What is left of the app when it is killed.
  final class Disk: Sendable {
    struct Content: Sendable {
      var notes: [CKRecord.ID: Note] = [:]
      var state: Data?
    }

    /// What is wrong with it.
    enum Flaw: Sendable, CaseIterable {
      /// The engine's state is kept at once, fetched notes only when the fetch is over.
      case notesAfterState
      /// The state that is kept lacks the changes of records that wait or are on their way.
      case forgetsRecords
      /// The state that is kept lacks the changes of zones.
      case forgetsZones
    }

    let content = Mutex(Content())
    private let flaw: Flaw?
    private let late = Mutex<[@Sendable (inout [CKRecord.ID: Note]) -> Void]>([])

    init(_ flaw: Flaw? = nil) { self.flaw = flaw }

    /// A disk with the same content, and a flaw.
    private init(_ other: Disk, _ flaw: Flaw?) {
      self.flaw = flaw
      let copy = other.content.withLock { $0 }
      content.withLock { $0 = copy }
    }

    /// What is on the disk after the app was killed.
    var found: Disk { Disk(self, flaw) }

    /// The same disk, working wrongly.
    func with(_ flaw: Flaw) -> Disk { Disk(self, flaw) }

    /// Keeps the engine's state.
    func keep(_ state: Data?) {
      switch flaw {
      case nil, .notesAfterState: content.withLock { $0.state = state }
      case .forgetsRecords: content.withLock { $0.state = Self.without("records", state) }
      case .forgetsZones: content.withLock { $0.state = Self.without("databaseChanges", state) }
      }
    }

    /// Takes what was fetched.
    func change(_ body: @escaping @Sendable (inout [CKRecord.ID: Note]) -> Void) {
      guard flaw == .notesAfterState else { return content.withLock { body(&$0.notes) } }
      late.withLock { $0.append(body) }
    }

    /// The fetch is over.
    func flush() {
      let all = late.withLock { late in
        defer { late = [] }
        return late
      }
      content.withLock { content in for body in all { body(&content.notes) } }
    }

    /// What is kept as pending.
    var pending: [String] {
      let state = content.withLock { $0.state }
      let records = Self.members(state)?["records"] as? [[String: Any]]
      return records?.compactMap { $0["record"] as? String } ?? []
    }

    /// How many changes of zones are kept as pending.
    var pendingZones: Int {
      let state = content.withLock { $0.state }
      return (Self.members(state)?["databaseChanges"] as? [Any])?.count ?? 0
    }

    private static func members(_ state: Data?) -> [String: Any]? {
      state.flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
    }

    private static func without(_ name: String, _ state: Data?) -> Data? {
      guard var members = members(state) else { return state }
      members[name] = [Any]()
      return try? JSONSerialization.data(withJSONObject: members)
    }
  }

  /// When the process crashes.
  final class Crash: Sendable {
    private struct State {
      var steps = 0
      var last = Int.max
      var isDue: (@Sendable () -> Bool)?
      var whenCrashed: (@Sendable () -> Void)?
      var hasCrashed = false
    }
    private let state = Mutex(State())

    /// The app does something. False when the process is dead.
    func step() -> Bool {
      let (hasCrashed, whenCrashed) = state.withLock { state in
        state.steps += 1
        if state.steps >= state.last || state.isDue?() ?? false { state.hasCrashed = true }
        defer { if state.hasCrashed { state.whenCrashed = nil } }
        return (state.hasCrashed, state.hasCrashed ? state.whenCrashed : nil)
      }
      whenCrashed?()
      return !hasCrashed
    }

    /// What a dead process cannot do any more is stopped here: what is left of it goes on running in the
    /// test's process.
    func whenCrashed(_ body: @escaping @Sendable () -> Void) {
      state.withLock { $0.whenCrashed = body }
    }

    var crashesInACall: Bool { state.withLock { $0.isDue != nil } }
    var hasCrashed: Bool { state.withLock { $0.hasCrashed } }

    /// Crashes at the step of this number from now on.
    func arm(atStep step: Int) { state.withLock { $0.last = $0.steps + step } }

    /// Crashes at the first step at which this is true.
    func arm(when isDue: @escaping @Sendable () -> Bool) { state.withLock { $0.isDue = isDue } }
  }
}
