// What the delivery queue is made of: a line, and an alarm clock.

import BrumeModel

/// First in, first out.
struct Queue<Element: Sendable>: Sendable {
  private var items: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == items.count }

  mutating func push(_ item: Element) { items.append(item) }

  mutating func pop() -> Element? {
    guard head < items.count else { return nil }
    let item = items[head]
    head += 1
    if head > 32, head * 2 > items.count {
      items.removeFirst(head)
      head = 0
    }
    return item
  }
}

/// The earliest first: a binary heap.
struct Alarms<Alarm: Sendable>: Sendable {
  private var heap: [(time: Milliseconds, alarm: Alarm)] = []

  var first: Milliseconds? { heap.first?.time }

  mutating func push(_ alarm: Alarm, at time: Milliseconds) {
    heap.append((time, alarm))
    var child = heap.count - 1
    while child > 0, heap[child].time < heap[(child - 1) / 2].time {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func pop(dueBy now: Milliseconds) -> Alarm? {
    guard let first = heap.first, first.time <= now else { return nil }
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
        if heap[child].time < heap[least].time { least = child }
      }
      if least == parent { return first.alarm }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
