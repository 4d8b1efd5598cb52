// What is watched: a scope is a database with a record type and a zone, and knows which of its fields are asked
// for how.

import BrumeModel
import BrumePredicate

extension SubscriptionIndex {
  /// What one field of a scope is asked for.
  struct FieldUse: Sendable {
    let field: FieldName?
    let id: Int32
    let kind: AccessKind
    let parameter: UInt32
    var count: Int32
  }

  struct Scope: Sendable {
    /// The posting of who wants every record; -1 if there is none.
    var everything: Int32 = -1
    var uses: [FieldUse] = []
  }

  /// All scopes, by number.
  struct Scopes: Sendable {
    private var names = InternTable()
    private var scopes: [Scope] = []

    var inUse: Int { names.count }
    var indices: Range<Int> { scopes.indices }

    subscript(number: Int32) -> Scope { scopes[Int(number)] }

    func find(_ watch: Watch) -> Int32? { names.find(watch.bytes) }

    mutating func use(_ watch: Watch) -> Int32 {
      let number = names.use(watch.bytes)
      if number == scopes.count { scopes.append(Scope()) }
      return number
    }

    mutating func release(_ number: Int32) {
      if names.release(number) { scopes[Int(number)] = Scope() }
    }

    /// A posting is there from now on, which keeps one use of its scope.
    mutating func opened(
      _ posting: Int32, _ key: AccessKey, _ field: Int32, in scope: Int32
    ) {
      names.useAgain(scope)
      if key.kind == .everything {
        scopes[Int(scope)].everything = posting
        return
      }
      let known = scopes[Int(scope)].uses.firstIndex {
        $0.id == field && $0.kind == key.kind && $0.parameter == key.parameter
      }
      if let known {
        scopes[Int(scope)].uses[known].count += 1
      } else {
        scopes[Int(scope)].uses.append(
          FieldUse(field: key.field, id: field, kind: key.kind, parameter: key.parameter, count: 1))
      }
    }

    /// A posting is gone.
    mutating func closed(_ posting: Postings.Gone) {
      let scope = Int(posting.scope)
      if posting.kind == AccessKind.everything.rawValue {
        scopes[scope].everything = -1
      } else if let use = scopes[scope].uses.firstIndex(where: {
        $0.id == posting.field && $0.kind.rawValue == posting.kind
          && $0.parameter == posting.parameter
      }) {
        scopes[scope].uses[use].count -= 1
        if scopes[scope].uses[use].count == 0 { scopes[scope].uses.remove(at: use) }
      }
      release(posting.scope)
    }
  }
}
