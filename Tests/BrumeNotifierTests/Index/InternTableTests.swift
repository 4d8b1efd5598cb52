import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct InternTableTests {
  @Test func `strings keep their numbers while they are used, whatever comes and goes`() {
    var random = SeededRandom(seed: 11)
    var table = InternTable()
    var model: [[UInt8]: (number: Int32, uses: Int)] = [:]
    for _ in 0..<20_000 {
      let key = Array("key \(random.next(below: 3000))".utf8)
      if random.next(below: 5) < 3 {
        let number = table.use(key)
        if let known = model[key] { #expect(known.number == number) }
        model[key] = (number, (model[key]?.uses ?? 0) + 1)
      } else if let known = model[key] {
        let isLast = table.release(known.number)
        #expect(isLast == (known.uses == 1))
        model[key] = isLast ? nil : (known.number, known.uses - 1)
      } else {
        #expect(table.find(key) == nil)
      }
    }
    #expect(table.count == model.count)
    #expect(Set(model.values.map(\.number)).count == model.count)
    for (key, known) in model {
      #expect(table.find(key) == known.number)
      #expect(Array(table.bytes(of: known.number)) == key)
    }
  }

  @Test func `looking up many together finds what looking up each finds`() {
    var random = SeededRandom(seed: 12)
    var table = InternTable()
    for _ in 0..<700 { _ = table.use(Array("key \(random.next(below: 2000))".utf8)) }
    for size in 0...40 {
      var list = KeyList()
      var singles: [Int32] = []
      for _ in 0..<size {
        let key = Array("key \(random.next(below: 2000))".utf8)
        let isMeant = random.next(below: 4) > 0
        list.append {
          $0 += key
          return isMeant
        }
        if isMeant, let number = table.find(key) { singles.append(number) }
      }
      #expect(table.find(list) == singles)
    }
  }

  @Test func `a forgotten string's number and bytes are used again`() {
    var table = InternTable()
    for round in 0..<2000 {
      let key = Array("\(round) ".utf8) + [UInt8](repeating: 7, count: 200)
      let number = table.use(key)
      #expect(number == 0)
      #expect(Array(table.bytes(of: number)) == key)
      table.release(number)
    }
    #expect(table.count == 0)
    #expect(table.heldBytes < 1 << 18)
  }

  @Test func `texts that Swift calls equal are two strings here`() {
    var table = InternTable()
    let composed = table.use(Array("caf\u{e9}".utf8))
    let decomposed = table.use(Array("cafe\u{301}".utf8))
    #expect(composed != decomposed)
  }
}
