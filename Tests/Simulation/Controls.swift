// The planted faults: each must be found, or the search proves nothing.

struct Controls {
  let arguments: Arguments
  /// Ours: seeds in which a fault has to be found.
  private static let most: UInt64 = 40

  init(_ arguments: Arguments) { self.arguments = arguments }

  func run() -> Int32 {
    var isWell = true
    for planted in Planted.allCases {
      if let (seed, failure) = found(planted) {
        print("\(planted.rawValue): found by seed \(seed): \(failure)")
      } else {
        print("\(planted.rawValue): not found in \(Self.most) seeds")
        isWell = false
      }
    }
    return isWell ? 0 : 1
  }

  private func found(_ planted: Planted) -> (UInt64, String)? {
    for seed in arguments.first..<arguments.first + Self.most {
      let outcome = Child(Life.Order(seed: seed, planted: planted)).outcome()
      // A trap in what plants the fault finds nothing.
      if let failure = outcome.failures.first, !outcome.isCrash { return (seed, failure) }
    }
    return nil
  }
}
