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

package struct Endpoint: Sendable {
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

package enum RouteTable {
  private static let post: [HTTPRequest.Method] = [.post]
  private static let get: [HTTPRequest.Method] = [.get]
  private static let both: [HTTPRequest.Method] = [.get, .post]

  private static let environmentPath = "/database/1/:container/:environment"
  private static let database = environmentPath + "/:database"
  private static let device = "/device/1/:container/:environment"

  package static let all: [Endpoint] = apple + tokens + ours + signIn + operators

  private static let apple: [Endpoint] = [
    Endpoint(post, database + "/records/modify", .account, RecordRoutes.modify),
    Endpoint(post, database + "/records/lookup", .anyone, RecordRoutes.lookup).reading,
    Endpoint(post, database + "/records/query", .anyone, RecordRoutes.query).reading,
    Endpoint(post, database + "/records/changes", .account, ChangeRoutes.recordChanges).reading,
    Endpoint(post, database + "/records/resolve", .user, ShareRoutes.resolve),
    Endpoint(post, database + "/records/accept", .user, ShareRoutes.accept),
    Endpoint(both, database + "/zones/list", .account, ZoneRoutes.list).reading,
    Endpoint(post, database + "/zones/lookup", .account, ZoneRoutes.lookup).reading,
    Endpoint(post, database + "/zones/modify", .account, ZoneRoutes.modify),
    Endpoint(post, database + "/zones/changes", .account, ChangeRoutes.zones).reading,
    Endpoint(both, database + "/changes/database", .account, ChangeRoutes.database).reading,
    Endpoint(post, database + "/changes/zone", .account, ChangeRoutes.zone).reading,
    Endpoint(both, database + "/subscriptions/list", .account, SubscriptionRoutes.list).reading,
    Endpoint(post, database + "/subscriptions/lookup", .account, SubscriptionRoutes.lookup).reading,
    Endpoint(post, database + "/subscriptions/modify", .account, SubscriptionRoutes.modify),
    Endpoint(post, environmentPath + "/subscriptions/lookup", .account, SubscriptionRoutes.lookup)
      .reading,
    Endpoint(post, database + "/assets/upload", .account, AssetRoutes.tokens),
    Endpoint(post, database + "/assets/rereference", .account, AssetRoutes.rereference),
    Endpoint(both, database + "/users/caller", .account, UserRoutes.caller).reading,
    Endpoint(both, database + "/users/current", .account, UserRoutes.current).reading,
    Endpoint(both, database + "/users/discover", .user, UserRoutes.discover),
    Endpoint(post, database + "/users/lookup/email", .user, UserRoutes.lookup),
    Endpoint(post, database + "/users/lookup/id", .user, UserRoutes.lookup),
    Endpoint(both, database + "/users/lookup/contacts", .user, UserRoutes.contacts),
  ]

  private static let tokens: [Endpoint] = [device, environmentPath, database].flatMap { base in
    [
      Endpoint(post, base + "/tokens/create", .account, TokenRoutes.create),
      Endpoint(post, base + "/tokens/register", .account, TokenRoutes.register),
    ]
  }

  private static let ours: [Endpoint] = [
    Endpoint(get, "/_brume/health/live", .probe, HealthRoutes.live).working(.brief),
    Endpoint(get, "/_brume/health/ready", .probe, HealthRoutes.ready).working(.lasting),
    Endpoint(get, "/_brume/metrics", .open, HealthRoutes.metrics),
    Endpoint(get, "/_brume/console", .open, ConsoleRoutes.index).working(.brief),
    Endpoint(get, "/_brume/console/:file", .open, ConsoleRoutes.file).working(.brief),
    Endpoint([.post, .put], "/_brume/assets/upload", .bearer, AssetRoutes.upload)
      .streaming.working(.lasting),
    Endpoint([.get, .head], "/_brume/assets/file", .bearer, AssetRoutes.download)
      .working(.lasting),
    Endpoint(get, "/_brume/courier", .bearer, CourierRoute.poll).working(.lasting),
    Endpoint(get, StreamRoute.path, .user, StreamRoute.open).working(.lasting),
    Endpoint(post, StreamRoute.path + "/ack", .user, StreamRoute.acknowledge),
    Endpoint(both, "/_brume/notifications/changes", .user, NotificationRoutes.changes),
    Endpoint(post, "/_brume/notifications/read", .user, NotificationRoutes.read),
    Endpoint(post, "/_brume/notifications/badge", .user, NotificationRoutes.badge),
    Endpoint(post, "/_brume/devices", .user, DeviceRoutes.register),
    Endpoint(post, "/_brume/devices/remove", .user, DeviceRoutes.remove),
    Endpoint(get, "/_brume/webpush/key", .open, DeviceRoutes.webPushKey),
    Endpoint(post, "/_brume/shares/request", .user, ShareRoutes.requestAccess),
    Endpoint(post, "/_brume/users/token", .user, UserRoutes.exchangeToken),
  ]

  private static let signIn: [Endpoint] = [
    Endpoint(get, SignInRoutes.path, .open, SignInRoutes.page).working(.brief),
    Endpoint(get, SignInRoutes.path + "/file/:file", .open, SignInRoutes.file).working(.brief),
    Endpoint(get, SignInRoutes.path + "/options", .open, SignInRoutes.options),
    Endpoint(post, SignInRoutes.path + "/password", .open, SignInRoutes.password),
    Endpoint(get, SignInRoutes.path + "/provider", .open, SignInRoutes.provider),
    Endpoint(get, SignInRoutes.path + "/callback", .open, SignInRoutes.callback),
    Endpoint(post, "/_brume/signout", .user, SignInRoutes.signOutEverywhere),
  ]

  private static let operators: [Endpoint] = [
    Endpoint(get, "/_brume/admin/status", .operator, AdminRoutes.status),
    Endpoint(get, "/_brume/admin/users", .operator, AccountAdmin.users),
    Endpoint(post, "/_brume/admin/users", .operator, AccountAdmin.createUser),
    Endpoint(post, "/_brume/admin/users/token", .operator, AccountAdmin.userToken),
    Endpoint(post, "/_brume/admin/users/change", .operator, AccountAdmin.changeUser),
    Endpoint(post, "/_brume/admin/users/signout", .operator, AccountAdmin.signOut),
    Endpoint(get, "/_brume/admin/roles", .operator, RoleAdmin.list),
    Endpoint(post, "/_brume/admin/roles", .operator, RoleAdmin.set),
    Endpoint(get, "/_brume/admin/tokens", .operator, AccountAdmin.tokens),
    Endpoint(post, "/_brume/admin/tokens", .operator, AccountAdmin.createToken),
    Endpoint(get, "/_brume/admin/keys", .operator, AccountAdmin.keys),
    Endpoint(post, "/_brume/admin/keys", .operator, AccountAdmin.createKey),
    Endpoint(get, "/_brume/admin/schema", .operator, SchemaAdmin.show),
    Endpoint(post, "/_brume/admin/schema", .operator, SchemaAdmin.importText),
    Endpoint(post, "/_brume/admin/schema/index", .operator, SchemaAdmin.index),
    Endpoint(post, "/_brume/admin/schema/deploy", .operator, SchemaAdmin.deploy),
    Endpoint(post, "/_brume/admin/zones/purge", .operator, AdminRoutes.purgeZone),
    Endpoint(get, "/_brume/admin/assets/check", .operator, AssetAdmin.check),
    Endpoint(get, "/_brume/admin/devices", .operator, AdminRoutes.devices),
    Endpoint(get, "/_brume/admin/faults", .operator, FaultAdmin.list),
    Endpoint(post, "/_brume/admin/faults", .operator, FaultAdmin.add),
    Endpoint(post, "/_brume/admin/faults/clear", .operator, FaultAdmin.clear),
    Endpoint(post, "/_brume/admin/faults/release", .operator, FaultAdmin.release),
    Endpoint(post, "/_brume/admin/push", .operator, AdminRoutes.testPush),
    Endpoint(get, "/_brume/admin/push/log", .operator, PushAdmin.log),
    Endpoint(get, "/_brume/admin/apns", .operator, PushAdmin.senders),
    Endpoint(post, "/_brume/admin/apns", .operator, PushAdmin.addSender),
    Endpoint(post, "/_brume/admin/apns/remove", .operator, PushAdmin.removeSender),
    Endpoint(get, "/_brume/admin/webhooks", .operator, WebhookAdmin.list),
    Endpoint(post, "/_brume/admin/webhooks", .operator, WebhookAdmin.add),
    Endpoint(post, "/_brume/admin/webhooks/enable", .operator, WebhookAdmin.enable),
    Endpoint(post, "/_brume/admin/webhooks/remove", .operator, WebhookAdmin.remove),
    Endpoint(post, "/_brume/admin/webhooks/test", .operator, WebhookAdmin.test),
  ]
}
