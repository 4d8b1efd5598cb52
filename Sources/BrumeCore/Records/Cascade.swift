// Which records of a cascade go after all. A record that cannot go keeps those that would take it along, and what
// they alone take along stays too; each may be needed by others, which then cannot go either. Each link between
// two records is followed once for that, however many deletions of the request meet it.

import BrumeModel

struct Cascade {
  /// Why a record that goes needs another to go as well.
  enum Need: Sendable { case child, holder }

  private(set) var gone: Set<String>
  /// Why records stay that were to go.
  private(set) var errors: [String: BrumeError] = [:]
  private let companions: [String: [String]]
  private let roots: [String]
  private let holdersMayStay: Bool
  /// By a record: those that take it along.
  private var takers: [String: [String]] = [:]
  /// By a record: how many that go take it along; the request itself counts as one.
  private var support: [String: Int] = [:]
  /// By a record: those that cannot go without it.
  private var needing: [String: [(name: String, need: Need)]] = [:]
  private var kept: [(name: String, error: BrumeError)] = []
  private var leaving: [String] = []

  /// - Parameters:
  ///   - gone: the roots, with all that goes along.
  ///   - roots: what the request deletes itself.
  ///   - companions: by a record, what it takes along directly.
  ///   - holdersMayStay: whether a record goes without those of them that cannot.
  init(
    _ gone: Set<String>, roots: [String], companions: [String: [String]], holdersMayStay: Bool
  ) {
    self.gone = gone
    self.holdersMayStay = holdersMayStay
    self.roots = roots
    self.companions = companions
    for name in roots { support[name, default: 0] += 1 }
    for name in gone {
      for other in taken(by: name) {
        takers[other, default: []].append(name)
        support[other, default: 0] += 1
      }
    }
  }

  /// Notes that a record cannot go without others.
  mutating func note(_ name: String, needs others: [String], as need: Need) {
    for other in others { needing[other, default: []].append((name, need)) }
  }

  /// Keeps records, and whatever cannot go then.
  ///
  /// - Parameters:
  ///   - rounds: how often rings of records may be found that only take each other along.
  ///   - error: the error for a record that cannot go, by the need of it and the one that stays.
  /// - Returns: whether that came to an end.
  mutating func keep(
    _ first: [(name: String, error: BrumeError)], rounds: Int,
    error: (_ name: String, _ need: Need, _ other: String) -> BrumeError
  ) -> Bool {
    kept = first.reversed()
    for _ in 0..<rounds {
      settle(error)
      leaving = Array(gone.subtracting(reached()))
      if leaving.isEmpty { return true }
    }
    return false
  }

  private mutating func settle(
    _ error: (_ name: String, _ need: Need, _ other: String) -> BrumeError
  ) {
    while true {
      if let (name, error) = kept.popLast() {
        guard gone.contains(name), errors[name] == nil else { continue }
        errors[name] = error
        if !holdersMayStay { kept += (takers[name] ?? []).map { ($0, error) } }
        leaving.append(name)
      } else if let name = leaving.popLast() {
        guard gone.remove(name) != nil else { continue }
        for other in taken(by: name) { release(other) }
        for (other, need) in needing[name] ?? [] where gone.contains(other) {
          kept.append((other, error(other, need, name)))
        }
      } else {
        return
      }
    }
  }

  private mutating func release(_ name: String) {
    let left = (support[name] ?? 0) - 1
    support[name] = left
    if left <= 0 { leaving.append(name) }
  }

  private func taken(by name: String) -> [String] {
    (companions[name] ?? []).filter { $0 != name && gone.contains($0) }
  }

  /// What the request still takes along; the rest are rings that lost whoever took them along.
  private func reached() -> Set<String> {
    var reached = Set(roots.filter { gone.contains($0) })
    var open = Array(reached)
    while let name = open.popLast() {
      for other in taken(by: name) where reached.insert(other).inserted { open.append(other) }
    }
    return reached
  }
}
