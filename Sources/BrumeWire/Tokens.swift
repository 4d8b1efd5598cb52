// `tokens/create` and `tokens/register`: push tokens of devices.

package import BrumeModel

/// The body of both calls.
package struct TokenRequest: WireRequest, Equatable, Sendable {
  package var environment: Environment
  /// Lower-case hex. `tokens/register` needs it.
  package var token: String?
  package var clientID: String?
  /// Ours: which of the container's apps the token is of, under `brume`.
  package var topic: String?

  package init(
    environment: Environment, token: String? = nil, clientID: String? = nil, topic: String? = nil
  ) {
    self.environment = environment
    self.token = token
    self.clientID = clientID
    self.topic = topic
  }

  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let name = try object.requiredString("apnsEnvironment")
    guard let environment = Environment(rawValue: name) else {
      throw BrumeError(
        .badRequest,
        "'apnsEnvironment' must be development or production, not '\(NameRules.shown(name))'; write the "
          + "environment that the pushes come from")
    }
    var token: String?
    if let text = try object.string("apnsToken") { token = try Self.hex(text) }
    self.init(
      environment: environment, token: token,
      clientID: try object.string("clientId", or: "clientID"),
      topic: try object.object("brume")?.string("topic"))
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("apnsEnvironment", environment.rawValue)
    writer.member("apnsToken", token)
    writer.member("clientId", clientID)
    if let topic {
      writer.name("brume")
      writer.beginObject()
      writer.member("topic", topic)
      writer.endObject()
    }
    writer.endObject()
  }

  /// A token is bytes, in hex or in base64. Most hex texts are base64 too; hex is meant then.
  ///
  /// - Throws: `badRequest` if it is neither, or empty.
  package static func hex(_ text: String) throws(BrumeError) -> String {
    let isHex = text.utf8.count % 2 == 0 && text.utf8.allSatisfy { Hex.value(of: $0) != nil }
    if isHex, !text.isEmpty { return text.lowercased() }
    guard let bytes = Base64.bytes(text), !bytes.isEmpty else {
      throw BrumeError(.badRequest, "'apnsToken' must be bytes in hex or base64")
    }
    return Hex.text(bytes)
  }
}

/// The reply of both calls: the token, and where its device's pushes can be polled.
package struct CourierToken: Sendable {
  package var environment: Environment
  /// 64 hex digits.
  package var token: String
  /// Where the client polls.
  package var courierURL: String

  package init(environment: Environment, token: String, courierURL: String) {
    self.environment = environment
    self.token = token
    self.courierURL = courierURL
  }
}

extension Wire {
  /// The reply of `tokens/create` and `tokens/register`.
  package static func courierToken(_ token: CourierToken) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("apnsEnvironment", token.environment.rawValue)
      writer.member("apnsToken", token.token)
      writer.member("webcourierURL", token.courierURL)
      writer.endObject()
    }
  }
}
