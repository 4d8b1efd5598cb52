// Accounts, credentials, shares, files and deliveries: what requests ask beside records.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit

@testable import BrumePostgres

extension FullTables {
  /// What makes these tables large.
  static let moreAccounts = """
    INSERT INTO users (id, name, email, phone, token_epoch, discoverable)
      SELECT '_m' || n, 'm' || n, 'm' || n || '@example.org', '+1555' || n, 0, 1 FROM generate_series(1, 3000) AS n;
    INSERT INTO identities SELECT 'https://id.example.org', 's' || n, '_m' || n FROM generate_series(1, 3000) AS n;
    INSERT INTO role_members SELECT 'iCloud.other', 'development', 'r' || n % 3, '_m' || n
      FROM generate_series(1, 3000) AS n;
    INSERT INTO api_tokens SELECT 't' || n, 'web', 'iCloud.other', 'development' FROM generate_series(1, 3000) AS n;
    INSERT INTO server_keys SELECT 'k' || n, 'key', 'iCloud.other', 'development', 'x', '_m' || n
      FROM generate_series(1, 3000) AS n;
    INSERT INTO used_signatures SELECT 'used' || n, 5000 FROM generate_series(1, 3000) AS n;
    INSERT INTO account_changes SELECT n, '_m' || n, 'p' FROM generate_series(7001, 10000) AS n;
    INSERT INTO memberships SELECT 0, 'iCloud.other', 'development', '_m' || n, 'Trails', '_a', 'share'
      FROM generate_series(1, 3000) AS n;
    INSERT INTO members SELECT 0, 2000000 + n, 'share', '_m' || n FROM generate_series(1, 3000) AS n;
    INSERT INTO short_guids SELECT 'g' || n, 'iCloud.other', 'development', '_a', 'Trails', 'share'
      FROM generate_series(1, 3000) AS n;
    INSERT INTO subscriptions (bucket, container, environment, scope, user_id, id, starts, content)
      SELECT 0, 'iCloud.other', 'development', 'shared', '_m' || n, 's', '', content
      FROM generate_series(1, 3000) AS n, (SELECT content FROM subscriptions LIMIT 1) AS one;
    INSERT INTO devices
        (bucket, container, environment, user_id, device, channel, token, token_environment, registered)
      SELECT 0, 'iCloud.other', 'development', '_l' || n, 'd', 'apns', 'l' || n, 'development', 1
      FROM generate_series(1, 3000) AS n;
    INSERT INTO devices
        (bucket, container, environment, user_id, device, channel, token, token_environment, registered)
      SELECT 0, 'iCloud.other', 'development', '_m' || n, 'd', (ARRAY['apns', 'courier', 'stream'])[1 + n % 3],
        'a' || n, 'development', 1
      FROM generate_series(1, 3000) AS n;
    INSERT INTO mailbox
      SELECT 0, 'iCloud.other', 'development', '_m' || n, 'd', 1000000 + n, 'n', 's', NULL, 'x', 1, 'R'
      FROM generate_series(1, 3000) AS n;
    INSERT INTO asset_files SELECT 'f' || n, 'o' || n, 1, 'x', NULL FROM generate_series(1, 3000) AS n;
    INSERT INTO asset_holders SELECT 0, 2000000 + n, 'r', 'f' || n FROM generate_series(1, 3000) AS n;
    INSERT INTO asset_uploads SELECT 'u' || n, 'f' || n, 100000 FROM generate_series(1, 3000) AS n;
    INSERT INTO push_log
        (time, container, environment, device, channel, notification, subscription, request, subject, verdict, reason, attempt)
      SELECT 1, 'iCloud.other', 'development', 'd', 'apns', 'n', 's', 'R', 'x', 'sent', '', 1
      FROM generate_series(1, 3000) AS n;

    """

