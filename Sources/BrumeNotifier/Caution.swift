// How a notifier gets past damage. A transaction that met some is tried again with less: without what nobody's push
// needs, then with fewer subscriptions, and last without the one that it cannot serve.

/// What the next transaction of a notifier leaves out.
struct Caution: Sendable {
  private enum Stage {
    case usual
    /// Without history and trimming.
    case withoutUpkeep
    /// The same, with fewer subscriptions.
    case withFewer
    /// Without the first subscription.
    case withoutFirst
    /// Without both.
    case withoutBoth
  }
  /// A subscription that is served, and the position of the entry that it is served for.
  struct Service: Equatable, Sendable {
    let position: Int64
    let target: FanOut.Target
  }
  /// Ours: transactions without upkeep after one that it kept from going on.
  private static let rest = 256

  private var stage = Stage.usual
  private var transactionsLeft = 0
  private var most = Int.max
  /// How many subscriptions the transaction had that met damage first.
  private var whole = 0
  /// Nothing helped: until a transaction succeeds nothing is tried but the usual.
  private var isHopeless = false
  /// What the transaction serves first.
  private(set) var first: Service?

  /// Whether the history is kept, and what is old dropped.
  var keepsUp: Bool { stage == .usual || stage == .withoutFirst }
  /// Whether the first subscription is passed over, as one that is damaged.
  var passesOverFirst: Bool { stage == .withoutFirst || stage == .withoutBoth }

  /// How many subscriptions a transaction serves that has room for so many.
  func room(_ room: Int) -> Int { min(room, most) }

  /// A transaction begins. Nothing else is passed over than what could not be served.
  mutating func begins(with first: Service?) {
    if passesOverFirst, first != self.first { forget() }
    self.first = first
  }

  /// What was tried does not count any more, but that nothing helped.
  mutating func forget() {
    let isHopeless = isHopeless
    self = Caution()
    self.isHopeless = isHopeless
  }

  /// A transaction met damage. Answers whether there is something to leave out that it still had.
  mutating func metDamage(serving subscriptions: Int) -> Bool {
    switch stage {
    case .usual where !isHopeless: (stage, whole) = (.withoutUpkeep, subscriptions)
    case .withoutUpkeep where subscriptions > 1, .withFewer where subscriptions > 1:
      (stage, most) = (.withFewer, subscriptions / 2)
    case .withoutUpkeep where subscriptions == 1, .withFewer where subscriptions == 1:
      (stage, most) = (.withoutFirst, 1)
    case .withoutFirst: stage = .withoutBoth
    default:
      self = Caution()
      isHopeless = true
      return false
    }
    transactionsLeft = Self.rest
    return true
  }

  /// A transaction was carried out.
  mutating func succeeded() {
    switch stage {
    case .usual: isHopeless = false
    case .withFewer where most < whole / 2: most *= 2
    case .withFewer, .withoutFirst: self = Caution()
    case .withoutUpkeep, .withoutBoth:
      (stage, most) = (.withoutUpkeep, .max)
      transactionsLeft -= 1
      if transactionsLeft == 0 { self = Caution() }
    }
  }
}
