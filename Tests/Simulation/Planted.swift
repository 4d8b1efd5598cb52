// Faults that are put in on purpose, to see that a run finds them. They are in the simulation's own parts
// (network, disk, apps); the code of the project is the same.

enum Planted: String, CaseIterable, Sendable {
  /// A commit that was acknowledged is not kept.
  case forgottenCommit = "forgotten-commit"
  /// A change is missing in an answer to who fetches changes, whose token has passed it.
  case skippedChange = "skipped-change"
  /// A push is lost on its way, and the stream goes on.
  case lostPush = "lost-push"
  /// A save does not say whose device it is of.
  case namelessDevice = "nameless-device"
  /// Who was removed from a share is still served.
  case staleRight = "stale-right"
  /// The log loses the entry of a save, so that no notifier reads it.
  case lostLogEntry = "lost-log-entry"
  /// Two devices may save over each other.
  case lostUpdate = "lost-update"
  /// The app forgets what it has to send.
  case forgetfulApp = "forgetful-app"
  /// An app does not hear which zones there are.
  case missedZones = "missed-zones"
  /// A notifier whose lease has passed on may still write.
  case unfencedNotifier = "unfenced-notifier"
  /// Word of what other servers did is lost, and nobody looks.
  case unpolledWord = "unpolled-word"
  /// Positions of different buckets are compared: what came into one counts as seen if another one is as far.
  case mixedPositions = "mixed-positions"
  /// Whom the owner removes from a share stays in it.
  case keptMember = "kept-member"
  /// Another zone is deleted than the one that was asked for.
  case vanishedZone = "vanished-zone"
  /// A save that nothing stands against is refused.
  case refusedSave = "refused-save"
  /// A request is refused though there is room for it, and somebody signed in.
  case refusedRequest = "refused-request"
  /// A token counts as expired, though its zone is there.
  case expiredToken = "expired-token"
  /// Tokens are not looked at: each answer has everything.
  case ignoredToken = "ignored-token"
  /// Who takes part in a share is not notified of a zone that changed, or that he lost.
  case untoldZone = "untold-zone"
  /// An update takes the fields away that it does not name.
  case droppedField = "dropped-field"
  /// A record has a tag that it had before.
  case reusedTag = "reused-tag"
  /// An answer has a record's fields of before under its new tag.
  case staleContent = "stale-content"
  /// A refusal has a record of a zone that the user may not read.
  case leakingRefusal = "leaking-refusal"
  /// What a device has acknowledged comes again with its next stream.
  case replayedMailbox = "replayed-mailbox"
  /// Each push comes twice, as two.
  case doubledPush = "doubled-push"
  /// Every push says that anything may have changed.
  case vaguePush = "vague-push"
  /// An app looks for changes again and again, without a push.
  case restlessEngine = "restless-engine"
  /// An engine reports a sign-out that did not happen.
  case inventedSignOut = "invented-sign-out"
  /// A participant saves with the right of another one.
  case borrowedRight = "borrowed-right"
  /// With whom the owner removes from a share, the others are removed too.
  case removedOthers = "removed-others"
  /// A push of a query subscription is lost.
  case lostQueryPush = "lost-query-push"
  /// A query subscription that is to fire once goes on.
  case endlessSubscription = "endless-subscription"
  /// A query subscription fires for changes that it was not made for.
  case curiousSubscription = "curious-subscription"
  /// The feed of a database says of a purged zone that it was deleted.
  case plainDeletion = "plain-deletion"
  /// An engine reports a purge as a deletion.
  case misreportedPurge = "misreported-purge"
  /// The feed of a database says of a zone that went with encrypted data that it was purged.
  case purgedReset = "purged-reset"
  /// An engine reports a reset of encrypted data as a deletion.
  case misreportedReset = "misreported-reset"
  /// A record of the default zone is there again after a purge.
  case returnedRecord = "returned-record"
  /// A save that took effect, of which nobody knew it, is carried out again when it is repeated.
  case unknownCommit = "unknown-commit"
  /// A server goes by its own clock.
  case ownClock = "own-clock"
  /// The process of a run traps when a device that knows a record fetches by hand.
  case suddenTrap = "sudden-trap"
  /// The process of a run comes to no end then.
  case endlessStep = "endless-step"

  /// There are several servers then.
  var needsNodes: Bool {
    self == .unfencedNotifier || self == .unpolledWord || self == .mixedPositions
      || self == .ownClock
  }

  /// There are two participants then.
  var needsGuest: Bool { self == .borrowedRight || self == .removedOthers }

  /// It ends the process, or must be ended with it, which is all that can be found.
  var isCrash: Bool { self == .suddenTrap || self == .endlessStep }
}
