// Who may be worked for next, as a value: a number in all, fewer for one caller and for all callers of one address, the
// rest waits in order, and callers take turns. `RequestShares.swift` makes tasks wait by it.

/// Who works and who waits, by caller.
package struct FairShares: Sendable {
  /// What becomes of a request that comes.
  package enum Entry: Equatable, Sendable {
    case enters, waits, refused
  }

  private struct Caller: Sendable {
    var running = 0
    var waiting: [(id: Int, address: String)] = []
  }
  private struct Address: Sendable {
    var running = 0
    var waiting = 0
  }

  private let most: Int
  private let mostOfOne: Int
  private let mostWaiting: Int
  private let mostOfAddress: Int
  private let mostWaitingOfAddress: Int
  private var running = 0
  private var callers: [String: Caller] = [:]
  private var addresses: [String: Address] = [:]
  /// Callers of whom somebody waits, the next to serve first.
  private var turns: [String] = []

  /// - Parameters:
  ///   - most: requests at once.
  ///   - mostOfOne: of one caller.
  ///   - mostWaiting: of one caller, beside those at work.
  ///   - mostOfAddress: as `mostOfOne`, of all callers of an address.
  ///   - mostWaitingOfAddress: as `mostWaiting`, of all callers of an address.
  package init(
    most: Int, mostOfOne: Int, mostWaiting: Int, mostOfAddress: Int = .max,
    mostWaitingOfAddress: Int = .max
  ) {
    self.most = max(1, most)
    self.mostOfOne = max(1, mostOfOne)
    self.mostWaiting = max(0, mostWaiting)
    self.mostOfAddress = max(1, mostOfAddress)
    self.mostWaitingOfAddress = max(0, mostWaitingOfAddress)
  }

  /// Enters if nothing has to be waited for.
  package mutating func entersAtOnce(_ name: String, at address: String) -> Bool {
    guard running < most, callers[name]?.running ?? 0 < mostOfOne, hasRoom(address) else {
      return false
    }
    running += 1
    callers[name, default: Caller()].running += 1
    addresses[address, default: Address()].running += 1
    return true
  }

  /// - Parameter id: names the request if it waits.
  package mutating func enter(_ name: String, at address: String, id: Int) -> Entry {
    if entersAtOnce(name, at: address) { return .enters }
    var caller = callers[name] ?? Caller()
    var place = addresses[address] ?? Address()
    guard caller.waiting.count < mostWaiting, place.waiting < mostWaitingOfAddress else {
      return .refused
    }
    if caller.waiting.isEmpty { turns.append(name) }
    caller.waiting.append((id, address))
    place.waiting += 1
    callers[name] = caller
    addresses[address] = place
    return .waits
  }

  /// A request is done.
  ///
  /// - Returns: who waited and enters now. More than one may, because a caller and an address each have a place again:
  ///   of those who go on waiting nobody could enter, so that who comes next overtakes nobody.
  package mutating func leave(_ name: String, at address: String) -> [Int] {
    guard var caller = callers[name], var place = addresses[address] else { return [] }
    running -= 1
    caller.running -= 1
    place.running -= 1
    keep(caller, name)
    keep(place, address)
    var entering: [Int] = []
    while let id = next() { entering.append(id) }
    return entering
  }

  /// A request waits no more.
  package mutating func withdraw(_ name: String, id: Int) {
    guard var caller = callers[name],
      let position = caller.waiting.firstIndex(where: { $0.id == id })
    else { return }
    stopWaiting(caller.waiting.remove(at: position).address)
    if caller.waiting.isEmpty { turns.removeAll { $0 == name } }
    keep(caller, name)
  }

  private mutating func next() -> Int? {
    guard running < most else { return nil }
    for (turn, name) in turns.enumerated() {
      guard var caller = callers[name], caller.running < mostOfOne,
        let position = caller.waiting.firstIndex(where: { hasRoom($0.address) })
      else { continue }
      turns.remove(at: turn)
      let (id, address) = caller.waiting.remove(at: position)
      if !caller.waiting.isEmpty { turns.append(name) }
      running += 1
      caller.running += 1
      keep(caller, name)
      stopWaiting(address)
      addresses[address, default: Address()].running += 1
      return id
    }
    return nil
  }

  private func hasRoom(_ address: String) -> Bool {
    addresses[address]?.running ?? 0 < mostOfAddress
  }

  private mutating func stopWaiting(_ address: String) {
    guard var place = addresses[address] else { return }
    place.waiting -= 1
    keep(place, address)
  }

  private mutating func keep(_ caller: Caller, _ name: String) {
    callers[name] = caller.running == 0 && caller.waiting.isEmpty ? nil : caller
  }

  private mutating func keep(_ place: Address, _ address: String) {
    addresses[address] = place.running == 0 && place.waiting == 0 ? nil : place
  }
}
