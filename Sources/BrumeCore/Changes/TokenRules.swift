// Change tokens: what they say, who may use them, and when they expire.
//
// A token that this server did not make, or made for another reader, database, zone or incarnation of a
// zone, or before a backup was restored, or before a deletion that the zone does not remember any more, is
// expired: the reader starts over and loses nothing (cases CHG-04, CHG-30, ZON-16). It is never misread.

import BrumeModel

enum TokenRules {
  static let expired = BrumeError(
    .changeTokenExpired,
    "the client's knowledge differs from the server's: this change token is too old, or was made "
      + "for something else; drop it and fetch from the beginning")

  /// The same, saying so if the zone was deleted and made again since the token was given.
  static func expired(_ token: ChangeToken, for subject: ChangeToken.Subject) -> BrumeError {
    var error = expired
    if case .zone(let owner, let name, let tokenIncarnation, _) = token.subject,
      case .zone(owner, name, let present, _) = subject
    {
      error.isOfEarlierIncarnation = tokenIncarnation != present
    }
    return error
  }

  /// A token from before a deletion that was forgotten since would leave its reader with a record that is gone.
  /// Who began with nothing has none of those.
  ///
  /// - Parameter forgotten: the highest sequence of a forgotten deletion in the zone.
  static func missesDeletions(_ token: ChangeToken, forgotten: Int64) -> Bool {
    token.walk?.isFirst != true && token.sequence < forgotten
  }

  /// The token's bytes before sealing.
  static func bytes(_ token: ChangeToken) -> [UInt8] {
    var packer = Packer()
    packer.add(2)
    packer.add(token.containerEnvironment)
    packer.add(token.scope.rawValue)
    packer.add(token.reader.name)
    packer.add(token.generation)
    packer.add(token.sequence)
    packer.add(token.walk?.through ?? -1)
    packer.add(beginning(of: token.walk))
    packer.add(token.walk?.below ?? -1)
    add(token.subject, to: &packer)
    return packer.bytes
  }

  /// 0: with a token; 1: with nothing; 2: the same, and it asked for old deletions.
  private static func beginning(of walk: ChangeToken.Walk?) -> Int64 {
    guard let walk, walk.isFirst else { return 0 }
    return walk.withDeletions ? 2 : 1
  }

  private static func add(_ subject: ChangeToken.Subject, to packer: inout Packer) {
    switch subject {
    case .zone(let owner, let name, let incarnation, let view):
      packer.add(1)
      packer.add(owner)
      packer.add(name)
      packer.add(incarnation)
      packer.add(Int64(bitPattern: view))
    case .database:
      packer.add(2)
    case .shared(let positions):
      packer.add(3)
      packer.add(Int64(positions.count))
      for position in positions {
        packer.add(position.owner)
        packer.add(position.zone)
        packer.add(position.incarnation)
        packer.add(position.sequence)
      }
    case .notifications:
      packer.add(4)
    }
  }

  /// Nil for bytes that are no token.
  static func token(_ bytes: [UInt8]) -> ChangeToken? {
    var unpacker = Unpacker(bytes)
    guard unpacker.number() == 2,
      let containerEnvironment = unpacker.containerEnvironment(),
      let scope = unpacker.text().flatMap(DatabaseScope.init),
      let reader = unpacker.text(),
      let generation = unpacker.number(),
      let sequence = unpacker.number(),
      let through = unpacker.number(),
      let beginning = unpacker.number(), (0...2).contains(beginning),
      let below = unpacker.number(),
      let subject = subject(from: &unpacker), unpacker.isAtEnd
    else { return nil }
    return ChangeToken(
      in: containerEnvironment, scope: scope,
      reader: UserID(reader), generation: generation, subject: subject, sequence: sequence,
      walk: through < 0
        ? nil
        : ChangeToken.Walk(
          through: through, isFirst: beginning > 0, withDeletions: beginning == 2,
          below: below < 0 ? nil : below))
  }

  private static func subject(from unpacker: inout Unpacker) -> ChangeToken.Subject? {
    switch unpacker.number() {
    case 1:
      guard let owner = unpacker.text(), let name = unpacker.text(),
        let incarnation = unpacker.number(), let view = unpacker.number()
      else { return nil }
      return .zone(
        owner: owner, name: name, incarnation: incarnation, view: UInt64(bitPattern: view))
    case 2: return .database
    case 3: return positions(from: &unpacker).map { .shared($0) }
    case 4: return .notifications
    default: return nil
    }
  }

  private static func positions(
    from unpacker: inout Unpacker
  ) -> [ChangeToken.SharedPosition]? {
    // Each takes bytes of its own, so a number gone wrong ends with the bytes.
    guard let count = unpacker.number(), count >= 0, count <= unpacker.bytesLeft else { return nil }
    var positions: [ChangeToken.SharedPosition] = []
    for _ in 0..<count {
      guard let owner = unpacker.text(), let zone = unpacker.text(),
        let incarnation = unpacker.number(), let sequence = unpacker.number()
      else { return nil }
      positions.append(
        .init(owner: owner, zone: zone, incarnation: incarnation, sequence: sequence))
    }
    return positions
  }
}
