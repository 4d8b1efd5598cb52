// When to look again: the earliest first.

import BrumeModel
import HeapModule

struct Alarms<Alarm: Sendable>: Sendable {
  private struct Entry: Comparable, Sendable {
    let time: Milliseconds
    let alarm: Alarm
    static func == (a: Entry, b: Entry) -> Bool { a.time == b.time }
    static func < (a: Entry, b: Entry) -> Bool { a.time < b.time }
  }
  private var heap = Heap<Entry>()

  var first: Milliseconds? { heap.min?.time }

  mutating func push(_ alarm: Alarm, at time: Milliseconds) {
    heap.insert(Entry(time: time, alarm: alarm))
  }

  mutating func pop(dueBy now: Milliseconds) -> Alarm? {
    guard let first = heap.min, first.time <= now else { return nil }
    return heap.removeMin().alarm
  }
}
