// Every endpoint, one line each: methods, path, who may call, handler. Nothing else adds routes.
//
// Apple's paths are those of CloudKit Web Services; what is ours is under `/_brume/` and nowhere
// else. How a line becomes a route is `RouteTable+Router.swift`.

package import HTTPTypes

/// Who may call an endpoint, before the rules look at the request itself.
package enum Access: String, CaseIterable, Sendable {
  case probe, open, bearer, anyone, account, user, `operator`

  /// One sentence for the list of endpoints.
  package var meaning: String {
    switch self {
    // Whoever supervises the server must not take a flood of requests from its own address for a
    // server that is down.
    case .probe:
      "anybody, and it counts against nobody: it says nothing, and does next to nothing"
    case .open: "anybody, because the path reveals nothing; counts against the caller's address"
    case .bearer:
      "whoever has the address: it carries a secret of its own, which somebody signed in was given"
    case .anyone: "whoever has an API token; the rules decide what callers without a user see"
    case .account: "a signed-in user or a server-to-server key"
    case .user: "a signed-in user; server-to-server keys have no such endpoints"
    case .operator: "whoever has the server's admin token"
    }
  }

  /// Nobody has to show who he is; a body is small then.
  var isOpen: Bool { self == .probe || self == .open || self == .bearer }
}

/// How an endpoint is worked on: where, how long, and whether it takes its turn. One table decides, so that
/// no handler has to.
package enum Work: String, CaseIterable, Sendable {
  case usual, brief, lasting

  /// One sentence for the list of endpoints.
  package var meaning: String {
    switch self {
    // Event loops are shared by many connections.
    case .usual:
      "on a worker thread, because it asks the store; in its caller's turn and until the deadline"
    case .brief: "on the connection's event loop, because it answers from memory"
    // Polls end by themselves, files must flow, and connections are counted.
    case .lasting:
      "on a worker thread, without deadline and turn: it waits for a push, lasts as long as a file "
        + "is on its way, or must be answered when nobody else is"
    }
  }
}

/// One line of the table: which requests lead to a handler, and under which rules.
package struct Endpoint: Sendable {
  /// Answers a call. A `BrumeError` becomes an answer; every other error an internal one.
  package typealias Handler = @Sendable (Call) async throws -> Reply
  package let methods: [HTTPRequest.Method]
  package let path: String
  package let access: Access
  package let handler: Handler
  /// A signed request to it may be sent twice: it changes nothing. All others act once.
  package var isRead = false
  package var work = Work.usual
  /// The body is the handler's to read, piece by piece, instead of being collected before.
  package var streams = false

  init(
    _ methods: [HTTPRequest.Method], _ path: String, _ access: Access, _ handler: @escaping Handler
  ) {
    self.methods = methods
    self.path = path
    self.access = access
    self.handler = handler
  }

  fileprivate var reading: Endpoint {
    var endpoint = self
    endpoint.isRead = true
    return endpoint
  }

  fileprivate func working(_ work: Work) -> Endpoint {
    var endpoint = self
    endpoint.work = work
    return endpoint
  }

  fileprivate var streaming: Endpoint {
    var endpoint = self
    endpoint.streams = true
    return endpoint
  }
}