  /// Who calls, with what, and where the caller is reached.
  func readAccounts() async throws {
    try await store.read { transaction in
      let user = UserID("_m7")
      _ = try transaction.users.find(user)
      _ = try transaction.users.find(named: "m7")
      _ = try transaction.users.find(emailAddress: "m7@example.org")
      _ = try transaction.users.find(phoneNumber: "+15557")
      _ = try transaction.users.linked(
        to: ProviderIdentity(issuer: "https://id.example.org", subject: "s7"))
      _ = try transaction.roles.names(of: user, in: containerEnvironment)
      _ = try transaction.credentials.apiToken("t7")
      _ = try transaction.credentials.serverKey("k7")
      _ = try transaction.devices.find(device(7))
      _ = try transaction.devices.all(of: user)
      _ = try transaction.devices.all(courierToken: "a7")
      _ = try transaction.devices.all(address: "a9")
    }
    _ = try await store.changedAccounts(after: 10_000)
  }

  /// Zones, shares, subscriptions and files.
  func readPlaces() async throws {
    try await store.read { [key] transaction in
      let user = UserID("_m7")
      _ = try transaction.zones.find(key)
      _ = try transaction.zones.all(in: key.database)
      _ = try transaction.zones.changed(in: key.database, after: 0, limit: 50)
      _ = try transaction.records.descendants(of: ["r1"], in: key, limit: 100)
      _ = try transaction.records.depth(
        below: RecordKey(zone: key, name: "r1"), levels: 10, limit: 100)
      _ = try transaction.records.children(of: RecordKey(zone: key, name: "r0"), limit: 100)
      _ = try transaction.changes.deletions(in: key, after: 10_000, through: .max, limit: 100)
      _ = try transaction.shares.memberships(of: user, in: containerEnvironment)
      _ = try transaction.shares.memberships(in: key)
      _ = try transaction.shares.record(shortGUID: "g7")
      let scope = SubscriptionScope(in: containerEnvironment, scope: .private, user: UserID("_u7"))
      _ = try transaction.subscriptions.find("s1", in: scope)
      _ = try transaction.subscriptions.all(in: scope)
      let readers = ["_m7", "_m8", "_m9"].map {
        SubscriptionScope(in: containerEnvironment, scope: .shared, user: UserID($0))
      }
      _ = try transaction.subscriptions.all(in: readers)
      for withShared in [true, false] {
        _ = try transaction.subscriptions.page(
          watching: .only, withShared: withShared, after: nil, limit: 100)
      }
      _ = try transaction.assets.file("f7")
      _ = try transaction.assets.isFileNeeded("f7")
      _ = try transaction.assets.upload("u7")
      _ = try transaction.assets.uploads(begunBy: 1, limit: 100)
      _ = try transaction.assets.idleFiles(since: 1, limit: 100)
    }
  }

  /// What a sign-in, a signed request and an upload change.
  func writeAccounts() async throws {
    let name = UserID("_new")
    try await store.write(in: .server) { transaction in
      try transaction.users.put(User(id: name, name: "new", isDiscoverable: true))
      _ = try transaction.credentials.use(signature: "new", at: 6000, after: 4000, limit: 10_000)
      try transaction.assets.put(AssetFile(checksum: "new", object: "new", size: 1, digest: [1]))
      try transaction.assets.put(AssetUpload(id: "new", checksum: "new", began: 100_000))
      try transaction.assets.removeUpload("u9")
    }
    try await store.change([AttemptKey(digest: [1])], limit: 1000) { failures, now in
      failures[AttemptKey(digest: [1])] = FailedAttempts(count: 1, last: now)
    }
  }

  /// What goes out to devices, and what is written down of that.
  func deliver() async throws {
    _ = try await store.newEntries(in: .only, after: 0, limit: 100)
    _ = try await store.lastMailboxPositions()
    try await store.read { transaction in
      _ = try transaction.devices.withPendingEntries(after: nil, limit: 100)
      // Which buckets are this server's is up to its leases.
      if let session = (transaction as? PostgresTransaction)?.session {
        _ = try PendingDevices(session, in: [.only]).page(after: nil, limit: 100)
      }
      _ = try transaction.webhooks.all()
    }
    let entry = PushLogEntry(
      time: 1, in: containerEnvironment, user: UserID("_m7"), device: "d", channel: "apns",
      notificationID: "n", subscriptionID: "s", requestID: "R", subject: "x", verdict: .sent,
      status: 200, reason: "", attempt: 1)
    try await store.write(in: .server) { try $0.pushLog.append(entry, limit: 5000) }
  }
}
