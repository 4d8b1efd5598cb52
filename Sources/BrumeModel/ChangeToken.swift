// What a change token says, as a value. Clients see an opaque, authenticated text; sealing and
// checking it is BrumeCore's `TokenRules`.

/// How much of something a client knows.
package struct ChangeToken: Equatable, Sendable, InContainerEnvironment {
  /// What the token is about.
  package enum Subject: Equatable, Sendable {
    /// Changes of one zone. `view` is a digest of what of the zone the reader may see; a reader
    /// whose view changed starts over.
    case zone(owner: String, name: String, incarnation: Int64, view: UInt64)
    /// Which zones of one private database changed.
    case database
    /// Which zones of a participant's shared database changed: the position in each.
    case shared([SharedPosition])
    /// Notifications kept for `CKFetchNotificationChangesOperation`.
    case notifications
  }
  /// How far a client knows one zone of somebody else.
  package struct SharedPosition: Equatable, Sendable {
    package let owner: String
    package let zone: String
    package let incarnation: Int64
    package let sequence: Int64
    package init(owner: String, zone: String, incarnation: Int64, sequence: Int64) {
      self.owner = owner
      self.zone = zone
      self.incarnation = incarnation
      self.sequence = sequence
    }
  }
  package var containerEnvironment: ContainerEnvironment
  package var scope: DatabaseScope
  /// Who may use it.
  package var reader: UserID
  /// The store's generation; restoring a backup makes a new one and expires every older token.
  package var generation: Int64
  package var subject: Subject
  /// Everything up to and including this sequence was delivered.
  package var sequence: Int64
  /// Set while a fetch of several pages is under way.
  package var walk: Walk?

  /// The frame of a fetch of several pages: what changes during it belongs to the next fetch
  /// (case CHG-16), and one that began with nothing contains no old deletion (case CHG-07), unless it asked.
  package struct Walk: Equatable, Sendable {
    /// The last sequence that belongs to the fetch.
    package let through: Int64
    /// It began with nothing: what was forgotten since is none of its business.
    package let isFirst: Bool
    /// It began with nothing and asked for the deletions that are remembered.
    package let withDeletions: Bool
    /// Newest first: what has this sequence or a higher one was delivered (case CHG-14). Nil: oldest
    /// first.
    package let below: Int64?
    package init(
      through: Int64, isFirst: Bool, withDeletions: Bool = false, below: Int64? = nil
    ) {
      self.through = through
      self.isFirst = isFirst
      self.withDeletions = withDeletions
      self.below = below
    }
  }

  package init(
    in containerEnvironment: ContainerEnvironment, scope: DatabaseScope, reader: UserID,
    generation: Int64, subject: Subject, sequence: Int64, walk: Walk? = nil
  ) {
    self.containerEnvironment = containerEnvironment
    self.scope = scope
    self.reader = reader
    self.generation = generation
    self.subject = subject
    self.sequence = sequence
    self.walk = walk
  }
}
