// A device for tests: a container of its own, and the pushes that reach it.

import CloudKit
import Foundation

final class Device {
  let container: CKContainer
  private var pushes: AsyncStream<[AnyHashable: Any]>.Iterator

  /// - Parameters:
  ///   - user: one of the names given to `brume exec --users`.
  ///   - name: devices of one user differ in it.
  init(of user: String, _ name: String) async throws {
    container = Brume.container(
      try Brume.Configuration(environmentOf: user, deviceID: "\(name)-\(UUID().uuidString)"))
    try await Brume.registerForRemoteNotifications(for: container)
    pushes = Brume.remoteNotifications(for: container).makeAsyncIterator()
  }

  /// Waits for the next push. A test that would wait forever has a time limit of its own.
  func nextPush() async throws -> CKNotification {
    guard let userInfo = await pushes.next(),
      let push = CKNotification(fromRemoteNotificationDictionary: userInfo)
    else { throw PushesEnded() }
    return push
  }
}

struct PushesEnded: Error {}
