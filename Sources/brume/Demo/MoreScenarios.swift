// The scenarios of the query subscription, the tasks and the anti-patterns.

extension DemoRun {
  static let playFeed: @Sendable (DemoRun) async throws -> Void = { demo in
    let reader = try demo.device("Alice's phone", of: "alice", app: "feed")
    let writer = try demo.device("Alice's laptop", of: "alice", app: "feed")
    defer { for device in [reader, writer] { device.stop() } }
    try await reader.perform("launch")
    try await writer.perform("launch")

    try await writer.perform("post", "Gardening", "Plants")
    try await writer.perform("post", "Actors", "Swift", "Concurrency")
    let push = try await reader.push()
    try demo.timeline.check(
      "only the item tagged Swift made a push, and it is silent",
      push.isSilent && push.kind == "qry" && push.subscriptionID == "tagged-feed-changes")
    try demo.timeline.check(
      "the query then finds it", push.reaction == "queried: [Actors]", push.reaction)
    try await reader.perform("post", "Macros", "Swift")
    let other = try await writer.push()
    try demo.timeline.check(
      "the writer is left out", other.id != push.id && other.reaction.contains("Macros"))

    try await reader.perform("subscribe-large")
    try await writer.perform("post-large")
    let pruned = try await reader.push()
    try demo.timeline.check(
      "a payload over the limit is pruned to at most 4096 bytes and says so",
      pruned.isPruned && pruned.byteCount <= 4096, "\(pruned.byteCount) bytes")
    try demo.checkNothingElseCame(reader, writer)
    try await demo.playMerging(reader, writer)
  }

  /// Many changes in a moment: the first push comes at once, the rest wait for the window. Each push
  /// says only "something changed", so the app fetches until it has seen everything.
  func playMerging(_ reader: DeviceProcess, _ writer: DeviceProcess) async throws {
    try await reader.perform("subscribe-zone")
    try await writer.perform("burst", "30")
    var pushes = [try await reader.push()]
    while pushes.last?.reaction != "30 notes" { pushes.append(try await reader.push()) }
    // How many they became depends on the machine, so all of them are one check.
    try timeline.check(
      "each is a push of the zone", pushes.allSatisfy { $0.subscriptionID == "feed-zone" })
    try timeline.check(
      "30 changes became \(pushes.count) pushes: they merge", pushes.count < 30)
  }

  static let playTasks: @Sendable (DemoRun) async throws -> Void = { demo in
    let phone = try demo.device("Alice's phone", of: "alice", app: "tasks")
    let bob = try demo.device("Bob's phone", of: "bob", app: "tasks")
    defer { for device in [phone, bob] { device.stop() } }
    try await bob.perform("add", "sweep", "low")
    let ensured = try await phone.perform("ensure")
    try demo.timeline.check(
      "a missing subscription is unknownItem, then created", ensured == "subscription created")
    let again = try await phone.perform("ensure")
    try demo.timeline.check("the second time it is found", again == "subscription already exists")

    try await bob.perform("add", "paint", "low")
    try await bob.perform("add", "repair", "high")
    let created = try await phone.push()
    try demo.timeline.check(
      "created: alert, sound, badge 1, the desired key",
      created.alert == "New high-priority task!" && created.badge == 1
        && created.reaction == "created: repair, title repair", created.reaction)
    try await bob.perform("complete", "repair")
    try await bob.perform("add", "rescue", "high")
    let next = try await phone.push()
    try demo.timeline.check(
      "a task that stops matching fires nothing; the next one does, badge 2",
      next.recordName == "rescue" && next.badge == 2, next.summary)
    try await bob.perform("delete", "rescue")
    let deleted = try await phone.push()
    try demo.timeline.check(
      "deleted: its last state matched", deleted.reason == 3 && deleted.recordName == "rescue")
    let kept = try await phone.perform("kept")
    let count = kept.prefix { $0.isNumber }
    try demo.timeline.check(
      "the server kept what it sent",
      kept.hasPrefix("\(count) kept, 0 read") && Int(count) ?? 0 >= 3,
      kept)
    let later = try await phone.perform("kept")
    try demo.timeline.check(
      "what was marked comes back as read", later.hasPrefix("\(count) kept, \(count) read"), later)
    try demo.checkNothingElseCame(phone, bob)
  }

  static let playAntiPatterns: @Sendable (DemoRun) async throws -> Void = { demo in
    let phone = try demo.device("Alice's phone", of: "alice", app: "tasks")
    defer { phone.stop() }
    try await phone.perform("seed-item")
    let duplicate = try await phone.performExpectingError("duplicate")
    try demo.timeline.check(
      "a duplicate subscription: serverRejectedRequest",
      duplicate.code == 15 && duplicate.text.contains("duplicate of"), duplicate.text)
    let missing = try await phone.performExpectingError("missing-info")
    try demo.timeline.check(
      "no notificationInfo: invalidArguments", missing.code == 12, missing.text)
    let shared = try await phone.performExpectingError("query-in-shared")
    try demo.timeline.check(
      "a query subscription in the shared database: invalidArguments, naming what works",
      shared.code == 12 && shared.text.contains("CKDatabaseSubscription"), shared.text)
    try demo.server.command("schema", "index", "remove", "Item", "category", "queryable")
    let unindexed = try await phone.performExpectingError("not-indexed")
    try demo.timeline.check(
      "a predicate on a field without an index: invalidArguments, naming the command",
      unindexed.code == 12
        && unindexed.text.contains("brume schema index add Item category queryable"), unindexed.text
    )
  }
}
