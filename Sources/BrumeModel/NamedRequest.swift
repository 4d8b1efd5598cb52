// Requests that their sender may repeat when an answer was lost: under the same name the server answers what it answered
// before, and does nothing.

/// A request for several operations that may have a name.
package protocol NamedRequest: Sendable {
  associatedtype Operation
  /// Carried out in this order, and answered in it.
  var operations: [Operation] { get set }
  /// Ours, under the `brume` key: the sender's name for the request; nil: it has none.
  var operationID: String? { get set }
}

extension NamedRequest {
  /// The same, under a name if it has none.
  package func named(_ name: @autoclosure () -> String) -> Self {
    var request = self
    request.operationID = operationID ?? name()
    return request
  }

  /// The same with what is left of its operations. A part is another request: repeating the whole must not answer with it.
  package func keeping(_ rest: [Operation]) -> Self {
    var request = self
    if rest.count != operations.count { request.operationID = nil }
    request.operations = rest
    return request
  }
}

/// What `zones/modify` and `subscriptions/modify` are asked for.
package struct ModifyRequest<Operation: Equatable & Sendable>: NamedRequest, Equatable {
  package var operations: [Operation]
  package var operationID: String?
  package init(_ operations: [Operation], operationID: String? = nil) {
    self.operations = operations
    self.operationID = operationID
  }
}
