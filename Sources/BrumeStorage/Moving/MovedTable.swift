// What a store holds, as tables that every engine can read and fill: how `brume migrate` moves one to another
// engine. What an engine has for itself (numbers of zones, the query index, counts) is not among them.

/// A table of a move. They are copied in this order.
package enum MovedTable: String, CaseIterable, Sendable {
  case settings
  case users
  case identities
  case apiTokens = "api_tokens"
  case serverKeys = "server_keys"
  case usedSignatures = "used_signatures"
  case roles
  case databases
  case zones
  case records
  case references
  case assetHolders = "asset_holders"
  case assetFiles = "asset_files"
  case assetUploads = "asset_uploads"
  case assetDiscards = "asset_discards"
  case memberships
  case shortGUIDs = "short_guids"
  case subscriptions
  case devices
  case mailboxes
  case keptNotifications = "kept_notifications"
  case badges
  case webhooks
  case apnsSenders = "apns_senders"
  case pushLog = "push_log"
  case operators
  case operatorCredentials = "operator_credentials"
  case audit
  case log
}

/// A column of a table of a move.
package struct MovedColumn: Sendable {
  /// What a column holds.
  package enum Kind: Sendable {
    case integer, text, bytes
    /// Log positions as a text (`LogPositions.text`), which mean something else in each store.
    case positions
    /// One of them: where an entry of the log is.
    case place
  }
  package let name: String
  package let kind: Kind
  /// Whether it may be null.
  package let isOptional: Bool
}

extension MovedTable {
  /// The columns of the key come first. Rows are read in the order of their keys, by bytes.
  package var columns: [MovedColumn] { Self.known[self]?.columns ?? [] }

  /// How many columns make the key.
  package var keyLength: Int { Self.known[self]?.keyLength ?? 0 }

  /// Asked for with every row.
  private static let known: [MovedTable: (columns: [MovedColumn], keyLength: Int)] =
    allCases.reduce(into: [:]) { known, table in
      let form = table.form
      known[table] = (columns: form.key + form.others, keyLength: form.key.count)
    }

  /// Whether keys are nothing that a log or a terminal should show.
  package var hasSecretKeys: Bool {
    [.apiTokens, .usedSignatures, .operatorCredentials, .shortGUIDs].contains(self)
  }

  private typealias Form = (key: [MovedColumn], others: [MovedColumn])

  private var form: Form {
    switch self {
    case .settings: ([text("name")], [bytes("value")])
    case .users, .identities, .apiTokens, .serverKeys, .usedSignatures, .roles: accountForm
    case .databases, .zones, .records, .references, .assetHolders, .memberships, .shortGUIDs:
      recordForm
    case .assetFiles:
      (
        [text("checksum")],
        [text("object"), integer("size"), bytes("digest"), integer("idle_since", isOptional: true)]
      )
    case .assetUploads: ([text("id")], [text("checksum", isOptional: true), integer("began")])
    case .assetDiscards: ([text("object")], [])
    case .subscriptions, .devices, .mailboxes, .keptNotifications, .badges: notificationForm
    case .webhooks, .apnsSenders, .pushLog: deliveryForm
    case .operators, .operatorCredentials, .audit: operatorForm
    case .log: logForm
    }
  }

  private var accountForm: Form {
    switch self {
    case .users:
      (
        [text("id")],
        [text("name")]
          + optionalTexts("password_hash", "email", "phone", "given_name", "family_name")
          + [integer("token_epoch"), integer("discoverable")]
      )
    case .identities: ([text("issuer"), text("subject")], [text("user")])
    case .apiTokens:
      ([text("token")], [text("name")] + place + optionalTexts("origins", "callback"))
    case .serverKeys: ([text("id")], [text("name")] + place + [text("public_key"), text("user")])
    case .usedSignatures: ([text("identity")], [integer("time")])
    default: (place + [text("role"), text("user")], [])
    }
  }

