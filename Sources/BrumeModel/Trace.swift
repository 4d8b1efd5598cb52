// What became of one change: the answer to "why did my push not come?", as a value.
//
// Which facts it is made of, and how they are judged, is the notifier's and delivery's; its form on the wire is
// BrumeWire's. It names devices and says what the other side answered, but has no address, token or field value.

/// One change, the subscriptions that could have fired for it, and their devices.
package struct Trace: Equatable, Sendable {
  /// The answer in one sentence.
  package var sentence: String
  package var history: History
  /// The change that is explained; nil if none is known that was asked for.
  package var change: Change?
  /// Further changes that were asked for, newest first.
  package var others: [Change] = []
  /// Those that fired first, then the nearest miss first.
  package var subscriptions: [Judgement] = []
  /// Subscriptions that were looked at and watch another database, zone or type: never candidates.
  package var notCandidates = 0
  /// Whether all that there are were looked at and are named.
  package var isComplete = true

  package init(sentence: String, history: History) {
    self.sentence = sentence
    self.history = history
  }
}

extension Trace {
  /// How long changes and their deliveries are remembered.
  package struct History: Equatable, Sendable {
    /// In milliseconds; 0: nothing is remembered.
    package var age: Milliseconds
    /// The most deliveries, and the most changes, that are remembered.
    package var rows: Int
    package init(age: Milliseconds, rows: Int) {
      self.age = age
      self.rows = rows
    }
  }

  /// A change, as the log has it.
  package struct Change: Equatable, Sendable {
    /// What was done.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
      case created, updated, deleted, zoneCreated, zoneDeleted, membership
    }
    /// Bucket and position in its log, such as `0-12`.
    package var id: String
    package var time: Milliseconds
    package var kind: Kind
    /// `public` or `private`: where the change was made.
    package var scope: DatabaseScope
    /// Whose database it is; nil for the public one.
    package var owner: String?
    package var zone: String?
    package var record: String?
    package var recordType: String?
    /// Who made it: all three nil or empty for what no request made.
    package var user: String?
    package var device: String?
    package var request: String
    /// The notification of it (`nid`).
    package var notification: String

    package init(
      id: String, time: Milliseconds, kind: Kind, scope: DatabaseScope, request: String,
      notification: String
    ) {
      self.id = id
      self.time = time
      self.kind = kind
      self.scope = scope
      self.request = request
      self.notification = notification
    }
  }

  /// What became of a push, or why there is none.
  package enum Verdict: String, Hashable, Sendable, CaseIterable {
    // Of subscriptions.
    case fired
    case createdLater, recordType, event, zone, condition
    /// The subscription was saved anew or removed before the change was served.
    case replaced
    case noRight, shareLeft, ownWriter
    /// What is stored of its user is damaged.
    case damaged
    /// Its user had no device at all.
    case noDevice
    /// The notifier has not served the change yet.
    case pending
    // Of devices.
    case signedOut, waiting, merged, sent, acknowledged, retry, gone, refused, withdrawn, expired
    case stoppedByFault
    /// What is remembered does not say.
    case unknown
  }

  /// Where a fact is from.
  package enum Source: String, Hashable, Sendable, CaseIterable {
    /// Noted when it happened.
    case recorded
    /// Judged again now, by what is stored now.
    case judged
  }

  /// One question that the server asks before a push leaves, in the order in which it asks.
  package struct Gate: Equatable, Sendable {
    /// Which question it is.
    package enum Name: String, Hashable, Sendable, CaseIterable {
      // Of subscriptions.
      case start, database, zone, recordType, event, condition, subscription, right, writer
      // Of devices.
      case device, mailbox, merging, permission, age, answer
      /// Whether the device fetched afterwards.
      case fetch
    }
    /// What came of the question.
    package enum Outcome: String, Hashable, Sendable, CaseIterable {
      case passed, failed, notAsked, unknown
    }
    package var name: Name
    package var outcome: Outcome
    /// A sentence.
    package var fact: String
    package var source: Source
    package init(_ name: Name, _ outcome: Outcome, _ fact: String, _ source: Source) {
      self.name = name
      self.outcome = outcome
      self.fact = fact
      self.source = source
    }
  }

  /// One subscription.
  package struct Judgement: Equatable, Sendable {
    /// Whose it is: the sign-in name, or the record name of a user without one.
    package var user: String
    package var subscription: String
    package var scope: DatabaseScope
    package var verdict: Verdict
    /// A sentence.
    package var reason: String
    package var source: Source
    package var gates: [Gate] = []
    package var devices: [Device] = []
    package init(
      user: String, subscription: String, scope: DatabaseScope, verdict: Verdict, reason: String,
      source: Source
    ) {
      self.user = user
      self.subscription = subscription
      self.scope = scope
      self.verdict = verdict
      self.reason = reason
      self.source = source
    }
  }

  /// One device of a subscription's user.
  package struct Device: Equatable, Sendable {
    package var device: String
    /// A kind of `Device.Channel`; nil if it is not known any more.
    package var channel: String?
    package var verdict: Verdict
    /// A sentence.
    package var reason: String
    package var source: Source
    /// The notification that took this one's place.
    package var mergedInto: String?
    /// When a push that waits may be delivered.
    package var due: Milliseconds?
    package var gates: [Gate] = []
    /// What was tried, oldest first.
    package var attempts: [Attempt] = []
    package init(
      device: String, channel: String?, verdict: Verdict, reason: String, source: Source
    ) {
      self.device = device
      self.channel = channel
      self.verdict = verdict
      self.reason = reason
      self.source = source
    }
  }

  /// A line of the push log.
  package struct Attempt: Equatable, Sendable {
    package var time: Milliseconds
    package var verdict: PushLogEntry.Verdict
    /// Counts from 1.
    package var number: Int
    /// The other side's status; nil if it gave none.
    package var status: Int?
    package var reason: String
    package init(
      time: Milliseconds, verdict: PushLogEntry.Verdict, number: Int, status: Int?, reason: String
    ) {
      self.time = time
      self.verdict = verdict
      self.number = number
      self.status = status
      self.reason = reason
    }
  }
}
