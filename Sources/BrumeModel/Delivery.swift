// What delivery to the outside knows: where browsers get pushes, who signs for Apple, webhooks, and the
// log of what was sent.

/// A push subscription as browsers and UnifiedPush distributors provide it.
package struct WebPushTarget: Equatable, Sendable {
  /// The push service's URL for this subscription: a secret, never logged.
  package let endpoint: String
  /// The subscriber's P-256 key, uncompressed: 65 bytes.
  package let key: [UInt8]
  /// The subscription's authentication secret: 16 bytes.
  package let secret: [UInt8]
  package init(endpoint: String, key: [UInt8], secret: [UInt8]) {
    self.endpoint = endpoint
    self.key = key
    self.secret = secret
  }
}

/// With which key the pushes for one app are signed for Apple.
package struct APNsSender: Hashable, Sendable {
  package let container: ContainerID
  /// The app's bundle ID.
  package let topic: String
  /// The team's ID at Apple, which is the issuer of its tokens.
  package let team: String
  /// The ID of the key at Apple.
  package let keyID: String
  /// The `.p8` file's text: a secret, never logged.
  package let privateKey: String
  package init(
    container: ContainerID, topic: String, team: String, keyID: String, privateKey: String
  ) {
    self.container = container
    self.topic = topic
    self.team = team
    self.keyID = keyID
    self.privateKey = privateKey
  }
}

/// A server that wants the change feed of a container pushed.
package struct Webhook: Equatable, Sendable, InContainerEnvironment {
  /// `wh_` and 16 hex digits.
  package let id: String
  package let containerEnvironment: ContainerEnvironment
  package let url: String
  /// Signs every call: a secret, never logged.
  package let secret: [UInt8]
  package let created: Milliseconds
  /// The log positions up to which everything was delivered.
  package var cursor: LogPositions
  /// The end of the call under way, which has changes of one bucket. A retry sends the same entries with
  /// the same ID.
  package var batchEnd: BatchEnd?
  /// Failures in a row.
  package var failures = 0
  /// Why it is switched off; nil while it is on.
  package var disabledBecause: String?
  /// Entries went before they were delivered: the receiver has to fetch everything.
  package var missed = false

  package init(
    id: String, in containerEnvironment: ContainerEnvironment, url: String, secret: [UInt8],
    created: Milliseconds, cursor: LogPositions
  ) {
    self.id = id
    self.containerEnvironment = containerEnvironment
    self.url = url
    self.secret = secret
    self.created = created
    self.cursor = cursor
  }

  /// Whether it is switched on.
  package var isActive: Bool { disabledBecause == nil }

  /// A place in the log of one bucket.
  package struct BatchEnd: Equatable, Sendable {
    package let bucket: Bucket
    package let position: Int64
    package init(bucket: Bucket, position: Int64) {
      self.bucket = bucket
      self.position = position
    }
  }
}

/// One attempt to deliver something, and what the other side answered.
package struct PushLogEntry: Equatable, Sendable, InContainerEnvironment {
  /// What came of an attempt.
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    /// The other side took it.
    case sent
    /// To be sent again, with the same ID.
    case retry
    /// The device is no more.
    case gone
    /// The other side will never take this one.
    case refused
    /// The permission went between the save and the push.
    case withdrawn
    /// Waited too long; a "fetch everything" took its place.
    case expired
    /// A fault that a test asked for dropped it, or holds it back.
    case stopped
  }
  /// Rises; assigned by the engine.
  package var position: Int64 = 0
  /// When the attempt ended.
  package var time: Milliseconds
  package var containerEnvironment: ContainerEnvironment
  /// Nil for webhooks.
  package var user: UserID?
  /// The device, or the webhook's ID.
  package var device: String
  /// A kind of `Device.Channel`, or `webhook`.
  package var channel: String
  package var notificationID: String
  package var subscriptionID: String
  /// The request that caused the change.
  package var requestID: String
  /// What changed, in words: the zone or record.
  package var subject: String
  package var verdict: Verdict
  /// The other side's status; nil if it gave none.
  package var status: Int?
  /// The other side's reason, or ours. Never an address, token or payload.
  package var reason: String
  /// Counts from 1.
  package var attempt: Int

  package init(
    time: Milliseconds, in containerEnvironment: ContainerEnvironment, user: UserID?,
    device: String, channel: String, notificationID: String, subscriptionID: String,
    requestID: String, subject: String, verdict: Verdict, status: Int?, reason: String,
    attempt: Int
  ) {
    self.time = time
    self.containerEnvironment = containerEnvironment
    self.user = user
    self.device = device
    self.channel = channel
    self.notificationID = notificationID
    self.subscriptionID = subscriptionID
    self.requestID = requestID
    self.subject = subject
    self.verdict = verdict
    self.status = status
    self.reason = reason
    self.attempt = attempt
  }
}

/// Which entries of the push log somebody wants to see. Nil means any.
package struct PushLogFilter: Equatable, Sendable {
  package var container: ContainerID?
  package var environment: Environment?
  package var user: UserID?
  package var device: String?
  package var notificationID: String?
  package var requestID: String?
  /// Only entries of a lower position.
  package var before: Int64?
  package init() {}

  /// Whether an entry is wanted; texts are compared exactly.
  package func admits(_ entry: PushLogEntry) -> Bool {
    (container.map { $0 == entry.container } ?? true)
      && (environment.map { $0 == entry.environment } ?? true)
      && (user.map { $0 == entry.user } ?? true)
      && (device.map { $0 == entry.device } ?? true)
      && (notificationID.map { $0 == entry.notificationID } ?? true)
      && (requestID.map { $0 == entry.requestID } ?? true)
      && (before.map { entry.position < $0 } ?? true)
  }
}
