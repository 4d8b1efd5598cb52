// Small integers for byte strings: what the index calls users, record types, values and
// subscriptions by. A string is kept once, and forgotten when nobody uses it any more.
//
// Bytes lie in one arena and are found by open addressing: 32 bytes of bookkeeping a string, no
// allocation of its own. A slot holds the hash too, so that walking over others' slots touches nothing
// else. The hash is seeded per process, because clients choose what is hashed.

struct InternTable: Sendable {
  private struct Entry: Sendable {
    var offset: UInt32
    var length: UInt32
    var hash: UInt32
    /// 0: the number is free.
    var uses: Int32
  }
  private struct Slot: Sendable {
    /// Negative: nobody is here.
    var number: Int32
    var hash: UInt32
    static let empty = Slot(number: -1, hash: 0)
    var isEmpty: Bool { number < 0 }
  }
  private var arena: [UInt8] = []
  private var entries: [Entry] = []
  /// Numbers by hash, linear probing; a power of two, at most three quarters full.
  private var slots = Array(repeating: Slot.empty, count: 16)
  private var free: [Int32] = []
  /// Bytes of the arena that belong to nobody.
  private var garbage = 0

  /// What the strings take, with those that are forgotten but still lie there.
  var heldBytes: Int { arena.count }
  /// How many strings there are.
  var count: Int { entries.count - free.count }

  /// The string's number; nil if it is not here.
  func find(_ key: [UInt8]) -> Int32? {
    key.withUnsafeBufferPointer { find($0, Self.hash($0)) }
  }

  /// The numbers of those that are here. All are looked up in step: with very many strings each step
  /// waits for memory, and so they wait together.
  func find(_ keys: KeyList) -> [Int32] {
    keys.withEach { key in
      (key, hash: Self.hash(key))
    } then: { asked in
      let homes = asked.map { slots[Int($0.hash) & (slots.count - 1)] }
      let heads = homes.map { $0.isEmpty ? nil : entries[Int($0.number)] }
      return asked.indices.compactMap { index in
        guard let head = heads[index] else { return nil }
        let (home, (key, hash)) = (homes[index], asked[index])
        return home.hash == hash && holds(head, key) ? home.number : find(key, hash)
      }
    }
  }

  /// The string's number, given if it has none. Each call is one use.
  mutating func use(_ key: [UInt8]) -> Int32 {
    if let known = find(key) {
      entries[Int(known)].uses += 1
      return known
    }
    if (count + 1) * 4 > slots.count * 3 { grow() }
    let entry = Entry(
      offset: UInt32(arena.count), length: UInt32(key.count),
      hash: key.withUnsafeBufferPointer(Self.hash), uses: 1)
    arena.append(contentsOf: key)
    let number: Int32
    if let known = free.popLast() {
      number = known
      entries[Int(known)] = entry
    } else {
      number = Int32(entries.count)
      entries.append(entry)
    }
    insert(number, entry.hash)
    return number
  }

  /// One more use of a string that is here.
  mutating func useAgain(_ number: Int32) { entries[Int(number)].uses += 1 }

  /// One use less. Answers whether it was the last: then the number may be given to another string.
  @discardableResult
  mutating func release(_ number: Int32) -> Bool {
    precondition(entries[Int(number)].uses > 0, "a string is released more often than it was used")
    entries[Int(number)].uses -= 1
    guard entries[Int(number)].uses == 0 else { return false }
    removeSlot(of: number)
    garbage += Int(entries[Int(number)].length)
    free.append(number)
    if garbage > 1 << 16, garbage > arena.count / 2 { compact() }
    return true
  }

  func isUsed(_ number: Int32) -> Bool {
    entries.indices.contains(Int(number)) && entries[Int(number)].uses > 0
  }

  func bytes(of number: Int32) -> ArraySlice<UInt8> {
    let entry = entries[Int(number)]
    return arena[Int(entry.offset)..<Int(entry.offset + entry.length)]
  }
}

/// Byte strings, one after the other.
struct KeyList {
  private var bytes: [UInt8] = []
  private var ends: [Int] = []

  /// - Parameter write: appends a string; false takes it back.
  mutating func append(_ write: (inout [UInt8]) -> Bool) {
    let start = bytes.count
    if write(&bytes) { ends.append(bytes.count) } else { bytes.removeSubrange(start...) }
  }

  func withEach<T, Result>(
    _ each: (UnsafeBufferPointer<UInt8>) -> T, then: ([T]) -> Result
  ) -> Result {
    bytes.withUnsafeBufferPointer { bytes in
      var start = 0
      return then(
        ends.map { end in
          defer { start = end }
          return each(UnsafeBufferPointer(rebasing: bytes[start..<end]))
        })
    }
  }
}

// MARK: Slots and arena

extension InternTable {
  private func find(_ key: UnsafeBufferPointer<UInt8>, _ hash: UInt32) -> Int32? {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while case let known = slots[slot], !known.isEmpty {
      if known.hash == hash, holds(entries[Int(known.number)], key) { return known.number }
      slot = (slot + 1) & mask
    }
    return nil
  }

  private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt32 {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(key))
    return UInt32(truncatingIfNeeded: hasher.finalize())
  }

  private func holds(_ entry: Entry, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    guard Int(entry.length) == key.count else { return false }
    return arena.withUnsafeBufferPointer { arena in
      let start = Int(entry.offset)
      for index in 0..<key.count where arena[start + index] != key[index] { return false }
      return true
    }
  }

  private mutating func insert(_ number: Int32, _ hash: UInt32) {
    let mask = slots.count - 1
    var slot = Int(hash) & mask
    while !slots[slot].isEmpty { slot = (slot + 1) & mask }
    slots[slot] = Slot(number: number, hash: hash)
  }

  private mutating func grow() {
    slots = Array(repeating: .empty, count: slots.count * 2)
    for (number, entry) in entries.enumerated() where entry.uses > 0 {
      insert(Int32(number), entry.hash)
    }
  }

  /// Closes the gap: what would be found only by walking over it moves up.
  private mutating func removeSlot(of number: Int32) {
    let mask = slots.count - 1
    var gap = Int(entries[Int(number)].hash) & mask
    while slots[gap].number != number { gap = (gap + 1) & mask }
    var slot = (gap + 1) & mask
    while !slots[slot].isEmpty {
      let home = Int(slots[slot].hash) & mask
      if (slot - home) & mask >= (slot - gap) & mask {
        slots[gap] = slots[slot]
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    slots[gap] = .empty
  }

  private mutating func compact() {
    var kept: [UInt8] = []
    kept.reserveCapacity(arena.count - garbage)
    for number in entries.indices where entries[number].uses > 0 {
      let bytes = self.bytes(of: Int32(number))
      entries[number].offset = UInt32(kept.count)
      kept.append(contentsOf: bytes)
    }
    arena = kept
    garbage = 0
  }
}
