// Every endpoint, one line each: methods, path, who may call, handler. Nothing else adds routes.
//
// Apple's paths are those of CloudKit Web Services; what is ours is under `/_brume/` and nowhere
// else. How a line becomes a route is `RouteTable+Router.swift`.

import HTTPTypes

/// The endpoints of one server.
package struct RouteTable: Sendable {
  /// In the order in which the list of endpoints shows them.
  package let endpoints: [Endpoint]

  /// Makes the server's handlers.
  package init(_ server: Composition) {
    let (handlers, admin) = (Handlers(server), AdminHandlers(server))
    endpoints =
      Self.descriptions + Self.apple(handlers) + Self.tokens(handlers) + Self.ours(handlers)
      + Self.signIn(handlers)
      + Self.operators(admin) + Self.access(handlers, admin)
  }

  private static let post: [HTTPRequest.Method] = [.post]
  private static let get: [HTTPRequest.Method] = [.get]
  private static let both: [HTTPRequest.Method] = [.get, .post]

  private static let environmentPath = "/database/1/:container/:environment"
  private static let database = environmentPath + "/:database"
  private static let device = "/device/1/:container/:environment"

  private static let page: [HTTPRequest.Method] = [.get, .head]

  private static let descriptions: [Endpoint] = [
    Endpoint(page, "/", .open, DescriptionRoutes.root).working(.brief),
    Endpoint(page, "/share/:name", .open, DescriptionRoutes.share).working(.brief),
    Endpoint(page, "/_brume/openapi.yaml", .open, DescriptionRoutes.yaml).working(.brief),
    Endpoint(page, "/_brume/openapi", .open, DescriptionRoutes.page).working(.brief),
    Endpoint(page, "/_brume/openapi.css", .open, DescriptionRoutes.style).working(.brief),
  ]

  private static func apple(_ to: Handlers) -> [Endpoint] {
    [
      Endpoint(post, database + "/records/modify", .account, to.records.modify),
      Endpoint(post, database + "/records/lookup", .anyone, to.records.lookup).fetching,
      Endpoint(post, database + "/records/query", .anyone, to.records.query).fetching,
      Endpoint(post, database + "/records/changes", .account, to.changes.recordChanges).fetching,
      Endpoint(post, database + "/records/resolve", .user, to.shares.resolve),
      Endpoint(post, database + "/records/accept", .user, to.shares.accept),
      Endpoint(both, database + "/zones/list", .account, to.zones.list).reading,
      Endpoint(post, database + "/zones/lookup", .account, to.zones.lookup).reading,
      Endpoint(post, database + "/zones/modify", .account, to.zones.modify),
      Endpoint(post, database + "/zones/changes", .account, to.changes.zones).fetching,
      Endpoint(both, database + "/changes/database", .account, to.changes.database).fetching,
      Endpoint(post, database + "/changes/zone", .account, to.changes.zone).fetching,
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
      Endpoint(get, "/_brume/metrics", .open, to.metrics.show).supervising,
      Endpoint(get, "/_brume/admin/metrics", .operator(.reads), to.metrics.showOperator).watching,
      // Its page loads all of its files at once, and they are the same for everybody.
      Endpoint(get, ConsoleRoutes.path, .probe, ConsoleRoutes.index).working(.brief),
      Endpoint(get, ConsoleRoutes.path + "/:name", .probe, ConsoleRoutes.file).working(.brief),
      Endpoint(get, ConsoleRoutes.path + "/:name/:file", .probe, ConsoleRoutes.file)
        .working(.brief),
      Endpoint(get, ClientRoutes.path + "/:file", .open, ClientRoutes.file).supervising
        .working(.brief),
      Endpoint([.post, .put], "/_brume/assets/upload", .bearer, to.assets.upload)
        .streaming.working(.lasting),
      Endpoint([.get, .head], "/_brume/assets/file", .bearer, to.assets.download)
        .working(.lasting),
      Endpoint(post, "/_brume/assets/export", .user, to.assets.export),
      Endpoint(post, "/_brume/assets/import", .user, to.assets.takeExported),
      Endpoint(get, "/_brume/courier", .bearer, to.courier.poll).working(.lasting).withoutHead,
      Endpoint(get, StreamRoute.path, .user, to.stream.open).working(.lasting).withoutHead,
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
      Endpoint(get, SignInRoutes.path + "/provider", .open, to.provider.authorize).withoutHead,
      Endpoint(get, SignInRoutes.path + "/callback", .open, to.provider.callback).withoutHead,
      Endpoint(post, "/_brume/signout", .user, to.signIn.signOutEverywhere),
    ]
  }

  private static func operators(_ admin: AdminHandlers) -> [Endpoint] {
    data(admin) + [
      Endpoint(get, "/_brume/admin/status", .operator(.reads), admin.status.show).watching,
      Endpoint(get, "/_brume/admin/users", .operator(.reads), admin.accounts.list),
      Endpoint(post, "/_brume/admin/users", .operator(.changes(of: "name")), admin.accounts.create),
      Endpoint(
        post, "/_brume/admin/users/token", .operator(.changes(of: "user")), admin.accounts.makeToken
      ),
      Endpoint(
        post, "/_brume/admin/users/change", .operator(.changes(of: "user")), admin.accounts.change),
      Endpoint(
        post, "/_brume/admin/users/signout", .operator(.changes(of: "user")),
        admin.accounts.signOutEverywhere),
      Endpoint(get, "/_brume/admin/roles", .operator(.reads), admin.roles.list),
      Endpoint(post, "/_brume/admin/roles", .operator(.changes(of: "user")), admin.roles.set),
      Endpoint(get, "/_brume/admin/tokens", .operator(.reads), admin.credentials.tokens),
      Endpoint(
        post, "/_brume/admin/tokens", .operator(.changes(of: "name")), admin.credentials.createToken
      ),
      Endpoint(
        post, "/_brume/admin/tokens/revoke", .operator(.changes()), admin.credentials.revokeToken),
      Endpoint(get, "/_brume/admin/keys", .operator(.reads), admin.credentials.keys),
      Endpoint(
        post, "/_brume/admin/keys", .operator(.changes(of: "name")), admin.credentials.createKey),
      Endpoint(
        post, "/_brume/admin/keys/revoke", .operator(.changes(of: "id")),
        admin.credentials.revokeKey),
      Endpoint(get, "/_brume/admin/assets/check", .operator(.reads), admin.assets.check)
        .working(.lasting),
      Endpoint(get, "/_brume/admin/devices", .operator(.reads), admin.devices.list),
      Endpoint(get, "/_brume/admin/faults", .operator(.reads), admin.faults.list),
      Endpoint(post, "/_brume/admin/faults", .operator(.changes()), admin.faults.add),
      Endpoint(post, "/_brume/admin/faults/clear", .operator(.changes()), admin.faults.clear),
      Endpoint(post, "/_brume/admin/faults/release", .operator(.changes()), admin.faults.release),
      Endpoint(get, "/_brume/admin/clock", .operator(.reads), admin.clock.show),
      Endpoint(post, "/_brume/admin/clock", .operator(.changes()), admin.clock.move),
      Endpoint(get, "/_brume/admin/log", .operator(.reads), admin.trace.log),
      Endpoint(get, "/_brume/admin/log/then", .operator(.reads), admin.trace.then),
      Endpoint(post, "/_brume/admin/push", .operator(.changes(of: "user")), admin.devices.testPush),
      Endpoint(post, "/_brume/admin/push/preview", .operator(.reads), admin.devices.previewPush),
      Endpoint(
        post, "/_brume/admin/push/retry", .operator(.changes(of: "device")), admin.devices.retry),
      Endpoint(get, "/_brume/admin/push/log", .operator(.reads), admin.pushLog.list),
      Endpoint(get, "/_brume/admin/trace", .operator(.reads), admin.trace.show),
      Endpoint(get, "/_brume/admin/apns", .operator(.reads), admin.apns.list),
      Endpoint(post, "/_brume/admin/apns", .operator(.changes(of: "topic")), admin.apns.add),
      Endpoint(
        post, "/_brume/admin/apns/remove", .operator(.changes(of: "topic")), admin.apns.remove),
      Endpoint(get, "/_brume/admin/webhooks", .operator(.reads), admin.webhooks.list),
      Endpoint(post, "/_brume/admin/webhooks", .operator(.changes()), admin.webhooks.add),
      Endpoint(
        post, "/_brume/admin/webhooks/enable", .operator(.changes(of: "id")), admin.webhooks.enable),
      Endpoint(
        post, "/_brume/admin/webhooks/disable", .operator(.changes(of: "id")),
        admin.webhooks.disable),
      Endpoint(
        post, "/_brume/admin/webhooks/remove", .operator(.changes(of: "id")), admin.webhooks.remove),
      Endpoint(
        post, "/_brume/admin/webhooks/test", .operator(.changes(of: "id")), admin.webhooks.test),
    ]
  }

  private static func access(_ to: Handlers, _ admin: AdminHandlers) -> [Endpoint] {
    let path = "/_brume/admin"
    return [
      Endpoint(get, AccessPage.path, .open, AccessPage.page).working(.brief),
      Endpoint(get, AccessPage.path + "/file/:file", .open, AccessPage.file).working(.brief),
      Endpoint(post, path + "/session", .open, to.session.signIn),
      Endpoint(post, path + "/session/first", .open, to.session.first),
      Endpoint(post, path + "/session/invitation", .open, to.session.invitation),
      Endpoint(post, path + "/session/invitation/accept", .open, to.session.acceptInvitation),
      Endpoint(get, path + "/session/provider", .open, to.operatorProvider.options),
      Endpoint(post, path + "/session/provider", .open, to.operatorProvider.request),
      Endpoint(get, path + "/session", .operator(.reads), to.session.show),
      Endpoint(post, path + "/session/end", .operator(.endsSession), to.session.end),
      Endpoint(get, path + "/operators", .operator(.reads), admin.operators.list),
      Endpoint(post, path + "/operators", .operator(.changes(of: "name")), admin.operators.add),
      Endpoint(
        post, path + "/operators/change", .operator(.changes(of: "name")), admin.operators.change),
      Endpoint(
        post, path + "/operators/remove", .operator(.changes(of: "name")), admin.operators.remove),
      Endpoint(post, path + "/operators/link", .operator(.changes()), admin.operators.link),
      Endpoint(
        get, path + "/operators/invitations", .operator(.reads), admin.operators.listInvitations),
      Endpoint(
        post, path + "/operators/invitations", .operator(.changes(of: "name")),
        admin.operators.invite),
      Endpoint(
        post, path + "/operators/invitations/revoke", .operator(.changes(of: "name")),
        admin.operators.revokeInvitation),
      Endpoint(get, path + "/operators/tokens", .operator(.reads), admin.operators.listTokens),
      Endpoint(
        post, path + "/operators/tokens", .operator(.changes(of: "name")),
        admin.operators.createToken),
      Endpoint(
        post, path + "/operators/tokens/revoke", .operator(.changes(of: "name")),
        admin.operators.revokeToken),
      Endpoint(get, path + "/events", .operator(.reads), admin.events.open)
        .watching
        .working(.lasting).withoutHead,
      Endpoint(get, path + "/audit", .operator(.reads), admin.audit.list),
      Endpoint(get, path + "/logs", .operator(.reads), admin.logs.list),
      Endpoint(get, path + "/usage", .operator(.reads), admin.usage.show),
      Endpoint(get, path + "/usage/storage", .operator(.reads), admin.usage.stored),
      Endpoint(
        get, path + "/usage/storage/history", .operator(.reads), admin.usage.storedOverTime),
    ]
  }

  /// Data and schemas. What may delete very many records has no deadline.
  private static func data(_ admin: AdminHandlers) -> [Endpoint] {
    [
      Endpoint(get, "/_brume/admin/containers", .operator(.reads), admin.zones.listContainers),
      Endpoint(both, "/_brume/admin/zones", .operator(.reads), admin.zones.list),
      Endpoint(
        post, "/_brume/admin/zones/create", .operator(.changes(of: "user")), admin.zones.create),
      Endpoint(
        post, "/_brume/admin/zones/delete", .operator(.changes(of: "user")), admin.zones.delete),
      Endpoint(
        post, "/_brume/admin/zones/purge", .operator(.changes(of: "user", and: "zone")),
        admin.zones.purge),
      Endpoint(
        post, "/_brume/admin/deletions/forget", .operator(.changes()), admin.deletions.forget
      )
      .working(.lasting),
      Endpoint(post, "/_brume/admin/records/query", .operator(.reads), admin.records.query),
      Endpoint(post, "/_brume/admin/records/lookup", .operator(.reads), admin.records.lookup),
      Endpoint(
        post, "/_brume/admin/records/modify", .operator(.changes(of: "user")), admin.records.modify),
      Endpoint(post, "/_brume/admin/allowed", .operator(.reads), admin.records.allowed),
      Endpoint(get, "/_brume/admin/shares", .operator(.reads), admin.zones.listShares),
      Endpoint(post, "/_brume/admin/tokens/decode", .operator(.reads), admin.zones.decodeToken),
      Endpoint(get, "/_brume/admin/schema", .operator(.reads), admin.schemas.show),
      Endpoint(post, "/_brume/admin/schema", .operator(.changes()), admin.schemas.importText)
        .working(.lasting),
      Endpoint(
        post, "/_brume/admin/schema/index", .operator(.changes(of: "type")), admin.schemas.index),
      Endpoint(get, "/_brume/admin/schema/usage", .operator(.reads), admin.schemas.usage),
      Endpoint(post, "/_brume/admin/schema/validate", .operator(.reads), admin.schemas.validate),
      Endpoint(post, "/_brume/admin/schema/diff", .operator(.reads), admin.schemas.difference),
      Endpoint(post, "/_brume/admin/schema/deploy", .operator(.changes()), admin.schemas.deploy),
      Endpoint(post, "/_brume/admin/schema/reset", .operator(.changes()), admin.schemas.reset)
        .working(.lasting),
      Endpoint(
        post, "/_brume/admin/users/delete", .operator(.changes(of: "user")), admin.accounts.delete
      )
      .working(.lasting),
      Endpoint(
        get, "/_brume/admin/users/export", .operator(.reveals(of: "user")), admin.backups.user
      )
      .working(.lasting).withoutHead,
      Endpoint(get, "/_brume/admin/backups", .operator(.reads), admin.backups.state),
      Endpoint(post, "/_brume/admin/backups", .operator(.changes()), admin.backups.begin),
      Endpoint(get, "/_brume/admin/backups/rows", .operator(.reveals()), admin.backups.rows)
        .working(.lasting).withoutHead,
      Endpoint(get, "/_brume/admin/backups/file", .operator(.reveals()), admin.backups.file)
        .working(.lasting).withoutHead,
      Endpoint(get, "/_brume/admin/backups/asset", .operator(.reveals()), admin.backups.asset)
        .working(.lasting).withoutHead,
      Endpoint(
        post, "/_brume/admin/backups/remove", .operator(.changes()), admin.backups.remove),
      Endpoint(get, "/_brume/admin/backups/restore", .operator(.reads), admin.restores.state),
      Endpoint(post, "/_brume/admin/backups/restore", .operator(.changes()), admin.restores.send)
        .streaming.working(.lasting),
      Endpoint(
        post, "/_brume/admin/backups/restore/apply", .operator(.changes(of: "id")),
        admin.restores.apply),
      Endpoint(
        post, "/_brume/admin/backups/restore/remove", .operator(.changes(of: "id")),
        admin.restores.remove),
    ]
  }
}