/// The endpoints of one server.
package struct RouteTable: Sendable {
  package let endpoints: [Endpoint]

  /// Makes the server's handlers.
  package init(_ server: Composition) {
    let handlers = Handlers(server)
    endpoints =
      Self.apple(handlers) + Self.tokens(handlers) + Self.ours(handlers) + Self.signIn(handlers)
      + Self.operators(AdminHandlers(server))
  }

  private static let post: [HTTPRequest.Method] = [.post]
  private static let get: [HTTPRequest.Method] = [.get]
  private static let both: [HTTPRequest.Method] = [.get, .post]

  private static let environmentPath = "/database/1/:container/:environment"
  private static let database = environmentPath + "/:database"
  private static let device = "/device/1/:container/:environment"

  private static func apple(_ to: Handlers) -> [Endpoint] {
    [
      Endpoint(post, database + "/records/modify", .account, to.records.modify),
      Endpoint(post, database + "/records/lookup", .anyone, to.records.lookup).reading,
      Endpoint(post, database + "/records/query", .anyone, to.records.query).reading,
      Endpoint(post, database + "/records/changes", .account, to.changes.recordChanges).reading,
      Endpoint(post, database + "/records/resolve", .user, to.shares.resolve),
      Endpoint(post, database + "/records/accept", .user, to.shares.accept),
      Endpoint(both, database + "/zones/list", .account, to.zones.list).reading,
      Endpoint(post, database + "/zones/lookup", .account, to.zones.lookup).reading,
      Endpoint(post, database + "/zones/modify", .account, to.zones.modify),
      Endpoint(post, database + "/zones/changes", .account, to.changes.zones).reading,
      Endpoint(both, database + "/changes/database", .account, to.changes.database).reading,
      Endpoint(post, database + "/changes/zone", .account, to.changes.zone).reading,
      Endpoint(both, database + "/subscriptions/list", .account, to.subscriptions.list).reading,
      Endpoint(post, database + "/subscriptions/lookup", .account, to.subscriptions.lookup).reading,
      Endpoint(post, database + "/subscriptions/modify", .account, to.subscriptions.modify),
      Endpoint(post, environmentPath + "/subscriptions/lookup", .account, to.subscriptions.lookup)
        .reading,
      Endpoint(post, database + "/assets/upload", .account, to.assets.tokens),
      Endpoint(post, database + "/assets/rereference", .account, to.assets.rereference),
      Endpoint(both, database + "/users/caller", .account, to.users.caller).reading,
      Endpoint(both, database + "/users/current", .account, to.users.current).reading,
      Endpoint(both, database + "/users/discover", .user, to.users.discover),
      Endpoint(post, database + "/users/lookup/email", .user, to.users.lookup),
      Endpoint(post, database + "/users/lookup/id", .user, to.users.lookup),
      Endpoint(both, database + "/users/lookup/contacts", .user, to.users.contacts),
    ]
  }

  private static func tokens(_ to: Handlers) -> [Endpoint] {
    [device, environmentPath, database].flatMap { base in
      [
        Endpoint(post, base + "/tokens/create", .account, to.tokens.create),
        Endpoint(post, base + "/tokens/register", .account, to.tokens.register),
      ]
    }
  }

  private static func ours(_ to: Handlers) -> [Endpoint] {
    [
      Endpoint(get, "/_brume/health/live", .probe, to.health.live).working(.brief),
      Endpoint(get, "/_brume/health/ready", .probe, to.health.ready).working(.lasting),
      Endpoint(get, "/_brume/metrics", .open, to.metrics.show),
      Endpoint(get, "/_brume/console", .open, ConsoleRoutes.index).working(.brief),
      Endpoint(get, "/_brume/console/:file", .open, ConsoleRoutes.file).working(.brief),
      Endpoint([.post, .put], "/_brume/assets/upload", .bearer, to.assets.upload)
        .streaming.working(.lasting),
      Endpoint([.get, .head], "/_brume/assets/file", .bearer, to.assets.download)
        .working(.lasting),
      Endpoint(post, "/_brume/assets/export", .user, to.assets.export),
      Endpoint(post, "/_brume/assets/import", .user, to.assets.takeExported),
      Endpoint(get, "/_brume/courier", .bearer, to.courier.poll).working(.lasting),
      Endpoint(get, StreamRoute.path, .user, to.stream.open).working(.lasting),
      Endpoint(post, StreamRoute.path + "/ack", .user, to.stream.acknowledge),
      Endpoint(both, "/_brume/notifications/changes", .user, to.notifications.changes),
      Endpoint(post, "/_brume/notifications/read", .user, to.notifications.read),
      Endpoint(post, "/_brume/notifications/badge", .user, to.notifications.badge),
      Endpoint(post, "/_brume/devices", .user, to.devices.register),
      Endpoint(post, "/_brume/devices/remove", .user, to.devices.remove),
      Endpoint(get, "/_brume/webpush/key", .open, to.devices.webPushKey),
      Endpoint(post, "/_brume/shares/request", .user, to.shares.requestAccess),
      Endpoint(post, "/_brume/users/token", .user, to.users.exchangeToken),
    ]
  }

  private static func signIn(_ to: Handlers) -> [Endpoint] {
    [
      Endpoint(get, SignInRoutes.path, .open, to.signIn.page).working(.brief),
      Endpoint(get, SignInRoutes.path + "/file/:file", .open, to.signIn.file).working(.brief),
      Endpoint(get, SignInRoutes.path + "/options", .open, to.signIn.options),
      Endpoint(post, SignInRoutes.path + "/password", .open, to.signIn.password),
      Endpoint(get, SignInRoutes.path + "/provider", .open, to.provider.depart),
      Endpoint(get, SignInRoutes.path + "/callback", .open, to.provider.comeBack),
      Endpoint(post, "/_brume/signout", .user, to.signIn.signOutEverywhere),
    ]
  }

  private static func operators(_ admin: AdminHandlers) -> [Endpoint] {
    [
      Endpoint(get, "/_brume/admin/status", .operator, admin.status.show),
      Endpoint(get, "/_brume/admin/users", .operator, admin.accounts.list),
      Endpoint(post, "/_brume/admin/users", .operator, admin.accounts.create),
      Endpoint(post, "/_brume/admin/users/token", .operator, admin.accounts.makeToken),
      Endpoint(post, "/_brume/admin/users/change", .operator, admin.accounts.change),
      Endpoint(post, "/_brume/admin/users/signout", .operator, admin.accounts.signOutEverywhere),
      Endpoint(get, "/_brume/admin/roles", .operator, admin.roles.list),
      Endpoint(post, "/_brume/admin/roles", .operator, admin.roles.set),
      Endpoint(get, "/_brume/admin/tokens", .operator, admin.credentials.tokens),
      Endpoint(post, "/_brume/admin/tokens", .operator, admin.credentials.createToken),
      Endpoint(
        post, "/_brume/admin/tokens/revoke", .operator, admin.credentials.revokeToken),
      Endpoint(get, "/_brume/admin/keys", .operator, admin.credentials.keys),
      Endpoint(post, "/_brume/admin/keys", .operator, admin.credentials.createKey),
      Endpoint(post, "/_brume/admin/keys/revoke", .operator, admin.credentials.revokeKey),
      Endpoint(get, "/_brume/admin/schema", .operator, admin.schemas.show),
      Endpoint(post, "/_brume/admin/schema", .operator, admin.schemas.importText),
      Endpoint(post, "/_brume/admin/schema/index", .operator, admin.schemas.index),
      Endpoint(post, "/_brume/admin/schema/deploy", .operator, admin.schemas.deploy),
      Endpoint(post, "/_brume/admin/zones/purge", .operator, admin.zones.purge),
      Endpoint(get, "/_brume/admin/assets/check", .operator, admin.assets.check),
      Endpoint(get, "/_brume/admin/backups", .operator, admin.backups.state),
      Endpoint(post, "/_brume/admin/backups", .operator, admin.backups.begin),
      Endpoint(get, "/_brume/admin/backups/rows", .operator, admin.backups.rows)
        .working(.lasting),
      Endpoint(get, "/_brume/admin/backups/asset", .operator, admin.backups.asset)
        .working(.lasting),
      Endpoint(post, "/_brume/admin/backups/remove", .operator, admin.backups.remove),
      Endpoint(get, "/_brume/admin/devices", .operator, admin.devices.list),
      Endpoint(get, "/_brume/admin/faults", .operator, admin.faults.list),
      Endpoint(post, "/_brume/admin/faults", .operator, admin.faults.add),
      Endpoint(post, "/_brume/admin/faults/clear", .operator, admin.faults.clear),
      Endpoint(post, "/_brume/admin/faults/release", .operator, admin.faults.release),
      Endpoint(post, "/_brume/admin/push", .operator, admin.devices.testPush),
      Endpoint(get, "/_brume/admin/push/log", .operator, admin.pushLog.list),
      Endpoint(get, "/_brume/admin/apns", .operator, admin.apns.list),
      Endpoint(post, "/_brume/admin/apns", .operator, admin.apns.add),
      Endpoint(post, "/_brume/admin/apns/remove", .operator, admin.apns.remove),
      Endpoint(get, "/_brume/admin/webhooks", .operator, admin.webhooks.list),
      Endpoint(post, "/_brume/admin/webhooks", .operator, admin.webhooks.add),
      Endpoint(post, "/_brume/admin/webhooks/enable", .operator, admin.webhooks.enable),
      Endpoint(post, "/_brume/admin/webhooks/remove", .operator, admin.webhooks.remove),
      Endpoint(post, "/_brume/admin/webhooks/test", .operator, admin.webhooks.test),
    ]
  }
}
