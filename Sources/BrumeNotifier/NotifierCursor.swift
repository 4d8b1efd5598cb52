// How far the notifier has come: everything up to a log position, and of a large fan-out the last
// subscription that was served. Saved in the same transaction as what it stands for.

import BrumeCore
import BrumeModel
import BrumeStorage

/// A place in the log, or in the fan-out of one entry.
package struct NotifierCursor: Equatable, Sendable {
  /// Every entry up to and including this position is done.
  package var position: Int64
  /// Of the entry after `position`: all matches up to and including this one are done.
  package var served: Served?

  /// A subscription in the order of a fan-out: by start position, and by name among equal ones.
  package struct Served: Equatable, Sendable {
    /// Where the subscription begins to match.
    package let startPosition: Int64
    package let key: SubscriptionKey
  }

  package init(position: Int64, served: Served? = nil) {
    self.position = position
    self.served = served
  }

  /// The form in which it is saved.
  package var bytes: [UInt8] {
    var packer = Packer()
    packer.add(position)
    if let served {
      packer.add(served.startPosition)
      packer.add(served.key.scope.containerEnvironment)
      packer.add(served.key.scope.scope.rawValue)
      packer.add(served.key.scope.user.name)
      packer.add(served.key.id)
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
    guard let startPosition = unpacker.number(),
      let containerEnvironment = unpacker.containerEnvironment(),
      let scope = unpacker.text().flatMap(DatabaseScope.init),
      let user = unpacker.text(), let id = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    let place = SubscriptionScope(in: containerEnvironment, scope: scope, user: UserID(user))
    served = Served(startPosition: startPosition, key: SubscriptionKey(scope: place, id: id))
  }
}

extension NotifierCursor {
  /// As it was saved; the beginning of the log if none was.
  init(of bucket: Bucket, from transaction: any ReadTransaction) throws {
    let saved = try transaction.settings.value(.notifierCursor(bucket))
    self = saved.flatMap { NotifierCursor($0) } ?? NotifierCursor(position: 0)
  }
}
