// Which database an operator means: the members `database`, `user` and `as`, which stand beside those of
// Apple's bodies in every operator's call about data. Container and environment are in the address.

package import BrumeModel

extension OperatorView {
  /// The members of a body. Without `database` a user's private one is meant, and without a user the
  /// public one.
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    try self.init(
      database: try object.string("database"), user: try object.string("user"),
      actingAs: try object.string("as"))
  }

  /// The same of an address's parameters.
  package init(database: String?, user: String?, actingAs: String?) throws(BrumeError) {
    self.init(user == nil ? .public : .private, of: user, as: actingAs)
    guard let database else { return }
    guard let scope = DatabaseScope(rawValue: database) else {
      throw BrumeError(
        .badRequest,
        "'database' is '\(NameRules.shown(database))'; it may be public, private or shared")
    }
    self.scope = scope
  }
}

/// Which part of a list is wanted.
package struct ListRequest: Equatable, Sendable {
  /// The last item of the part before; nil: from the start.
  package var after: String?
  /// At most so many; nil leaves it to the server.
  package var limit: Int?

  package init(after: String? = nil, limit: Int? = nil) {
    self.after = after
    self.limit = limit
  }

  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    self.init(after: try object.string("after"), limit: try object.limit("limit"))
  }

  /// The same of an address's parameters.
  package init(after: String?, limit: String?) throws(BrumeError) {
    var members = JSONObject()
    members["after"] = after.map { .string($0) }
    members["limit"] = limit.map { .string($0) }
    try self.init(json: .object(members))
  }
}
