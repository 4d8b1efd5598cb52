// When webhooks and keys of Apple's push service were used last, in the store.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Crypto
import Testing

@Suite struct ChannelUseTests {
  private let place = ContainerEnvironment(TestServer.container, .production)

  private func sender(_ keyID: String) -> APNsSender {
    APNsSender(
      container: TestServer.container, topic: "org.example.app", team: "TEAM", keyID: keyID,
      privateKey: P256.Signing.PrivateKey().pemRepresentation)
  }

  private func lastUse(_ key: SettingKey, _ server: TestServer) async throws -> Milliseconds? {
    try await server.store.read { try $0.settings.lastUse(key) }
  }

  @Test func `a use is noted once a minute`() async throws {
    let server = try await TestServer(coders: .wire)
    let (uses, start) = (server.engine.channelUses, server.clock.now)
    let webhook = try await server.engine.webhooks.add(url: "https://example.org/", in: place)
    let key = SettingKey.webhookUse(webhook.id)
    #expect(try await lastUse(key, server) == nil)
    for (pause, expected) in [(0, start), (59_999, start), (1, start + 60_000)] as [(Int64, Int64)]
    {
      server.clock.advance(by: pause)
      await uses.note(webhook)
      #expect(try await lastUse(key, server) == expected)
    }
  }

  @Test func `another server on the store notes what is newer and not what is just as new`()
    async throws
  {
    let server = try await TestServer(coders: .wire)
    let other = try await TestServer(store: server.store)
    let webhook = try await server.engine.webhooks.add(url: "https://example.org/", in: place)
    let (key, start) = (SettingKey.webhookUse(webhook.id), server.clock.now)
    await server.engine.channelUses.note(webhook)
    other.clock.advance(by: 30_000)
    await other.engine.channelUses.note(webhook)
    #expect(try await lastUse(key, server) == start)
    other.clock.advance(by: 60_000)
    await other.engine.channelUses.note(webhook)
    #expect(try await lastUse(key, server) == start + 90_000)
  }

  @Test func `a webhook that was removed leaves no note, and gets none`() async throws {
    let server = try await TestServer(coders: .wire)
    let webhook = try await server.engine.webhooks.add(url: "https://example.org/", in: place)
    let key = SettingKey.webhookUse(webhook.id)
    await server.engine.channelUses.note(webhook)
    try await server.engine.webhooks.remove(webhook.id, in: place)
    #expect(try await lastUse(key, server) == nil)
    server.clock.advance(by: 60_000)
    await server.engine.channelUses.note(webhook)
    #expect(try await lastUse(key, server) == nil)
  }

  @Test func `a key that takes another's place was not used yet`()
    async throws
  {
    let server = try await TestServer(coders: .wire)
    let (keys, uses, first) = (server.engine.pushKeys, server.engine.channelUses, sender("FIRST"))
    let key = SettingKey.apnsUse(TestServer.container, topic: first.topic)
    try await keys.addAPNsSender(first)
    await uses.note(first)
    #expect(try await lastUse(key, server) == server.clock.now)
    try await keys.addAPNsSender(first)
    #expect(try await lastUse(key, server) == server.clock.now)
    try await keys.addAPNsSender(sender("SECOND"))
    server.clock.advance(by: 60_000)
    await uses.note(first)
    #expect(try await lastUse(key, server) == nil)
    #expect(try await keys.removeAPNsSender(first.topic, of: TestServer.container))
    #expect(try await !keys.removeAPNsSender(first.topic, of: TestServer.container))
  }
}
