import Foundation
import Testing

@testable import BrumeKit

struct RemoteNotificationTests {
  @Test func `pushes arrive as the dictionaries of an Apple device`() async throws {
    let push = #"{"aps":{"content-available":1},"ck":{"nid":"n","fet":{"sid":"s","zid":"Z"}}}"#
    let server = AnsweringServer { _ in (200, "id: 1\ndata: \(push)\n\n") }
    var seen: [String] = []
    for await userInfo in Brume.remoteNotifications(for: server.container()) {
      let aps = userInfo["aps"] as? [String: Any]
      #expect(aps?["content-available"] as? Int == 1)
      let notification = CKNotification(fromRemoteNotificationDictionary: userInfo)
      seen.append(notification?.subscriptionID ?? "?")
      break
    }
    #expect(seen == ["s"])
    #expect(server.paths == ["/_brume/stream"])
  }

  @Test func `without a user the stream ends`() async throws {
    let server = AnsweringServer { _ in (500, "") }
    let container = server.container(userToken: nil)
    for await _ in Brume.remoteNotifications(for: container) { Issue.record("a push for nobody") }
  }

  @Test func `a value counts as received when the taker comes back`() async throws {
    let handoff = Handoff()
    async let first = handoff.offer([1])
    #expect(await handoff.take() == [1])
    async let second = handoff.take()
    #expect(await first)
    async let offer = handoff.offer([2])
    #expect(await second == [2])
    handoff.close()
    #expect(await !offer)
    #expect(await handoff.take() == nil)
    #expect(await !handoff.offer([3]))
  }

  @Test func `registering asks the server`() async throws {
    let server = AnsweringServer { _ in (200, "{}") }
    try await Brume.registerForRemoteNotifications(for: server.container())
    #expect(server.paths == ["/_brume/devices"])
  }
}
