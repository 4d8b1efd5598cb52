// Operators, what they prove themselves with, the audit log.

import BrumeModel
import BrumeStorage

extension StorageContract {
  static let operators: [Case] = [
    Case("operators come back by ID and name, in name order, until they are removed") { store in
      let all = ["zo\u{eb}", "ada", "bob"].enumerated().map { index, name in
        Operator(
          id: "o\(index)", name: name, role: index == 0 ? .full : .readOnly,
          passwordHash: "h\(index)", created: Int64(index))
      }
      try await store.write(in: .server) { transaction in
        for person in all { try transaction.operators.put(person) }
      }
      var changed = all[1]
      changed.role = .full
      changed.passwordHash = "another"
      try await store.write(in: .server) { [changed] transaction in
        try transaction.operators.put(changed)
        try transaction.operators.remove("o2")
      }
      try await store.read { [changed] transaction in
        try expectEqual(try transaction.operators.all(), [changed, all[0]], "operators")
        try expectEqual(try transaction.operators.find("o0"), all[0], "by ID")
        try expectEqual(try transaction.operators.find(named: "ada"), changed, "by name")
        try expectEqual(try transaction.operators.find(named: "zoe\u{308}"), nil, "other spelling")
        try expectEqual(try transaction.operators.find("o2"), nil, "a removed one")
      }
    },
    Case("credentials of operators come back in the order of creation, until they are removed") {
      store in
      let all = [
        OperatorCredential(
          id: "c", kind: .token, name: "ci", operatorID: nil, role: .readOnly, created: 1,
          ends: nil),
        OperatorCredential(
          id: "a", kind: .session, operatorID: "o1", role: .full, created: 2, lastUsed: 3, ends: 9),
        OperatorCredential(id: "b", kind: .link, operatorID: nil, role: .full, created: 2, ends: 4),
      ]
      try await store.write(in: .server) { transaction in
        for credential in all.reversed() { try transaction.operators.put(credential) }
      }
      try await store.read { transaction in
        try expectEqual(try transaction.operators.credentials(), all, "credentials")
        try expectEqual(try transaction.operators.credential("a"), all[1], "a credential")
      }
      var used = all[0]
      used.lastUsed = 5
      try await store.write(in: .server) { [used] transaction in
        try transaction.operators.put(used)
        try transaction.operators.removeCredential("a")
        try expectEqual(try transaction.operators.credential("a"), nil, "in the same transaction")
      }
      try await store.read { [used] transaction in
        try expectEqual(try transaction.operators.credentials(), [used, all[2]], "what is left")
      }
    },
    Case("of two writes that use the same link, one finds it") { store in
      let link = OperatorCredential(
        id: "l", kind: .link, operatorID: nil, role: .full, created: 1, ends: 9)
      try await store.write(in: .server) { try $0.operators.put(link) }
      let found = try await withThrowingTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 {
          group.addTask(operation: {
            try await store.write(in: .server) { transaction in
              let isThere = try transaction.operators.credential("l") != nil
              try transaction.operators.removeCredential("l")
              return isThere
            }
          })
        }
        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      try expectEqual(found, 1, "writes that found it")
    },
    Case("the audit log is read backwards in pages, by operator, request and time") { store in
      let bounds = AuditBounds(lines: 100, refusals: 100, oldest: 0)
      try await store.write(in: .server) { transaction in
        for number in 1...6 {
          let line = Self.auditLine(number, by: number % 2 == 0 ? "ada" : "")
          try transaction.audit.append(line, keeping: bounds)
        }
      }
      func times(
        before position: Int64 = .max, limit: Int = 9, _ adjust: (inout AuditFilter) -> Void
      ) async throws -> [Milliseconds] {
        var filter = AuditFilter()
        adjust(&filter)
        return try await store.read { [filter] in
          try $0.audit.entries(filter, before: position, limit: limit).map(\.time)
        }
      }
      try expectEqual(try await times { _ in }, [6, 5, 4, 3, 2, 1], "all")
      try expectEqual(try await times { $0.operatorName = "ada" }, [6, 4, 2], "of an operator")
      try expectEqual(try await times { $0.requestID = "R3" }, [3], "of a request")
      try expectEqual(
        try await times {
          $0.since = 2
          $0.until = 4
        }, [3, 2], "of a time")
      let page = try await store.read {
        try $0.audit.entries(AuditFilter(), before: .max, limit: 2)
      }
      try expectEqual(page.map(\.time), [6, 5], "the first page")
      let last = page[1].position
      try expectEqual(try await times(before: last, limit: 2) { _ in }, [4, 3], "the next page")
      try expectEqual(page[0], Self.auditLine(6, by: "ada", at: page[0].position), "a line")
    },
    Case("the audit log is bounded by age and count, and refusals drive out nothing else") {
      store in
      let bounds = AuditBounds(lines: 2, refusals: 1, oldest: 3)
      try await store.write(in: .server) { transaction in
        for number in 1...5 {
          try transaction.audit.append(Self.auditLine(number, by: "ada"), keeping: bounds)
        }
        for number in 6...9 {
          try transaction.audit.append(Self.auditLine(number, by: ""), keeping: bounds)
        }
      }
      func times() async throws -> [Milliseconds] {
        try await store.read {
          try $0.audit.entries(AuditFilter(), before: .max, limit: 99).map(\.time)
        }
      }
      try expectEqual(try await times(), [9, 5, 4], "after many lines")
      let later = AuditBounds(lines: 2, refusals: 1, oldest: 5)
      try await store.write(in: .server) {
        try $0.audit.append(Self.auditLine(10, by: ""), keeping: later)
      }
      try expectEqual(try await times(), [10, 5], "after a long time")
    },
    Case("a line of the audit log gets its status once") { store in
      let bounds = AuditBounds(lines: 9, refusals: 9, oldest: 0)
      try await store.write(in: .server) { transaction in
        try transaction.audit.append(
          Self.auditLine(1, by: "ada", status: nil), keeping: bounds)
        try transaction.audit.append(
          Self.auditLine(2, by: "ada", status: nil), keeping: bounds)
      }
      for status in [200, 500] {
        try await store.write(in: .server) { try $0.audit.setStatus(status, ofRequest: "R1") }
      }
      let found = try await store.read {
        try $0.audit.entries(AuditFilter(), before: .max, limit: 9).map(\.status)
      }
      try expectEqual(found, [nil, 200], "status")
    },
  ]

  private static func auditLine(
    _ number: Int, by name: String, at position: Int64 = 0, status: Int? = 200
  ) -> AuditEntry {
    var entry = AuditEntry(
      time: Int64(number), operatorName: name, address: "127.0.0.1", requestID: "R\(number)",
      action: "users/token", subject: "zo\u{eb}", container: ContainerID.sample.name,
      environment: "development", status: status, isRefused: name.isEmpty)
    entry.position = position
    return entry
  }
}
