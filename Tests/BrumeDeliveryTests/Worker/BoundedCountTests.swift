import BrumeModel
import Testing

@testable import BrumeDelivery

/// What counts sends, lanes and devices: nothing passes its bound, and nothing falls below zero.
@Suite struct BoundedCountTests {
  @Test func `a count goes up to its bound and back`() {
    var count = BoundedCount(upTo: 2, of: "things")
    while count.hasRoom { count.add() }
    #expect(count.value == 2)
    count.remove()
    #expect(count.hasRoom)
    count.remove()
    #expect(count.value == 0)
  }

  @Test func `a count that would pass its bound ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var count = BoundedCount(upTo: 1, of: "things")
      count.add()
      count.add()
    }
    #expect(result.says("more things than may be"))
  }

  @Test func `a count that would fall below zero ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var count = BoundedCount(upTo: 1, of: "things")
      count.add()
      count.remove()
      count.remove()
    }
    #expect(result.says("fewer things than none"))
  }

  @Test func `a queue without lanes, and memory for no device, end the process at once`() async {
    let queue = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var limits = Limits()
      limits.deliveryLanes = 0
      _ = DeliveryQueue<String>(rules: .init(limits))
    }
    #expect(queue.says("leaves no room for lanes"))
    let memory = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = InFlightEntries(capacity: 0)
    }
    #expect(memory.says("leaves no room for devices"))
  }

  @Test func `a peer that may get nothing ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = DeliveryPeer(name: "host", limit: 0)
    }
    #expect(result.says("a peer that may get nothing is none"))
  }
}

extension ExitTest.Result? {
  /// Whether the process ended with this sentence.
  fileprivate func says(_ sentence: String) -> Bool {
    String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
  }
}
