// The time from sending a save to the byte of its push on another device's socket.

import Foundation

enum Pushes {
  /// Latencies in milliseconds of `count` saves, one after the other.
  static func latencies(_ server: Server, count: Int) throws -> [Double] {
    let writer = try server.connect()
    _ = try writer.request("POST", server.path("zones/modify"), Bodies.createZone("pushes"))
    _ = try writer.request("POST", server.path("records/modify"), Bodies.save(1, zone: "pushes"))
    let subscription =
      #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"p","subscriptionType":"query","zoneID":{"zoneName":"pushes"},"query":{"recordType":"Note","filterBy":[]},"firesOn":["create"],"notificationInfo":{"shouldSendContentAvailable":true}}}]}"#
    _ = try writer.request(
      "POST", server.path("subscriptions/modify", device: "listener"), Array(subscription.utf8))
    let listener = try server.connect()
    try listener.stream(server.streamPath, headers: "Accept: text/event-stream\r\n")
    var latencies: [Double] = []
    for _ in 0..<count {
      let body = Bodies.save(1, zone: "pushes")
      let start = ContinuousClock.now
      _ = try writer.request("POST", server.path("records/modify"), body)
      while !(try listener.readLine().hasPrefix("data:")) {}
      latencies.append(start.duration(to: .now).asSeconds * 1000)
    }
    return latencies.sorted()
  }
}
