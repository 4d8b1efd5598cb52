// Chance that can be repeated: the same seed gives the same numbers on every machine. A failing test
// prints its seed.

/// SplitMix64 (Steele, Lea and Flood, 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// A number from 0 up to, not including, `bound`.
  package mutating func next(below bound: Int) -> Int {
    Int(next(upperBound: UInt64(max(1, bound))))
  }

  /// True once in `count` times.
  package mutating func one(in count: Int) -> Bool { next(below: count) == 0 }

  /// One of the values, each as likely; the list must not be empty.
  package mutating func pick<Value>(_ values: [Value]) -> Value {
    values[next(below: values.count)]
  }
}
