// All or nothing, per zone: in an atomic batch one failing item takes all others of its zone with it.
// The culprit keeps its own error; the others say that they failed because of it (cases ATM-01 to
// ATM-05).

import BrumeModel

enum AtomicBatch {
  static func spread(
    _ failures: inout [Int: BrumeError], over items: [RecordItem], isAtomic: Bool
  ) {
    guard isAtomic, let culprit = failures.keys.min() else { return }
    let name = NameRules.shown(items[culprit].name)
    for position in items.indices where failures[position] == nil {
      failures[position] = BrumeError(
        .atomicError,
        "record '\(NameRules.shown(items[position].name))' was not changed because '\(name)' failed and the request "
          + "is atomic; mend that one and send all again")
    }
  }
}
