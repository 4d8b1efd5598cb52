// Everything the memory engine holds, as one value. A transaction works on a copy; committing is
// assigning the copy, undoing is dropping it.

import BrumeModel

struct MemoryState: Sendable {
  var databases: [DatabaseKey: MemoryDatabase] = [:]
  var sequenceFloor: Int64 = 0

  /// By their numbers.
  var buckets: [MemoryBucket]

  var subscriptions: [MemorySubscription] = []
  var lastSubscriptionSerial: Int64 = 0

  var devices: [ByteText: Device] = [:]
  var mailboxes: [ByteText: [MailboxEntry]] = [:]
  var kept: [ByteText: [KeptNotification]] = [:]
  var lastKeptPosition: Int64 = 0
  var badges: [ByteText: Int] = [:]

  var apnsSenders: [APNsSender] = []
  var webhooks: [Webhook] = []
  var pushLog: [PushLogEntry] = []
  var lastPushLogPosition: Int64 = 0

  var users: [UserID: User] = [:]
  var apiTokens: [ByteText: APIToken] = [:]
  var serverKeys: [ByteText: ServerKey] = [:]
  var identities: [[ByteText]: UserID] = [:]
  var roleMembers: Set<RoleMember> = []
  var usedSignatures: [ByteText: Milliseconds] = [:]
  var memberships: Set<Membership> = []
  var shortGUIDs: [ByteText: RecordKey] = [:]
  var settings: [ByteText: [UInt8]] = [:]

  var operators: [ByteText: Operator] = [:]
  var operatorCredentials: [ByteText: OperatorCredential] = [:]
  var audit: [AuditEntry] = []
  var lastAuditPosition: Int64 = 0

  var assetFiles: [ByteText: AssetFile] = [:]
  var assetUploads: [ByteText: AssetUpload] = [:]
  var discardedAssetObjects: Set<ByteText> = []

  init(buckets count: Int) {
    buckets = Array(repeating: MemoryBucket(), count: count)
  }
}

/// What each bucket counts by itself.
struct MemoryBucket: Sendable {
  var log: [LogEntry] = []
  var lastLogPosition: Int64 = 0
  var lastMailboxPosition: Int64 = 0
  var history: [ServedChange] = []
}

struct MemoryDatabase: Sendable {
  var sequence: Int64 = 0
  var zones: [ByteText: MemoryZone] = [:]
}

struct MemoryZone: Sendable {
  var row: Zone?
  var records: [ByteText: MemoryRecord] = [:]
  var deletions: [ByteText: (line: StoredDeletion, creator: UserID?)] = [:]
}

/// A record as its bytes and as the value that they decode to: what a reader of a real engine gets.
struct MemoryRecord: Sendable {
  let record: Record
  let bytes: [UInt8]
  let sequence: Int64
}

struct MemorySubscription: Sendable {
  let serial: Int64
  let value: StoredSubscription
}
