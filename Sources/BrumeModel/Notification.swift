// A notification: what one device gets about one change for one subscription.

/// What is said of one change to one subscription, before it has the form of a channel.
package struct Notification: Equatable, Sendable {
  /// Raw values are the numbers of `fo` in the push.
  package enum Reason: Int, Hashable, Sendable {
    case created = 1
    case updated = 2
    case deleted = 3
  }
  /// What changed.
  package enum Subject: Equatable, Sendable {
    case query(zone: ZoneID, recordName: String, reason: Reason, fields: [String: FieldValue])
    case zone(ZoneID)
    /// The zone is the one that changed, when one did.
    case database(ZoneID?)
    /// Something was dropped: fetch everything (overflow, or a pruned payload without its kind).
    case fetchEverything
  }
  /// As the subscription has it, with the values of the record's fields as localisation arguments.
  package typealias Text = NotificationInfo.Text
  /// One per change; with the subscription ID it identifies the notification (`nid`).
  package var id: String
  /// Nil only when pruned away.
  package var container: ContainerID?
  package var environment: Environment
  package var scope: DatabaseScope
  /// Nil only when pruned away.
  package var subscriptionID: String?
  /// Whose subscription it is.
  package var user: UserID?
  package var subject: Subject
  package var alert = Text()
  package var title = Text()
  package var subtitle = Text()
  package var alertActionLocalizationKey: String?
  package var alertLaunchImage: String?
  package var soundName: String?
  package var badge: Int?
  package var category: String?
  package var contentAvailable = false
  package var mutableContent = false
  package var collapseID: String?
  /// Something was left out to fit the payload limit.
  package var isPruned = false

  package init(
    id: String, container: ContainerID?, environment: Environment, scope: DatabaseScope,
    subscriptionID: String?, user: UserID?, subject: Subject
  ) {
    self.id = id
    self.container = container
    self.environment = environment
    self.scope = scope
    self.subscriptionID = subscriptionID
    self.user = user
    self.subject = subject
  }

  /// Whole: nothing of it was pruned away yet.
  package init(
    id: String, in containerEnvironment: ContainerEnvironment, scope: DatabaseScope,
    subscriptionID: String?, user: UserID?, subject: Subject
  ) {
    self.init(
      id: id, container: containerEnvironment.container,
      environment: containerEnvironment.environment, scope: scope, subscriptionID: subscriptionID,
      user: user, subject: subject)
  }
}

extension Notification {
  /// What takes the place of pushes that were dropped: silence is never the answer.
  package static func fetchEverything(id: String, of scope: SubscriptionScope) -> Notification {
    var notification = Notification(
      id: id, in: scope.containerEnvironment, scope: scope.scope, subscriptionID: nil,
      user: scope.user, subject: .fetchEverything)
    notification.contentAvailable = true
    notification.isPruned = true
    return notification
  }
}

/// A device that wants pushes.
package struct Device: Equatable, Sendable {
  /// How a device is reached.
  package enum Channel: Equatable, Sendable {
    /// Fetches its mailbox through the event stream.
    case stream
    /// Polls the web courier with this token (64 hex digits).
    case courier(token: String)
    /// Registered an Apple push token (hex). Nil topic: the container's first one.
    case apns(token: String, environment: Environment, topic: String?)
    /// Registered a subscription of a browser's or distributor's push service.
    case webPush(WebPushTarget)

    /// Raw values are what engines, metrics and the command line call it.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case stream, courier, apns, webpush
      /// The server sends; others come and fetch.
      package var isPushed: Bool {
        switch self {
        case .stream, .courier: false
        case .apns, .webpush: true
        }
      }
      /// Somebody may wait at the mailbox: who registers an Apple push token gets an address for polls as well.
      package var isFetched: Bool {
        switch self {
        case .stream, .courier, .apns: true
        case .webpush: false
        }
      }
    }
    package var kind: Kind {
      switch self {
      case .stream: .stream
      case .courier: .courier
      case .apns: .apns
      case .webPush: .webpush
      }
    }
  }
  package let key: DeviceKey
  package var channel: Channel
  /// When the device was registered.
  package var registered: Milliseconds
  package init(key: DeviceKey, channel: Channel, registered: Milliseconds) {
    self.key = key
    self.channel = channel
    self.registered = registered
  }
}

/// A user in one container environment, to whom devices, mailboxes, kept notifications and memberships belong.
package struct AccountKey: Hashable, Sendable, InContainerEnvironment {
  package let user: UserID
  package let containerEnvironment: ContainerEnvironment
  package init(_ user: UserID, _ containerEnvironment: ContainerEnvironment) {
    self.user = user
    self.containerEnvironment = containerEnvironment
  }

  /// The user's private database: what belongs to the account is in its bucket.
  package var database: DatabaseKey { DatabaseKey(in: containerEnvironment, owner: user) }
}

/// A device of one user in one container environment: the address of a mailbox.
package struct DeviceKey: Hashable, Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  package let user: UserID
  package let device: DeviceID
  package init(in containerEnvironment: ContainerEnvironment, user: UserID, device: DeviceID) {
    self.containerEnvironment = containerEnvironment
    self.user = user
    self.device = device
  }

  /// User and device distinguish nearly all; the rest is left to the comparison.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(user)
    hasher.combine(device)
  }

  /// Whose device it is.
  package var account: AccountKey { AccountKey(user, containerEnvironment) }

  /// The user's private database: what belongs to the device is in its bucket.
  package var database: DatabaseKey { account.database }
}
