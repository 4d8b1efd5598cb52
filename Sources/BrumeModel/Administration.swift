// What operators ask for and get of other people's data, as values. The wire reads and writes them, the
// rules take and make them. Records, zones and queries themselves are the values that users have.

// MARK: Places

/// A database as an operator names it, by names of people. Which users they are is for the rules.
package struct OperatorView: Equatable, Sendable {
  package var scope: DatabaseScope
  /// Whose database it is: a sign-in name or a record name. In the public database: who writes.
  package var user: String?
  /// Whose rights hold; nil: the operator's, who may see and change everything.
  package var actingAs: String?

  package init(_ scope: DatabaseScope, of user: String? = nil, as actingAs: String? = nil) {
    self.scope = scope
    self.user = user
    self.actingAs = actingAs
  }
}

/// One environment of a container in the operator's list. Every number is of a short list or an index.
package struct ContainerSummary: Equatable, Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  /// Databases in which something was ever written.
  package var databases: Int
  package var recordTypes: Int
  package var apiTokens: Int
  package var serverKeys: Int
  package init(
    _ containerEnvironment: ContainerEnvironment, databases: Int = 0, recordTypes: Int = 0,
    apiTokens: Int = 0, serverKeys: Int = 0
  ) {
    self.containerEnvironment = containerEnvironment
    self.databases = databases
    self.recordTypes = recordTypes
    self.apiTokens = apiTokens
    self.serverKeys = serverKeys
  }
}

/// Part of a list, in the order of names.
package struct ListPage<Item: Sendable>: Sendable {
  package var items: [Item]
  /// What the next call names as `after`; nil on the last page.
  package var after: String?
  package init(_ items: [Item], after: String?) {
    self.items = items
    self.after = after
  }
}

/// A zone in the operator's list.
package struct ZoneSummary: Equatable, Sendable {
  package var zone: ZoneID
  package var isAtomic: Bool
  /// The place of the zone's last change in the order of its database; 0 if nothing was written yet.
  package var sequence: Int64
  /// When the record was saved that changed last; nil if the last change was another, or nothing is there.
  package var changed: Milliseconds?
  /// Whether there is a share in the zone.
  package var hasShares: Bool
  /// Nil: nobody asked.
  package var size: StoredSize?
  package init(
    _ zone: ZoneID, isAtomic: Bool, sequence: Int64, changed: Milliseconds? = nil,
    hasShares: Bool = false
  ) {
    self.zone = zone
    self.isAtomic = isAtomic
    self.sequence = sequence
    self.changed = changed
    self.hasShares = hasShares
  }
}

/// A share in the operator's list, with everybody who takes part.
package struct ShareSummary: Equatable, Sendable {
  package var name: String
  package var zone: ZoneID
  package var share: Share
  package init(_ name: String, in zone: ZoneID, _ share: Share) {
    self.name = name
    self.zone = zone
    self.share = share
  }
}

// MARK: Questions about rights

/// Whether somebody may do something.
package struct PermissionQuestion: Equatable, Sendable {
  /// What is to be done with the record; writing includes deleting.
  package enum Action: String, CaseIterable, Sendable { case read, create, write }
  package var action: Action
  /// Nil: the default zone.
  package var zone: ZoneID?
  /// The record that is read or written, or the parent of the one that is created.
  package var recordName: String?
  /// The type of the record that is created; without a name, of the record of somebody else that is read or
  /// written in the public database.
  package var recordType: String?
  package init(
    _ action: Action, zone: ZoneID? = nil, recordName: String? = nil, recordType: String? = nil
  ) {
    self.action = action
    self.zone = zone
    self.recordName = recordName
    self.recordType = recordType
  }
}

/// The answer to a `PermissionQuestion`, with its grounds.
package struct PermissionAnswer: Equatable, Sendable {
  package var isAllowed: Bool
  /// What gives the right, or what would have to: one sentence.
  package var reason: String
  /// Record names of the shares that cover the record and that the user accepted.
  package var shares: [String]
  package init(isAllowed: Bool, reason: String, shares: [String] = []) {
    self.isAllowed = isAllowed
    self.reason = reason
    self.shares = shares
  }
}

/// A change token, opened, with what the store knows of its place.
package struct TokenContents: Equatable, Sendable {
  package var token: ChangeToken
  /// The reader's sign-in name; nil if the account is gone.
  package var readerName: String?
  /// The store's generation now.
  package var generation: Int64
  /// The newest place of what the token is about; nil if that is gone, or is no zone or database.
  package var newest: Int64?
  /// When the newest record was saved that the token's owner has seen, as far as it is still the newest
  /// version; nil if nobody knows.
  package var seenUntil: Milliseconds?
  /// Why the server would refuse the token; nil: it would not.
  package var refusal: String?
  package init(_ token: ChangeToken, generation: Int64) {
    self.token = token
    self.generation = generation
  }
}

// MARK: Deletions

/// How many deletions zones were made to forget, or would be.
package struct DeletionReport: Equatable, Sendable {
  /// Deletions that were forgotten, or would be.
  package var deletions: Int
  /// Zones that had some.
  package var zones: Int
  /// Databases that were looked at.
  package var databases: Int
  /// Of these, databases of which nobody knows what is so old.
  package var unknown: Int

  package init(deletions: Int = 0, zones: Int = 0, databases: Int = 0, unknown: Int = 0) {
    self.deletions = deletions
    self.zones = zones
    self.databases = databases
    self.unknown = unknown
  }

  /// Adds the numbers of both.
  package static func += (sum: inout DeletionReport, more: DeletionReport) {
    sum.deletions += more.deletions
    sum.zones += more.zones
    sum.databases += more.databases
    sum.unknown += more.unknown
  }
}
