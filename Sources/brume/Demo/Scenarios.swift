// The scenarios, as the director plays them. Each ends with a change by another device, so that a
// push that came twice or to its sender would already have arrived before the last one.

extension DemoRun {
  static let playContacts: @Sendable (DemoRun) async throws -> Void = { demo in
    let phone = try demo.device("Alice's phone", of: "alice", app: "contacts")
    let laptop = try demo.device("Alice's laptop", of: "alice", app: "contacts")
    defer { for device in [phone, laptop] { device.stop() } }
    try await phone.perform("launch")
    try await laptop.perform("launch")

    try await laptop.perform("add", "Ada Lovelace")
    let first = try await phone.push()
    try demo.timeline.check(
      "the push is silent and names the zone",
      first.isSilent && first.kind == "fet" && first.zone == "Contacts")
    try demo.timeline.check(
      "only the new contact came back",
      first.reaction == "fetched 1 new [Ada Lovelace], 0 deleted",
      first.reaction)

    try await phone.perform("add", "Grace Hopper")
    let second = try await laptop.push()
    try demo.timeline.check(
      "the laptop was notified of the phone's contact, and never of its own",
      second.id != first.id && second.reaction == "fetched 1 new [Grace Hopper], 0 deleted",
      second.reaction)

    try await laptop.perform("delete", "Ada Lovelace")
    let third = try await phone.push()
    try demo.timeline.check(
      "a deletion arrives as a deletion", third.reaction == "fetched 0 new [], 1 deleted",
      third.reaction)
    let lists = (try await phone.perform("list"), try await laptop.perform("list"))
    try demo.timeline.check(
      "both devices show the same contacts", lists.0 == lists.1 && lists.0 == "Grace Hopper")
    try demo.checkNothingElseCame(phone, laptop)
  }

  static let playWhistles: @Sendable (DemoRun) async throws -> Void = { demo in
    let expert = try demo.device("Alice's phone", of: "alice", app: "whistles")
    let whistler = try demo.device("Bob's phone", of: "bob", app: "whistles")
    defer { for device in [expert, whistler] { device.stop() } }
    try await whistler.perform("whistle", "Rock")
    try await expert.perform("genres", "Jazz", "Blues")
    let again = try await expert.perform("genres", "Jazz", "Blues")
    try demo.timeline.check(
      "saving again flushes the old subscriptions and makes no duplicates",
      again.hasPrefix("flushed 2"), again)
    try await whistler.perform("genres", "Jazz")

    try await whistler.perform("whistle", "Rock")
    try await whistler.perform("whistle", "Jazz")
    let push = try await expert.push()
    try demo.timeline.check(
      "the alert is the one for the genre, with its sound",
      push.alert == "There's a new whistle in the Jazz genre." && push.sound == "default",
      push.summary)
    try demo.timeline.check(
      "the push is for the public database", push.database == 2 && push.reason == 1)
    try demo.timeline.check(
      "the record can be fetched at once", push.reaction == "fetched the whistle: Jazz",
      push.reaction)

    try await expert.perform("whistle", "Jazz")
    let other = try await whistler.push()
    try demo.timeline.check("the whistler got no push of his own whistle", other.id != push.id)
    try await whistler.perform("whistle", "Blues")
    let blues = try await expert.push()
    try demo.timeline.check(
      "each genre has its own alert", blues.alert == "There's a new whistle in the Blues genre.",
      blues.summary)
    try demo.checkNothingElseCame(expert, whistler)
  }

  static let playShared: @Sendable (DemoRun) async throws -> Void = { demo in
    let owner = try demo.device("Alice's phone", of: "alice", app: "shared")
    let guest = try demo.device("Bob's phone", of: "bob", app: "shared")
    defer { for device in [owner, guest] { device.stop() } }
    try await owner.perform("subscribe")
    try await guest.perform("subscribe")
    let link = try await owner.perform("share")
    try await guest.perform("accept", link)

    try await owner.perform("add", "Porto")
    var push = try await guest.push()
    if push.reaction != "zone Trip: [Lisbon, Porto]" {
      // Accepting the share changed the shared database, too; that push may come by itself.
      push = try await guest.push()
    }
    try demo.timeline.check(
      "the push is for the shared database",
      push.kind == "met" && push.database == 3 && push.subscriptionID == "shared-changes")
    try demo.timeline.check(
      "the guest sees the owner's places", push.reaction.contains("Porto"), push.reaction)

    try await guest.perform("add-shared", "Faro")
    let pushed = try await owner.push()
    try demo.timeline.check(
      "the owner is notified of the guest's place in the private database",
      pushed.database == 1 && pushed.kind == "met", pushed.summary)
    let left = try await guest.perform("leave")
    try demo.timeline.check(
      "after leaving, the zone is gone for the guest", left == "left; 0 shared zones", left)
    try demo.checkNothingElseCame(guest)
  }
}
