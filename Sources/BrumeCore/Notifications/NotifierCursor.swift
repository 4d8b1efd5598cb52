// How far the notifier has come: everything up to a log position, and of a large fan-out the last
// subscription that was served. Saved in the same transaction as what it stands for.

package import BrumeModel

package struct NotifierCursor: Equatable, Sendable {
  /// Every entry up to and including this position is done.
  package var position: Int64
  /// Of the entry after `position`: all matches up to and including this one are done.
  package var served: SubscriptionKey?

  package init(position: Int64, served: SubscriptionKey? = nil) {
    self.position = position
    self.served = served
  }

  package var bytes: [UInt8] {
    var packer = Packer()
    packer.add(position)
    if let served {
      packer.add(served.scope.container.name)
      packer.add(served.scope.environment.rawValue)
      packer.add(served.scope.scope.rawValue)
      packer.add(served.scope.user.name)
      packer.add(served.id)
    }
    return packer.bytes
  }

  /// Nil for bytes that are no cursor.
  package init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let position = unpacker.number() else { return nil }
    self.position = position
    if unpacker.isAtEnd {
      served = nil
      return
    }
    guard let container = unpacker.text(),
      let environment = unpacker.text().flatMap(Environment.init),
      let scope = unpacker.text().flatMap(DatabaseScope.init),
      let user = unpacker.text(), let id = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    served = SubscriptionKey(
      scope: SubscriptionScope(
        container: ContainerID(container), environment: environment, scope: scope,
        user: UserID(user)),
      id: id)
  }
}
