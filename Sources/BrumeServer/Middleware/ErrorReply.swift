// Errors become CloudKit's error dictionary. A rule's error says what is wrong; anything else is
// INTERNAL_ERROR to the caller and a log line to the operator.

import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import Hummingbird
import Logging
import NIOHTTP1

struct ErrorReply: RouterMiddleware {
  let health: Health

  func handle(
    _ request: Request, context: RequestState,
    next: @concurrent (Request, RequestState) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as BrumeError {
      return Self.response(to: error, for: context)
    } catch let broken as BrokenConnection {
      return broken.response
    } catch let refused as RefusedRequest {
      return Self.response(to: refused, for: context)
    } catch is RequestWork.ClientGone {
      return Response(status: .init(code: RequestLine.clientGone))
    } catch let malformed as HTTPParserError {
      let error = BrumeError(
        .badRequest,
        "the request body cannot be read (\(malformed)); send its length, or whole chunks")
      return Self.response(to: RefusedRequest(error: error), for: context)
    } catch let error as HTTPError where error.status == .notFound {
      let unknown = BrumeError(
        .notFound,
        "could not find handler for endpoint \(Self.shown(request.uri.path)); endpoints are "
          + "/database/1/CONTAINER/ENVIRONMENT/DATABASE/records/query and so on; the console "
          + "is at /_brume/console/")
      return Self.response(to: unknown, for: context)
    } catch let shown as SignInPage.Failure {
      return page(shown.error, context)
    } catch {
      return Self.response(to: failure(error, context), for: context)
    }
  }

  /// For a person: the same status and headers.
  private func page(_ error: any Error, _ context: RequestState) -> Response {
    let error = error as? BrumeError ?? failure(error, context)
    let response = Self.response(to: error, for: context)
    var page = SignInPage.outcome(SignInOutcome.error(error.reason, nil)).response
    page.status = response.status
    page.headers[.retryAfter] = response.headers[.retryAfter]
    return page
  }

  private static func response(to refused: RefusedRequest, for request: RequestState) -> Response {
    var response = response(to: refused.error, for: request)
    response.status = refused.status ?? response.status
    response.headers.append(contentsOf: refused.headers)
    if refused.endsConnection { response.headers[.connection] = "close" }
    return response
  }

  static func response(to error: BrumeError, for request: RequestState) -> Response {
    request.facts.note(error.code)
    let bytes = Wire.error(error, uuid: request.requestID)
    var headers: HTTPFields = [.contentType: "application/json"]
    if let seconds = error.retryAfter.flatMap({ Int(exactly: $0.rounded(.up)) }) {
      headers[.retryAfter] = String(seconds)
    }
    return Response(
      status: .init(code: error.code.meaning.httpStatus), headers: headers,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// What a caller is answered for an error that is no rule's; the log says more.
  private func failure(_ error: any Error, _ context: RequestState) -> BrumeError {
    if let storage = error as? StoreError { return failure(of: storage, context) }
    if let failure = error as? AssetFailure {
      context.logger.error(
        "the asset store refused a request",
        metadata: ["request.id": "\(context.requestID)", "error": "\(failure)"])
      let what = failure.code == .noRoom ? "has no room for this" : "is not available"
      return BrumeError(
        .tryAgainLater, "the server's place for assets \(what); try again later", retryAfter: 5)
    }
    if error is CancellationError {
      return BrumeError(
        .tryAgainLater, "the server is shutting down; try again later", retryAfter: 1)
    }
    context.logger.error(
      "a request failed unexpectedly",
      metadata: ["request.id": "\(context.requestID)", "error.type": "\(type(of: error))"])
    return BrumeError(
      .internalError, "internal error; the server's log has more under this request's uuid")
  }

  private func failure(of storage: StoreError, _ context: RequestState) -> BrumeError {
    health.storeRefused(
      "a request", with: storage, requestID: context.requestID, context.logger)
    return storage.answer
  }

  static func shown(_ path: String) -> String {
    path.utf8.count <= 200 ? path : String(path.prefix(200)) + "…"
  }
}
