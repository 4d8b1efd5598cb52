// How the outcome of a request is stored: which request it is of, then a result for each operation. Stores have all
// forms that there were, so what is read here may be of an earlier version.

import BrumeModel
import BrumeStorage

extension OperationMemory {
  /// What comes before the results: of which request they are, and how many.
  struct Heading {
    let containerEnvironment: ContainerEnvironment
    let owner: String
    let id: String
    let time: Milliseconds
    let count: Int64

    init?(_ unpacker: inout Unpacker) {
      guard let containerEnvironment = unpacker.containerEnvironment(), let owner = unpacker.text(),
        let id = unpacker.text(), let time = unpacker.number(), let count = unpacker.number(),
        count >= 0
      else { return nil }
      (self.containerEnvironment, self.owner, self.id) = (containerEnvironment, owner, id)
      (self.time, self.count) = (time, count)
    }

    func isOf(_ database: DatabaseKey, _ id: String) -> Bool {
      containerEnvironment == database.containerEnvironment && owner == database.ownerName
        && self.id == id
    }
  }

  /// What a stored result begins with.
  private enum ResultKind {
    /// By a version that did not keep the tag, or of a zone or a subscription.
    static let savedWithoutTag: Int64 = 0
    static let deleted: Int64 = 1
    static let failed: Int64 = 2
    static let saved: Int64 = 3
  }

  /// The results in order. What else is kept of failures stands behind all of them, where versions that do not know it
  /// read nothing: a server of such a version, beside this one, would take a repetition for a first try.
  static func add(_ results: [(index: Int, kept: Kept)], to packer: inout Packer) {
    for (index, kept) in results {
      packer.add(Int64(index))
      kept.add(to: &packer)
    }
    for (place, item) in results.enumerated() {
      guard let error = item.kept.failure else { continue }
      addMore(of: error, at: place, to: &packer)
    }
  }

  /// When to try again, and whether a reset was why.
  private static func addMore(of error: BrumeError, at place: Int, to packer: inout Packer) {
    guard error.retryAfter != nil || error.didResetEncryptedData else { return }
    // In milliseconds; a negative number is none.
    let wait = error.retryAfter.flatMap { Int64(exactly: ($0 * 1000).rounded(.up)) }
    packer.add(Int64(place))
    packer.add(wait ?? -1)
    packer.add(Int64(error.didResetEncryptedData ? 1 : 0))
  }

  /// So many results in order; nil if there are fewer.
  static func kept(_ count: Int, from unpacker: inout Unpacker) -> [Kept]? {
    var all: [Kept] = []
    for _ in 0..<count {
      guard unpacker.number() != nil, let kept = Kept(&unpacker) else { return nil }
      all.append(kept)
    }
    while let number = unpacker.number(), let place = Int(exactly: number),
      all.indices.contains(place), let wait = unpacker.number(), let isReset = unpacker.number()
    {
      all[place].take(wait: wait, isReset: isReset == 1)
    }
    return all
  }

  /// A result as it is stored.
  struct Kept {
    /// Of a record; of a zone its owner's; the ID of a subscription.
    let name: String
    /// Empty for a subscription.
    let zone: String
    let isDeletion: Bool
    /// Of a save whose tag is kept.
    private(set) var sequence: Int64?
    private(set) var failure: BrumeError?

    var isSave: Bool { !isDeletion && failure == nil }

    init(_ result: RecordResult) {
      switch result {
      case .success(.saved(let stored)):
        (name, isDeletion, sequence) = (stored.name, false, stored.sequence)
        zone = (try? stored.record().zone.name) ?? ZoneID.defaultName
      case .success(.deleted(let name, let zone)):
        (self.name, self.zone, isDeletion) = (name, zone.name, true)
      case .failure(let failure):
        (name, zone, isDeletion) = (failure.id.name, failure.id.zone.name, false)
        self.failure = failure.error
      }
    }

    /// - Parameter zone: with its owner.
    init(_ result: ZoneResult, of zone: ZoneID) {
      (name, self.zone) = (zone.ownerName ?? "", zone.name)
      switch result {
      case .success(let state): isDeletion = state.deletion != nil
      case .failure(let failure):
        isDeletion = false
        self.failure = failure.error
      }
    }

    init(_ result: SubscriptionResult) {
      zone = ""
      switch result {
      case .success(.saved(let subscription)): (name, isDeletion) = (subscription.id, false)
      case .success(.deleted(let id)): (name, isDeletion) = (id, true)
      case .failure(let failure):
        (name, isDeletion) = (failure.id, false)
        self.failure = failure.error
      }
    }

    init?(_ unpacker: inout Unpacker) {
      guard let kind = unpacker.number(), let name = unpacker.text(), let zone = unpacker.text()
      else { return nil }
      (self.name, self.zone) = (name, zone)
      isDeletion = kind == ResultKind.deleted
      switch kind {
      case ResultKind.deleted, ResultKind.savedWithoutTag: break
      case ResultKind.saved:
        guard let number = unpacker.number() else { return nil }
        sequence = number
      default:
        guard let code = unpacker.text().flatMap(BrumeError.Code.init), let reason = unpacker.text()
        else { return nil }
        failure = BrumeError(code, reason)
      }
    }

    fileprivate func add(to packer: inout Packer) {
      packer.add(kind)
      packer.add(name)
      packer.add(zone)
      if let failure {
        packer.add(failure.code.rawValue)
        packer.add(failure.reason)
      } else if let sequence {
        packer.add(sequence)
      }
    }

    private var kind: Int64 {
      if failure != nil { return ResultKind.failed }
      if isDeletion { return ResultKind.deleted }
      return sequence == nil ? ResultKind.savedWithoutTag : ResultKind.saved
    }

    /// What stands behind the results.
    fileprivate mutating func take(wait: Int64, isReset: Bool) {
      failure?.retryAfter = wait < 0 ? nil : Double(wait) / 1000
      failure?.didResetEncryptedData = isReset
    }
  }
}
