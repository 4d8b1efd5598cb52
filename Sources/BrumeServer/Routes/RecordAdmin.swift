// The operator's records/query, lookup and modify: Apple's bodies with `database`, `user` and `as`, and Apple's
// answers. As whom a call goes to the rules is BrumeCore's `OperatorViews`.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

struct RecordAdmin: Sendable {
  let views: OperatorViews
  let records: Records
  let queries: Queries
  let questions: PermissionQuestions
  let addresses: AssetAddresses
  let metrics: ServerMetrics

  func query(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let view = try await call.view(json, views)
    let request = view.addressed(try QueryRequest(json: json))
    let (page, cost) = try await queries.explained(request, in: view.scope, as: view.caller)
    let options = options(call, json, view, desiring: request.desiredKeys)
    let pieces = Wire.queryPageInPieces(page, cost, in: call.containerEnvironment, options)
    return Reply(body: .pieces(pieces))
  }

  func lookup(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let view = try await call.view(json, views)
    let request = view.addressed(try LookupRecordsRequest(json: json))
    let results = try await records.lookup(request, in: view.scope, as: view.caller)
    let pieces = Wire.recordsInPieces(results, for: request, options(call, json, view))
    return Reply(body: .pieces(pieces))
  }

  func modify(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let view = try await call.view(json, views)
    try view.requireWriter()
    let request = view.addressed(try ModifyRecordsRequest(json: json))
    let results = try await records.modify(request, in: view.scope, as: view.caller)
    metrics.count(results)
    let options = options(call, json, view, desiring: request.desiredKeys)
    let pieces = Wire.recordsInPieces(results, for: request, options)
    return Reply(body: .pieces(pieces))
  }

  /// May the user of `as` do that?
  func allowed(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let view = try await call.view(json, views)
    return .json(
      Wire.permission(try await questions.answer(PermissionQuestion(json: json), in: view)))
  }

  /// An operator who may only read gets nothing with which somebody could take part in a share.
  private func options(
    _ call: Call, _ json: JSON, _ view: OpenedView, desiring keys: [String]? = nil
  ) -> RecordOptions {
    var options = RecordOptions(json, for: view.caller, desiring: keys, addresses)
    options.hidesTokens = call.caller.access?.role != .full
    return options
  }
}

extension Call {
  /// The database that a body names.
  func view(_ json: JSON, _ views: OperatorViews) async throws -> OpenedView {
    try await views.open(
      try OperatorView(json: json), in: containerEnvironment, requestID: caller.requestID)
  }

  /// The same of the body, or of the parameters of a call without one, with the wanted part of a list.
  func listView(_ views: OperatorViews) async throws -> (OpenedView, ListRequest) {
    guard method == .get else {
      let json = try json()
      return (try await view(json, views), try ListRequest(json: json))
    }
    let view = try OperatorView(
      database: query["database"], user: query["user"], actingAs: query["as"])
    return (
      try await views.open(view, in: containerEnvironment, requestID: caller.requestID),
      try ListRequest(after: query["after"], limit: query["limit"])
    )
  }
}
