// Connections that break in the middle of a write: each write happens once, and is answered.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct PostgresCutTests {
  @Test(arguments: CuttingProxy.Point.allCases)
  func `a write whose connection is cut happens once:`(point: CuttingProxy.Point) async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let (proxy, proxied) = try Self.proxy(url)
    let store = try PostgresStore.forTest(url: proxied, writers: 1, answerTimeout: 1000)
    let saver = Saver()
    await saver.save("before", in: store)
    proxy.cut(at: point)
    await saver.save("cut", in: store)
    await saver.save("after", in: store)
    #expect(proxy.cuts == 1)
    #expect(saver.answer("cut") == .saved(2))
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
    proxy.close()
  }

  @Test func `many writers whose connections are cut again and again lose nothing`() async throws {
    let url = try PostgresServer.shared.get().emptySchema()
    let (proxy, proxied) = try Self.proxy(url)
    let store = try PostgresStore.forTest(url: proxied, answerTimeout: 1000)
    let saver = Saver()
    try await saver.run(writers: 8, on: [store]) {
      for point in CuttingProxy.Point.allCases + CuttingProxy.Point.allCases.reversed() {
        proxy.cut(at: point)
        await saver.waitForSaves(20)
      }
    }
    #expect(proxy.cuts >= 6)
    #expect(try await saver.faults(in: store) == [])
    try await store.close()
    proxy.close()
  }

  @Test func `a store that is not answered when it begins to listen follows others all the same`()
    async throws
  {
    let (proxy, proxied) = try Self.proxy(try PostgresServer.shared.get().emptySchema())
    proxy.holdListening()
    let store = try PostgresStore.forTest(url: proxied, answerTimeout: 1000)
    // Asked over the connection that listens; refused while that one is given up.
    while (try? await store.changedAccounts(after: 0)) == nil {}
    #expect(proxy.cuts == 1)
    try await store.close()
    proxy.close()
  }

  /// A proxy, and the URL that leads through it. The proxy reads no encryption.
  static func proxy(_ url: String) throws -> (CuttingProxy, String) {
    var parts = try #require(URLComponents(string: url))
    let proxy = try CuttingProxy(to: UInt16(try #require(parts.port)))
    parts.port = Int(proxy.port)
    let proxied = try #require(parts.string) + "&sslmode=disable&gssencmode=disable"
    return (proxy, proxied)
  }
}
