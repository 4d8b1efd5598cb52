// Operators and their credentials in memory.

import BrumeModel

final class MemoryOperators: MemoryFeature, OperatorWriting {
  func find(_ id: String) throws -> Operator? { draft.state.operators[ByteText(id)] }

  func find(named name: String) throws -> Operator? {
    draft.state.operators.values.first { ByteText($0.name) == ByteText(name) }
  }

  func all() throws -> [Operator] {
    draft.state.operators.values.sorted { ByteText($0.name) < ByteText($1.name) }
  }

  func credential(_ id: String) throws -> OperatorCredential? {
    draft.state.operatorCredentials[ByteText(id)]
  }

  func credentials() throws -> [OperatorCredential] {
    draft.state.operatorCredentials.values.sorted {
      $0.created == $1.created ? ByteText($0.id) < ByteText($1.id) : $0.created < $1.created
    }
  }

  func put(_ person: Operator) throws {
    draft.requireScope(.server)
    draft.state.operators[ByteText(person.id)] = person
  }

  func remove(_ id: String) throws {
    draft.requireScope(.server)
    draft.state.operators[ByteText(id)] = nil
  }

  func put(_ credential: OperatorCredential) throws {
    draft.requireScope(.server)
    draft.state.operatorCredentials[ByteText(credential.id)] = credential
  }

  func removeCredential(_ id: String) throws {
    draft.requireScope(.server)
    draft.state.operatorCredentials[ByteText(id)] = nil
  }
}
