// What an answer of HTTP/2 leaves behind for the next ones on its connection.

import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2
import Testing

@testable import BrumeServer

@Suite struct HTTP2FieldsTests {
  private static let names = [":status", "content-type", "x-apple-request-uuid"]

  @Test func `no field of an answer is kept for the next, however much the client allows`() throws {
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers(
      HTTP2FramePayloadToHTTPServerCodec(), HTTP2Fields())
    let head = HTTPResponse(
      status: .ok,
      headerFields: [.contentType: "text/plain", .requestUUID: "A", .connection: "close"])
    try channel.writeOutbound(HTTPResponsePart.head(head))
    guard case .headers(let frame)? = try channel.readOutbound(as: HTTP2Frame.FramePayload.self)
    else {
      Issue.record("no head was sent")
      return
    }
    #expect(frame.headers.map { $0.name } == Self.names)
    // Of which there are few, and the protocol's own table has most of them.
    let kept = frame.headers.filter { "\($0.indexable)" == "[]" }.map { $0.name }
    #expect(kept == [":status"])
    _ = try? channel.finish()
  }
}
