// How a push looks, both ways. The archive documents the alert, sound, badge and content-available
// keys; the others have the spellings of Apple's native protocol and of CloudKit JS.
//
// CloudKit: a program that checks what the service kept of a title finds `titleLocalizedKey` and
// `titleLocalizedArguments`, not the framework's `titleLocalizationKey` and `titleLocalizationArgs`.

import BrumeModel

extension JSONWriter {
  /// - Parameter isStored: so that a server of before the names of titles changed, which still runs on the same database, finds
  ///   them. To go when none of those is upgraded from any more.
  mutating func notificationInfo(_ info: NotificationInfo, isStored: Bool = false) {
    beginObject()
    member("alertBody", info.alert.literal)
    member("alertLocalizationKey", info.alert.localizationKey)
    names("alertLocalizationArgs", info.alert.localizationArgs)
    member("title", info.title.literal)
    member("titleLocalizedKey", info.title.localizationKey)
    names("titleLocalizedArguments", info.title.localizationArgs)
    member("subtitle", info.subtitle.literal)
    member("subtitleLocalizedKey", info.subtitle.localizationKey)
    names("subtitleLocalizedArguments", info.subtitle.localizationArgs)
    member("alertActionLocalizationKey", info.alertActionLocalizationKey)
    member("alertLaunchImage", info.alertLaunchImage)
    member("soundName", info.soundName)
    member("category", info.category)
    member("collapseIdKey", info.collapseIDKey)
    flag("shouldBadge", info.shouldBadge)
    flag("shouldSendContentAvailable", info.shouldSendContentAvailable)
    flag("shouldSendMutableContent", info.shouldSendMutableContent)
    names("additionalFields", info.desiredKeys)
    if isStored { formerNames(info) }
    endObject()
  }

  private mutating func formerNames(_ info: NotificationInfo) {
    member("titleLocalizationKey", info.title.localizationKey)
    names("titleLocalizationArgs", info.title.localizationArgs)
    member("subtitleLocalizationKey", info.subtitle.localizationKey)
    names("subtitleLocalizationArgs", info.subtitle.localizationArgs)
  }

  private mutating func names(_ name: StaticString, _ names: [String]) {
    if !names.isEmpty { member(name, names) }
  }
  private mutating func flag(_ name: StaticString, _ flag: Bool) {
    if flag { member(name, true) }
  }
}

extension NotificationInfo {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init()
    alert = try Text(object, literal: "alertBody", prefix: "alert")
    title = try Text(object, literal: "title", prefix: "title")
    subtitle = try Text(object, literal: "subtitle", prefix: "subtitle")
    alertActionLocalizationKey = try object.string("alertActionLocalizationKey")
    alertLaunchImage = try object.string("alertLaunchImage")
    soundName = try object.string("soundName")
    category = try object.string("category")
    collapseIDKey = try object.string("collapseIdKey", or: "collapseIDKey")
    shouldBadge = try object.bool("shouldBadge") ?? false
    shouldSendContentAvailable = try object.bool("shouldSendContentAvailable") ?? false
    shouldSendMutableContent = try object.bool("shouldSendMutableContent") ?? false
    let additional = try object.strings("additionalFields")
    let desired = try object.strings("desiredKeys")
    desiredKeys = additional ?? desired ?? []
  }
}

extension NotificationInfo.Text {
  fileprivate init(
    _ object: JSONObject, literal: String, prefix: String
  ) throws(BrumeError) {
    let arguments = try object.strings(prefix + "LocalizedArguments")
    let other = try object.strings(prefix + "LocalizationArgs")
    self.init(
      literal: try object.string(literal),
      localizationKey: try object.string(prefix + "LocalizedKey", or: prefix + "LocalizationKey"),
      localizationArgs: arguments ?? other ?? [])
  }
}
