// One request as handlers see it; what they give back is `Reply.swift`. Handlers know no Hummingbird types except
// the streamed body; the way in and out is `RouteTable+Router.swift`.

package import BrumeCore
package import BrumeModel
package import BrumeWire
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// A request after routing and authentication.
package struct Call: Sendable {
  package let method: HTTPRequest.Method
  /// The request target as it was sent, with the query: what signatures cover.
  package let target: String
  /// The request's Host.
  package let authority: String?
  package let headers: HTTPFields
  package let query: QueryString
  package let body: BodyBytes
  /// The body of an endpoint that reads it itself.
  package let incoming: RequestBody?
  package let databasePath: DatabasePath
  /// Who asks; anonymous where the endpoint needs nobody.
  package let caller: Caller
  /// Where the request comes from.
  package let address: ClientAddress
  /// The other end of the connection.
  let peer: RequestPeer
  /// The connection, for answers that never end; nil in the same process.
  package let channel: (any NIOCore.Channel)?
  /// How deep the body's JSON may be nested.
  package let jsonDepth: Int
  /// What the values of the body take of memory once they are read.
  let values: HeldBytes.Share
  /// Room for the answer, which whoever changes something takes before.
  let answer: AnswerReservation

  /// What the path (or, under `/_brume`, the query) says about where the call goes.
  package struct DatabasePath: Equatable, Sendable {
    package var container: ContainerID?
    package var environment: BrumeModel.Environment?
    package var scope: DatabaseScope?

    /// Nil if the call does not say both.
    var containerEnvironment: ContainerEnvironment? {
      guard let container, let environment else { return nil }
      return ContainerEnvironment(container, environment)
    }
  }

  /// The database that the path names. Routes without one do not ask.
  package var scope: DatabaseScope { databasePath.scope ?? .public }

  /// The target without its query.
  var path: Substring { target.prefix { $0 != "?" } }

  /// Where a call of an operator comes from.
  var sender: OperatorSender {
    OperatorSender(peer: peer, address: address, requestID: caller.requestID)
  }

  /// The body as JSON. An absent body counts as `{}`: clients send GET without and POST with one.
  ///
  /// - Throws: `badRequest` if it is no JSON, or nested too deeply; `TRY_AGAIN_LATER` if there is no room for its values.
  package func json() throws(BrumeError) -> JSON {
    let json = try JSON(body: body.all, maximumDepth: jsonDepth)
    // Before anything waits with it: many lists of one-digit numbers, each waiting for its turn to be written, would take
    // seventy times what their bodies do.
    let bytes = json.valueCount * JSONBounds.bytesOfValue
    if bytes >= HeldBytes.countedBytes { try values.fitOrFill(bytes) }
    return json
  }
}
