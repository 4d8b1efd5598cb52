// The planted faults: each must be found, or the search proves nothing.

struct Controls {
  let arguments: Arguments
  /// Ours: seeds in which a fault has to be found.
  private static let most: UInt64 = 40
  /// Ours: seconds after which a run counts as one that hangs. None of these takes as many.
  private static let patience: UInt32 = 20

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
    let seeds = arguments.first..<arguments.first + Self.most
    for part in Beginning.parts(of: seeds) {
      let beginning = Beginning(
        part.map { Life.Order(seed: $0, planted: planted, isQuiet: planted.isCrash) },
        patience: Self.patience)
      defer { if !beginning.isOver { beginning.stop() } }
      while !beginning.isOver {
        for run in beginning.receive() {
          // A trap in what plants another fault finds nothing.
          if let failure = run.outcome.failures.first, run.outcome.isCrash == planted.isCrash {
            return (run.order.seed, failure)
          }
        }
      }
    }
    return nil
  }
}