  /// What is in a database. `owner` is empty for the public one.
  private var recordForm: Form {
    let database = place + [text("owner")]
    let zone = database + [text("zone")]
    return switch self {
    case .databases: (database, [integer("sequence")])
    case .zones:
      (
        zone,
        [integer("incarnation"), integer("last_sequence"), text("deletion", isOptional: true)]
          + [integer("has_shares")]
      )
    case .records:
      (
        zone + [text("name")],
        // Names of shares, each ended by a line break.
        optionalTexts("type", "deleted_type", "deleted_creator", "deleted_shares")
          + [integer("sequence"), text("parent", isOptional: true)]
          + [bytes("content", isOptional: true)]
      )
    case .references: (zone + [text("target"), text("action"), text("name")], [])
    case .assetHolders: (zone + [text("name"), text("checksum")], [])
    case .memberships: (zone + [text("share"), text("user")], [])
    default: ([text("guid")], zone + [text("name")])
    }
  }

  private var notificationForm: Form {
    let account = place + [text("user")]
    let pushed = [text("notification"), text("subscription")]
    return switch self {
    case .subscriptions:
      (
        [integer("serial")],
        place + [text("scope"), text("user"), text("id"), positions("starts")]
          + [text("watched_type", isOptional: true), bytes("content")]
      )
    case .devices:
      (
        account + [text("device")],
        [text("channel")] + optionalTexts("token", "token_environment", "topic")
          + [bytes("push_key", isOptional: true), bytes("push_secret", isOptional: true)]
          + [integer("registered")]
      )
    // Positions are given anew; what counts is the order.
    case .mailboxes:
      (
        account + [text("device"), integer("ordinal")],
        pushed + [text("collapse", isOptional: true), bytes("payload"), integer("time")]
          + [text("request")]
      )
    case .keptNotifications:
      (account + [integer("ordinal")], pushed + [bytes("payload"), integer("is_read")])
    default: (account, [integer("badge")])
    }
  }

  private var deliveryForm: Form {
    switch self {
    case .webhooks:
      (
        [text("id")],
        place + [text("url"), bytes("secret"), integer("created"), positions("log_positions")]
          + [integer("failures"), text("disabled_because", isOptional: true), integer("missed")]
      )
    case .apnsSenders:
      (
        [integer("serial")],
        ["container", "topic", "team", "key_id", "private_key"].map { text($0) }
      )
    default:
      (
        [integer("position")],
        [integer("time")] + place + [text("user", isOptional: true)]
          + ["device", "channel", "notification", "subscription", "request", "subject", "verdict"]
          .map { text($0) }
          + [integer("status", isOptional: true), text("reason"), integer("attempt")]
      )
    }
  }

  private var operatorForm: Form {
    switch self {
    case .operators:
      (
        [text("id")], [text("name"), text("role"), text("password_hash"), integer("created")]
      )
    case .operatorCredentials:
      (
        [text("id")],
        [text("kind"), text("name"), text("operator_id", isOptional: true), text("role")]
          + [integer("created")]
          + [integer("last_used", isOptional: true), integer("ends", isOptional: true)]
      )
    default:
      (
        [integer("position")],
        [integer("time")]
          + ["operator_name", "address", "request", "action", "subject"].map { text($0) } + place
          + [integer("status", isOptional: true), integer("refused")]
      )
    }
  }

  /// `ordinal` counts the entries of a database. Zone and container environment are those of the event.
  private var logForm: Form {
    (
      place + [text("owner"), integer("ordinal")],
      [MovedColumn(name: "place", kind: .place, isOptional: false), integer("kind")]
        + optionalTexts("zone_container", "zone_environment", "zone_owner", "zone")
        + optionalTexts("name", "type", "subject") + [integer("sequence", isOptional: true)]
        + [bytes("image", isOptional: true)]
        + optionalTexts("shares", "event_container", "event_environment", "user", "device")
        + [text("request"), integer("time")]
    )
  }
}

// MARK: Columns

private let place = [text("container"), text("environment")]

private func text(_ name: String, isOptional: Bool = false) -> MovedColumn {
  MovedColumn(name: name, kind: .text, isOptional: isOptional)
}

private func optionalTexts(_ names: String...) -> [MovedColumn] {
  names.map { text($0, isOptional: true) }
}

private func integer(_ name: String, isOptional: Bool = false) -> MovedColumn {
  MovedColumn(name: name, kind: .integer, isOptional: isOptional)
}

private func bytes(_ name: String, isOptional: Bool = false) -> MovedColumn {
  MovedColumn(name: name, kind: .bytes, isOptional: isOptional)
}

private func positions(_ name: String) -> MovedColumn {
  MovedColumn(name: name, kind: .positions, isOptional: false)
}
