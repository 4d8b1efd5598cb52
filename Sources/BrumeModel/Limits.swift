// Every number that the product promises or enforces, with its source. What only changes speed, such as the size of
// a step, stands beside its code (rule 4 of CONTRIBUTING.md).

/// The numbers of one server; times are in milliseconds, sizes in bytes, unless a line says otherwise.
package struct Limits: Sendable, Equatable {
  // MARK: Requests

  /// CloudKit documents 200 operations a request over HTTP.
  package var operationsPerRequest = 200
  /// CloudKit documents 200 records a response.
  package var recordsPerResponse = 200
  /// CloudKit's framework works in batches of at most 400 items; the service names the maximum.
  package var itemsPerOperation = 400
  /// Apple's header of SDK 27 documents 250 saves and deletions a batch of a sync engine.
  package var syncEngineBatch = 250
  /// Apple's `CKError.limitExceeded` documents about 2 MB of records a request: where a batch of a sync engine is full.
  package var syncEngineBatchBytes = 2 << 20
  /// Ours: 200 records of some size. Larger bodies get 413.
  package var requestBodyBytes = 16 << 20
  /// Ours: bytes of records in one answer. Pages end before it; of records asked for by name those beyond fail, and can be asked for again.
  package var answerBytes = 32 << 20
  /// Ours: a body that comes without credentials, such as a name and a password.
  package var openBodyBytes = 8192
  /// Ours: one parameter of an address. Tokens and the states of a sign-in are the longest.
  package var parameterBytes = 8192
  /// Ours: the target of a request, which is its path with all parameters, in bytes.
  package var requestTargetBytes = 16_384
  /// Ours: how long a client that was refused may go on sending, so that it gets to read the refusal.
  package var refusedLinger: Milliseconds = 500
  /// Ours: how much time that the server itself lost one connection gets back in all, so that a
  /// server that is busy all the time still ends silent connections.
  package var lostTimeGivenBack: Milliseconds = 60_000
  /// Ours: after a rest, the requests of this many seconds may come at once.
  package var rateBurstSeconds = 10
  /// Ours: one header that is read.
  package var headerBytes = 4096
  /// Ours (decision 0012).
  package var jsonDepth = 32
  /// Ours: requests that are worked on at once. Streams, polls and files are not among them.
  package var requestsAtOnce = 512
  /// Ours: of these, requests of one user, or of one address without a user; more wait in order.
  package var requestsAtOncePerCaller = 64
  /// Ours: how many wait; the next is refused.
  package var requestsWaitingPerCaller = 256
  /// Ours: bytes of request bodies in memory at once, and how many of them came from one address.
  package var bodyBytesAtOnce = 256 << 20
  package var bodyBytesAtOncePerAddress = 64 << 20
  /// Ours: bytes of large answers that wait for clients to read them, and how many of them are for one address.
  package var answerBytesAtOnce = 256 << 20
  package var answerBytesAtOncePerAddress = 96 << 20
  /// Ours: an answer is large from so many bytes on. Smaller ones have half as much memory of their own (`HeldBytes`).
  package var largeAnswerBytes = 256 << 10

  // MARK: HTTP/2

  /// Ours: requests of one connection at once; what RFC 9113 (6.5.2) names as the least that makes sense.
  package var http2Streams = 100
  /// Ours: the header of one request, unpacked.
  package var http2HeaderListBytes = 65_536
  /// Ours: bytes of a request's body that a client may send while nobody reads it.
  package var http2StreamWindow = 256 << 10
  /// Ours: bytes of all bodies of a connection that a client may send before it learns that they arrived. They need not
  /// be read for that: unread are as many as all its requests may have.
  package var http2ConnectionWindow = 1 << 20
  /// Ours: streams that a client gave up or that were malformed, and frames that steer a connection (PING, SETTINGS,
  /// PRIORITY), within the counted time; then the connection is closed.
  package var http2Resets = 200
  package var http2ControlFrames = 1000
  package var http2CountedTime: Milliseconds = 30_000
  /// Ours: frames without content in a row.
  package var http2EmptyFrames = 16
  /// Ours: acknowledgements that wait for a client that does not read.
  package var http2UnsentFrames = 1000

  // MARK: Records

  /// CloudKit documents 1 MB without assets.
  package var recordBytes = 1 << 20
  /// CloudKit documents 255 ASCII characters for record, zone and field names.
  package var nameLength = 255
  /// Ours: names that CloudKit sets no limit to (of devices, users, operations), addresses and numbers; in bytes.
  package var labelBytes = 255
  /// CloudKit documents 750 delete-self references to one record.
  package var deleteSelfReferences = 750
  /// Ours: names of records that hold such references, as many as a save remembers; of others the store is asked again.
  package var rememberedHolders = 100_000
  /// Ours: how far up a parent chain is followed before it counts as a cycle.
  package var parentChain = 256
  /// Ours: records that one cascade may delete.
  package var cascade = 10_000
  /// Ours: bytes of the records that one cascade may delete.
  package var cascadeBytes = 64 << 20
  /// Ours: records below those that one request moves further from the root.
  package var recordsBelowMoves = 20_000
  /// Ours: how often saves and deletions of one request are judged anew because others of it failed.
  package var relationRounds = 16
  /// Ours: elements of all lists of a request or a record, and different words of texts. Each may be a row of the query index.
  package var listElementsPerRequest = 250_000
  package var wordsPerRequest = 100_000
  package var wordsPerRecord = 100_000
  /// Ours: references in all records of one request. Each is a row that its target is found by.
  package var referencesPerRequest = 2_000
  /// Ours: bytes of values and files that the private database of a user may hold. Nil: no limit.
  /// CloudKit's is what the user pays for.
  package var storageBytesPerUser: Int64?

  /// Ours: zones of one private database. All are listed in one answer.
  package var zonesPerDatabase = 2000
  /// Ours: names that a database has had zones of. Deleted ones stay known, for tokens that have not seen it.
  package var zoneNamesPerDatabase = 100_000
  /// Ours: zones or shares of one answer to an operator.
  package var operatorListPage = 200
  /// Ours: accounts of one answer to an operator.
  package var operatorListUsers = 1000
  /// Ours: mistakes of a schema's text that one answer lists.
  package var schemaFaults = 100
  /// Ours: shares that one user takes part in, in a container. Their zones are listed in one answer.
  package var sharesJoinedPerUser = 2000

  /// Ours: named requests of one user whose outcome is remembered; two in the same place drive each other out.
  package var rememberedOperations: UInt64 = 1024
  /// Ours: how long such an outcome answers a repetition.
  package var operationLifetime: Milliseconds = 86_400_000

  // MARK: Queries

  /// Ours (docs/queries.md).
  package var filtersPerQuery = 100
  package var sortsPerQuery = 10
  /// Ours: values of one IN list.
  package var valuesPerFilter = 250
  /// Ours: values of all conditions of a query together.
  package var valuesPerQuery = 2500
  /// Ours: bytes of all conditions of a query together.
  package var queryBytes = 256 << 10
  /// Ours: words of one search; each is looked up in every zone that is asked.
  package var wordsPerSearch = 500
  /// Ours: candidates that one page of a query may look at before it answers with a marker.
  package var candidatesPerPage = 20_000
  /// Ours: candidates that one page of a sorted query may look at before the query is refused.
  package var sortedCandidates = 500_000
  /// Ours: records shared with a participant in a zone, beyond which queries there are refused: changes can be fetched.
  package var sharedRecordsPerQuery = 100_000
  /// Ours: changes that one answer may look at before it leaves the rest to the next. Of bytes it reads twice as many as it may hold.
  package var changesLookedAt = 20_000
  /// Ours: how long a zone remembers a deletion at least, before which tokens expire; nil: for as long as it lives.
  package var deletionLifetime: Milliseconds?
  /// Ours: how often the databases are looked through for deletions that are old enough.
  package var deletionSweep: Milliseconds = 3_600_000
  /// Ours: into how many parts a lifetime is divided to know the age of deletions. One is forgotten a part too late.
  package var deletionMarks: Int64 = 8
  /// Ours: deletions that are forgotten in one transaction.
  package var deletionRows = 500
  /// Ours: how long new records may stay out of the query index after the last that came.
  package var indexRest: Milliseconds = 2000

  // MARK: Schemas

  /// Ours: record types that a development schema takes up from saves; its file may name more.
  package var learnedRecordTypes = 1000
  /// Ours: fields of one record type, as far as saves bring them.
  package var learnedFieldsPerType = 1000
  /// Ours: bytes of a development schema's text, as far as saves bring them. Each request reads it.
  package var learnedSchemaBytes = 512 << 10

  // MARK: Subscriptions and notifications

  /// CloudKit documents three desired keys.
  package var desiredKeys = 3
  /// Ours; CloudKit's number is not public.
  package var subscriptionsPerUser = 500
  /// Ours: bytes of one subscription: its conditions and names, without `notificationInfo`.
  package var subscriptionBytes = 65_536
  /// Ours: bytes of all subscriptions of a user in a container; saving one looks at the others.
  package var subscriptionBytesPerUser = 1 << 20
  /// Whether production refuses kinds of subscriptions that were not deployed, as CloudKit does.
  package var deploysSubscriptionTypes = false
  /// Ours: kinds of subscriptions that an environment remembers.
  package var subscriptionTypes = 1000
  /// APNs documents 4096 bytes.
  package var payloadBytes = 4096
  /// CloudKit documents that strings in a payload may be cut beyond 100 characters.
  package var payloadStringLength = 100
  /// APNs documents 64 bytes for the collapse identifier.
  package var collapseIDBytes = 64
  /// Ours: waiting notifications of one device, then one "fetch everything" (docs/internals/notifications.md, N6).
  package var mailboxRows = 100
  /// Ours: entries of a mailbox that its stream reads at once.
  package var streamEntries = 50
  /// Ours: event streams and polls of one user that are open at one server.
  package var streamsPerUser = 100
  /// Ours: devices of one user in one container environment.
  package var devicesPerUser = 50
  /// Ours: notifications kept for `CKFetchNotificationChangesOperation` per user.
  package var keptNotifications = 1000
  /// Ours: a kept notification holds all desired keys, unlike the push (case PSH-20), within this.
  package var keptPayloadBytes = 65_536
  /// Ours: all texts of one `notificationInfo` together.
  package var notificationInfoBytes = 32_768
  /// Ours: buckets whose changes are served at the same time.
  package var notifiersAtOnce = 4
  /// Ours: log entries that the notifier reads at once.
  package var notifierEntries = 256
  /// Ours: bytes of records after which it reads only a few entries more.
  package var notifierBytes = 4 << 20
  /// Ours: log entries that concern nobody and are passed without saving the cursor.
  package var notifierUnsavedEntries = 4096
  /// Ours: mailbox entries after which a transaction serves no further subscription; a larger fan-out
  /// goes on in the next, and saves get between.
  package var notifierDeliveries = 2000
  /// Ours: the same while others write.
  package var notifierAwaitedDeliveries = 20
  /// Ours: mailbox entries that a change is likely to need still and that are written though others wait.
  package var notifierRest = 100
  /// Ours: how long a fan-out of several transactions leaves the store to others after each, while
  /// they write. With twenty entries before it, this is more than nine tenths of the time.
  package var notifierPause: Milliseconds = 40
  /// Ours: a change that has waited for so long is delivered at full speed, whoever writes.
  package var notifierMaximumDelay: Milliseconds = 60_000
  /// Ours: pushes that are remembered for merging: the last of each device, subscription and collapse ID. Of all, and of a user.
  package var coalescedKeys = 100_000
  package var coalescedKeysPerUser = 1000
  /// Ours: silent pushes of one subscription to one device merge within this window.
  package var coalescingWindow: Milliseconds = 1000
  /// Ours: containers whose notifications one courier token may bring.
  package var containersPerCourierToken = 20
  /// Apple's web courier: a token is valid for 12 hours.
  package var courierSeconds = 43_200

  // MARK: Assets

  /// CloudKit documents 50 MB for an asset.
  package var assetBytes: Int64 = 50 << 20
  /// CloudKit documents 15 minutes for an upload address.
  package var assetUploadLifetime: Milliseconds = 15 * 60_000
  /// Ours: how long after its begin an upload may be used by a save.
  package var assetReceiptLifetime: Milliseconds = 60 * 60_000
  /// Ours: how long the ID of an asset is good. Apple says a few days.
  package var exportedAssetLifetime: Milliseconds = 3 * 24 * 3_600_000
  /// Ours: uploads of one user that no save has used yet, and their bytes together.
  package var pendingUploadsPerUser = 400
  package var pendingUploadBytesPerUser: Int64 = 4 << 30
  /// CloudKit: download addresses live for hours.
  package var assetAddressLifetime: Milliseconds = 4 * 3_600_000
  /// Ours: assets of one list; as many as one request gives tokens for.
  package var assetsPerField = 200
  /// Ours: files and uploads that the sweeper looks at in one transaction.
  package var assetSweepRows = 200

  /// Ours: how much larger than its file the form may be that brings it, in bytes.
  package var assetFormBytes: Int64 = 16_384
  /// Ours: bytes of a form's header, and of what may come before its first part.
  package var multipartHeaderBytes = 8192
  /// Ours: names of each kind in the answer of a check of all assets.
  package var assetCheckNames = 1000

  // MARK: A clock that is moved by hand

  /// Ours: how far one call may move it, which is a century.
  package var clockStep: Milliseconds = 36_525 * 86_400_000
  /// Ours: of what waits for it, how much one answer names.
  package var shownTimers = 20

  // MARK: Backups

  /// Ours: snapshots for backups that a server keeps at once. Each is a file as large as the rows.
  package var backupSnapshots = 2
  /// Ours: how long a snapshot is kept after it was asked for last, so that a broken transfer can go on.
  package var backupSnapshotLifetime: Milliseconds = 3_600_000

  // MARK: Delivery to the outside

  /// APNs documents at most 30 days, push services usually keep 28.
  package var pushLifetime: Milliseconds = 28 * 86_400_000
  /// RFC 8291 with a body of 4096 bytes, which every push service takes.
  package var webPushPayloadBytes = 3993
  /// Ours: a push address as somebody registers it.
  package var pushURLBytes = 2048
  /// Ours: sends under way at once, over all channels.
  package var pushesUnderWay = 1024
  /// Ours: devices and webhooks that wait in memory; more wait in the store until the next look.
  package var deliveryLanes = 50_000
  /// Ours: those of one host, such as a push service that fails: the rest is for all others.
  package var deliveryLanesPerPeer = 25_000
  /// Ours: how often the store is looked through for pending entries that no hint named.
  package var deliveryScan: Milliseconds = 60_000
  /// Ours: the first wait after a failure, doubled up to the second.
  package var deliveryBackoff: Milliseconds = 1000
  package var deliveryBackoffMaximum: Milliseconds = 600_000
  /// Ours: failures in a row, in about an hour, after which an address called gone is so though registered later.
  package var goneAttempts = 15
  /// Ours: how long another side may ask us to wait.
  package var retryAfterMaximum: Milliseconds = 3_600_000
  /// Ours: devices that the delivery worker looks up in one transaction.
  package var deliveryPage = 256
  /// Apple refuses provider tokens that are older than an hour.
  package var apnsTokenLifetime: Milliseconds = 60 * 60_000
  /// Apple refuses senders that make provider tokens more often than every 20 minutes.
  package var apnsTokenMinimumLifetime: Milliseconds = 20 * 60_000
  /// Ours: how long a push to Apple waits that only the operator can help.
  package var pushConfigurationPause: Milliseconds = 300_000
  /// RFC 8292 allows 24 hours for a token for push services.
  package var vapidLifetime: Milliseconds = 12 * 3_600_000
  /// Ours: it is made anew when half of the lifetime is over.
  package var vapidRenewal: Milliseconds = 6 * 3_600_000
  /// Ours: signing keys, tokens of push services, and refusals by Apple that are remembered, each.
  package var rememberedSenders = 1000
  /// Ours: bytes of what another side answers; enough for any error text.
  package var outsideAnswerBytes = 8192
  /// Ours: hosts to which connections are kept open, and as many accounts at Apple.
  package var outsideHosts = 256
  /// Ours: connections to one host. How many are used is the delivery queue's business.
  package var outsideConnectionsPerHost = 1000
  /// Ours: rows of the push log, and of it in one answer.
  package var pushLogRows = 10_000
  package var pushLogPage = 1000
  /// Ours: how long changes and their deliveries are remembered for an operator who asks why a push did not
  /// come; 0: not at all.
  package var historyAge: Milliseconds = 24 * 3_600_000
  /// Ours: changes, and deliveries, that are remembered over all buckets of a store.
  package var historyRows = 20_000
  /// Ours: the same of a store in memory, whose transactions copy the list.
  package var historyRowsInMemory = 1000
  /// Ours: a larger image of a record goes from the log as soon as its change is served.
  package var historyImageBytes = 65_536
  /// Whether the log has the image of each change, not only of those that subscriptions are judged by: so that
  /// one can step back through it.
  package var logsEveryImage = false
  /// Ours: how often the history is looked through for what is too old, and how many rows each time.
  package var historySweep: Milliseconds = 10_000
  package var historySweepRows = 1000
  /// Ours: subscriptions that one trace looks at, and those that it describes.
  package var tracedSubscriptions = 10_000
  package var describedSubscriptions = 100
  /// Ours: changes that one trace names.
  package var tracedChanges = 20
  /// Ours: webhooks of one container environment, and of a server. All of a server are read when its log is trimmed.
  package var webhooksPerContainer = 20
  package var webhooks = 1000
  /// Ours: apps of one container whose pushes are signed for Apple, each with its key.
  package var apnsKeysPerContainer = 100
  /// Ours: changes in one call of a webhook.
  package var webhookChanges = 100
  /// Ours: records of one call of a webhook together; what is beyond goes into the next.
  package var webhookBytes = 4 << 20
  /// Ours: failures in a row after which a webhook is switched off.
  package var webhookFailures = 30
  /// Ours: log entries that are kept for a webhook that is behind.
  package var webhookLag: Int64 = 100_000

  // MARK: Sharing

  /// CloudKit documents 100 participants.
  package var participants = 100
  /// Ours: the bytes of a save's `clientChangeTokenData`.
  package var clientDataBytes = 1024
  /// Ours: devices of one user whose `clientChangeTokenData` a zone remembers; the longest unused
  /// goes first.
  package var clientDataDevices = 32
  /// Ours: requests for access that wait at one share; more are not noted.
  package var accessRequests = 100
  /// Ours: people that one share keeps out.
  package var blockedPeople = 1000

  // MARK: Authentication

  /// CloudKit documents 30 minutes for a web auth token, two weeks when the user stays signed in.
  package var webAuthTokenLifetime: Milliseconds = 30 * 60_000
  package var keptWebAuthTokenLifetime: Milliseconds = 14 * 86_400_000
  /// Ours: how long after a sign-in its tokens are renewed at most, as short-lived ones and when the
  /// user stays signed in. Then somebody has to sign in again.
  package var sessionLifetime: Milliseconds = 86_400_000
  package var keptSessionLifetime: Milliseconds = 90 * 86_400_000
  /// A signed request is valid 10 minutes around its date.
  package var signatureSkew: Milliseconds = 10 * 60_000
  /// Ours: signatures of modifying requests that are remembered, so that a copy does nothing.
  package var usedSignatures = 750_000
  /// CloudKit JS asks for a fresh sign-in page every 14 minutes; ours lives longer.
  package var signInLifetime: Milliseconds = 30 * 60_000
  /// Ours: wrong passwords in a row for a name, then for an address, before waiting begins.
  package var freeAttemptsPerName = 5
  package var freeAttemptsPerAddress = 20
  /// Ours: the longest wait between two attempts.
  package var longestAttemptPause: Milliseconds = 15 * 60_000
  /// Ours: scrypt takes passwords of any length; a request should not bring one.
  package var passwordBytes = 1024
  /// Scrypt's N of new passwords, a power of two. OWASP's password storage cheat sheet says 2^17, with r 8 and p 1;
  /// ours is one step lower to spare small machines.
  package var passwordRounds = 1 << 16
  /// Ours: password checks at work or waiting for a thread. One costs 64 MB and a tenth of a second.
  package var passwordChecks = 8
  /// Ours: names and addresses whose attempts are remembered, and callers whose rate is measured.
  package var watchedCallers = 10_000
  /// Ours: web auth tokens whose seal is known to be good, and API tokens with accounts that are not asked for with
  /// each request. Beyond it all are forgotten, which costs time only.
  package var rememberedSeals = 10_000
  package var rememberedCredentials = 10_000
  /// Ours: accounts of a server, those of server-to-server keys among them.
  package var accounts = 200_000_000
  /// Ours: API tokens of a server, and its server-to-server keys. All are listed in one answer to an operator.
  package var apiTokens = 10_000
  package var serverKeys = 10_000
  /// Ours: web origins that one API token is for.
  package var originsPerToken = 100
  /// Ours: a key in PEM. Those of P-256 have about 200 bytes.
  package var keyBytes = 4096
  /// Ours: users with a role of one container environment, each as often as it has one. All are listed in one answer.
  package var roleMembersPerContainer = 10_000
  /// Ours: what is sealed may be so large; nothing that the server hands out is.
  package var sealedBytes = 1 << 20
  /// Ours: the origin of a web page that may use an API token, and the address that its sign-in leads back to.
  package var originBytes = 300
  package var callbackBytes = 2000
  /// Ours: how far the clocks of a provider and of the server may differ.
  package var idTokenSkew: Milliseconds = 60_000
  /// OpenID Connect Core documents 255 ASCII characters for whom an ID token names.
  package var idTokenSubjectBytes = 255
  /// Ours: how long a provider may take for an answer.
  package var providerAnswerTime: Milliseconds = 10_000
  /// Ours: how long a provider's document and keys are believed without reading them again.
  package var providerKeysLifetime: Milliseconds = 3_600_000
  /// Ours: how long after keys were read for an unknown one they are not read again for another.
  package var providerKeysPause: Milliseconds = 60_000
  /// Ours: what a provider may answer.
  package var providerAnswerBytes = 1 << 20
  /// Ours: keys of a provider that are looked at; those behind are passed over.
  package var providerKeys = 100
  /// Ours: sign-ins that talk to the provider at once.
  package var providerCalls = 16
  /// Ours: sign-ins by the provider a second, of one address and together; and at once after a rest.
  package var providerCallsPerAddress = 1
  package var providerCallsPerSecond = 20
  package var providerCallsBurstPerAddress = 100
  package var providerCallsBurst = 500
  /// Ours: how long a provider that did not answer is left alone.
  package var providerPause: Milliseconds = 5000

  // MARK: Operators

  /// Ours: entries of a setting that is a list, such as the hosts that webhooks may be at.
  package var settingEntries = 1000
  /// Ours: operators of a server, and admin tokens of all of them.
  package var operators = 200
  package var adminTokens = 500
  /// Ours: browsers in which one operator is signed in; the oldest goes.
  package var sessionsPerOperator = 20
  /// Ours: how long an operator's session lasts after its last use, and at most.
  package var operatorSessionIdle: Milliseconds = 2 * 3_600_000
  package var operatorSessionLifetime: Milliseconds = 12 * 3_600_000
  /// Ours: how often it is noted that a session or token was used.
  package var operatorUseNoted: Milliseconds = 60_000
  /// Ours: pages of the console that follow the server at once; one browser has one for the tab that is seen.
  package var consoleStreams = 50
  /// Ours: how often it is noted that a webhook or a key of Apple's push service was used.
  package var channelUseNoted: Milliseconds = 60_000
  /// Ours: one-time links at once, and how long one is good.
  package var operatorLinks = 10
  package var operatorLinkLifetime: Milliseconds = 30 * 60_000
  /// Ours: lines of the audit log, of refused requests in it, and how long they are kept.
  package var auditLines = 100_000
  package var auditRefusals = 10_000
  package var auditLifetime: Milliseconds = 365 * 86_400_000
  /// Ours: lines of the audit log in one answer.
  package var auditPage = 1000
  /// Ours: refused requests a second that get a line, in the long run, and at once after a rest.
  package var auditRefusalsPerSecond = 1
  package var auditRefusalsBurst = 100

  /// Ours: requests that a server remembers for operators, and lines of them in one answer.
  package var requestLogLines = 10_000
  package var requestLogPage = 1000
  /// Ours: users, tokens and keys whose last use is remembered.
  package var lastUses = 50_000
  /// Ours: records that are looked at for one answer about how much is stored, and zones whose size is
  /// remembered.
  package var sizedRecords = 50_000
  package var sizedZones = 10_000
  /// Ours: indexes whose use by queries is counted.
  package var countedIndexes = 10_000

  // MARK: Tracing, the server's own log

  /// Ours: spans that wait to be sent, where more are given up and counted, and spans in one call to the collector.
  package var spansWaiting = 8192
  package var spansPerCall = 512
  /// Ours: requests whose trace is remembered, for what happens because of them after their answer.
  package var tracedRequests = 10_000
  /// Ours: requests of one fan-out that get a span each.
  package var tracedPerFanOut = 100
  /// Ours: bytes of lines that wait until somebody reads the log, for each output; those that come then are lost and counted.
  package var logBytesWaiting = 1 << 20

  // MARK: Development

  /// Ours: faults at once, tokens that they expired, and accounts that they changed.
  package var faults = 1000

  package init() {}
}
