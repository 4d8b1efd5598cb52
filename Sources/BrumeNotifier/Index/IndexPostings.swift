// Where subscriptions wait: a posting is one value of one field in one scope.

import BrumeModel
import BrumePredicate

extension SubscriptionIndex {
  /// Who waits at one value of one field.
  struct Posting: Sendable {
    let scope: Int32
    var plain = Target.nobody
    /// Number of a set of bounds.
    var bounds: Int32 = -1
    /// Number of a list of conditions that have to be evaluated.
    var conditions: Int32 = -1
    /// How many wait here: what the choice of a path goes by.
    var count: Int32 = 0
  }

  /// All postings, by number, and the numbers of fields.
  struct Postings: Sendable {
    /// What is to be known of a posting that nobody waits at any more.
    struct Gone {
      let scope: Int32
      let field: Int32
      let kind: UInt8
      let parameter: UInt32
    }

    private var fields = InternTable()
    private var keys = InternTable()
    private var postings: [Posting] = []

    var isEmpty: Bool { fields.count == 0 && keys.count == 0 }
    var indices: Range<Int> { postings.indices }

    subscript(number: Int32) -> Posting { postings[Int(number)] }

    func isUsed(_ number: Int32) -> Bool { keys.isUsed(number) }

    /// Those of these keys that somebody waits at.
    func find(_ wanted: KeyList) -> [Int32] { keys.find(wanted) }

    /// How many wait at a key.
    func count(at key: AccessKey, in scope: Int32) -> Int {
      guard let field = fields.find(Self.bytes(of: key.field)),
        let posting = keys.find(
          Self.header(scope, field, key.kind, key.parameter) + key.bytes)
      else { return 0 }
      return Int(postings[Int(posting)].count)
    }

    /// What the keys of one use of a field begin with.
    static func header(
      _ scope: Int32, _ field: Int32, _ kind: AccessKind, _ parameter: UInt32
    ) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(64)
      bytes.append(scope)
      bytes.append(field)
      bytes.append(kind.rawValue)
      bytes.append(parameter)
      return bytes
    }

    // MARK: Changing

    /// One more waits at a key. Answers whether it is the first.
    mutating func use(
      _ key: AccessKey, in scope: Int32
    ) -> (number: Int32, field: Int32, isNew: Bool) {
      let field = useField(key.field)
      let number = keys.use(Self.header(scope, field, key.kind, key.parameter) + key.bytes)
      if number == postings.count {
        postings.append(Posting(scope: scope))
      } else if postings[Int(number)].count == 0 {
        postings[Int(number)] = Posting(scope: scope)
      }
      postings[Int(number)].count += 1
      let isNew = postings[Int(number)].count == 1
      // The posting itself keeps one use of the field.
      if !isNew { releaseField(field) }
      return (number, field, isNew)
    }

    /// One less waits. Answers what the posting was if it was the last.
    mutating func release(_ number: Int32) -> Gone? {
      postings[Int(number)].count -= 1
      precondition(postings[Int(number)].count >= 0, "a posting has fewer than no subscriptions")
      let header = keys.bytes(of: number).prefix(13)
      guard keys.release(number) else { return nil }
      let gone = Gone(
        scope: postings[Int(number)].scope, field: Int32(bytesOf: header.dropFirst(4).prefix(4)),
        kind: header[header.startIndex + 8],
        parameter: UInt32(bitPattern: Int32(bytesOf: header.dropFirst(9))))
      releaseField(gone.field)
      return gone
    }

    mutating func setPlain(_ target: Target, at number: Int32) {
      postings[Int(number)].plain = target
    }

    mutating func setBounds(_ set: Int32, at number: Int32) {
      postings[Int(number)].bounds = set
    }

    mutating func setConditions(_ list: Int32, at number: Int32) {
      postings[Int(number)].conditions = list
    }

    mutating func useField(_ field: FieldName?) -> Int32 { fields.use(Self.bytes(of: field)) }

    mutating func releaseField(_ field: Int32) { fields.release(field) }

    private static func bytes(of field: FieldName?) -> [UInt8] {
      switch field {
      case nil: []
      case .field(let name): [UInt8(ascii: "f")] + Array(name.utf8)
      case .system(let field): [UInt8(ascii: "s")] + Array(field.rawValue.utf8)
      }
    }
  }
}
