// Who may be worked for next, as a value: a number in all, fewer for one caller, the rest waits in order,
// and callers take turns. `RequestShares.swift` makes tasks wait by it.

/// Who works and who waits, by caller.
package struct FairShares: Sendable {
  /// What becomes of a request that comes.
  package enum Entry: Equatable, Sendable {
    case enters, waits, refused
  }

  private struct Caller: Sendable {
    var running = 0
    var waiting: [Int] = []
  }

  private let most: Int
  private let mostOfOne: Int
  private let mostWaiting: Int
  private var running = 0
  private var callers: [String: Caller] = [:]
  /// Callers of whom somebody waits, the next to serve first.
  private var turns: [String] = []

  /// - Parameters:
  ///   - most: requests at once.
  ///   - mostOfOne: of one caller.
  ///   - mostWaiting: of one caller, beside those at work.
  package init(most: Int, mostOfOne: Int, mostWaiting: Int) {
    self.most = max(1, most)
    self.mostOfOne = max(1, mostOfOne)
    self.mostWaiting = max(0, mostWaiting)
  }

  /// Enters if nothing has to be waited for.
  package mutating func entersAtOnce(_ name: String) -> Bool {
    guard running < most, callers[name]?.running ?? 0 < mostOfOne else { return false }
    running += 1
    callers[name, default: Caller()].running += 1
    return true
  }

  /// - Parameter id: names the request if it waits.
  package mutating func enter(_ name: String, id: Int) -> Entry {
    if entersAtOnce(name) { return .enters }
    var caller = callers[name] ?? Caller()
    defer { keep(caller, name) }
    guard caller.waiting.count < mostWaiting else { return .refused }
    if caller.waiting.isEmpty { turns.append(name) }
    caller.waiting.append(id)
    return .waits
  }

  /// A request is done.
  ///
  /// - Returns: who waited and enters now.
  package mutating func leave(_ name: String) -> Int? {
    guard var caller = callers[name] else { return nil }
    running -= 1
    caller.running -= 1
    keep(caller, name)
    return next()
  }

  /// A request waits no more.
  package mutating func withdraw(_ name: String, id: Int) {
    guard var caller = callers[name] else { return }
    caller.waiting.removeAll { $0 == id }
    if caller.waiting.isEmpty { turns.removeAll { $0 == name } }
    keep(caller, name)
  }

  private mutating func next() -> Int? {
    let free = turns.firstIndex { callers[$0, default: Caller()].running < mostOfOne }
    guard running < most, let free else { return nil }
    let name = turns.remove(at: free)
    guard var caller = callers[name], !caller.waiting.isEmpty else { return nil }
    let id = caller.waiting.removeFirst()
    if !caller.waiting.isEmpty { turns.append(name) }
    running += 1
    caller.running += 1
    keep(caller, name)
    return id
  }

  private mutating func keep(_ caller: Caller, _ name: String) {
    callers[name] = caller.running == 0 && caller.waiting.isEmpty ? nil : caller
  }
}
