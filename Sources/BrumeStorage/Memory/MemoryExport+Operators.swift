// Operators, what they prove themselves with, and what they did, as rows.

import BrumeModel

extension Operator {
  var moved: [MovedValue] {
    [.text(id), .text(name), .text(role.rawValue), .text(passwordHash), .integer(created)]
  }
}

extension OperatorCredential {
  var moved: [MovedValue] {
    [
      .text(id), .text(kind.rawValue), .text(name), .text(operatorID), .text(role.rawValue),
      .integer(created), lastUsed.map { .integer($0) } ?? .null, ends.map { .integer($0) } ?? .null,
    ]
  }
}

extension AuditEntry {
  var moved: [MovedValue] {
    [.integer(position), .integer(time)]
      + [operatorName, address, requestID, action, subject, container, environment]
      .map { .text($0) }
      + [status.map { .integer(Int64($0)) } ?? .null, .integer(isRefused ? 1 : 0)]
  }
}
