// How the pushes of a subscription look, as a class with Apple's property names over the model's
// value. The names of archived keys are ours.

package import BrumeModel
public import Foundation
import Synchronization

extension CKSubscription {
  /// What a push of a subscription shows, plays, counts and carries.
  ///
  /// A push with only ``shouldSendContentAvailable`` set wakes the app silently; anything shown,
  /// played or counted makes it visible. Source: Apple's `CKSubscription.NotificationInfo` page.
  // Sendable because the value is behind a mutex.
  open class NotificationInfo: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    typealias Value = BrumeModel.NotificationInfo
    private let content: Mutex<Value>

    /// The model's value.
    package var value: BrumeModel.NotificationInfo {
      content.withLock { $0 }
    }

    /// Wraps the model's value.
    package init(_ value: BrumeModel.NotificationInfo) {
      self.content = Mutex(value)
    }

    /// Creates information for pushes that show and carry nothing.
    public override init() {
      self.content = Mutex(Value())
    }

    /// Creates information with all its parts.
    public convenience init(
      alertBody: String? = nil, alertLocalizationKey: String? = nil,
      alertLocalizationArgs: [CKRecord.FieldKey] = [], title: String? = nil,
      titleLocalizationKey: String? = nil, titleLocalizationArgs: [CKRecord.FieldKey] = [],
      subtitle: String? = nil, subtitleLocalizationKey: String? = nil,
      subtitleLocalizationArgs: [CKRecord.FieldKey] = [],
      alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil,
      soundName: String? = nil, desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false,
      shouldSendContentAvailable: Bool = false, shouldSendMutableContent: Bool = false,
      category: String? = nil, collapseIDKey: String? = nil
    ) {
      var value = Value()
      value.alert = Value.Text(
        literal: alertBody, localizationKey: alertLocalizationKey,
        localizationArgs: alertLocalizationArgs)
      value.title = Value.Text(
        literal: title, localizationKey: titleLocalizationKey,
        localizationArgs: titleLocalizationArgs)
      value.subtitle = Value.Text(
        literal: subtitle, localizationKey: subtitleLocalizationKey,
        localizationArgs: subtitleLocalizationArgs)
      value.alertActionLocalizationKey = alertActionLocalizationKey
      value.alertLaunchImage = alertLaunchImage
      value.soundName = soundName
      value.desiredKeys = desiredKeys
      value.shouldBadge = shouldBadge
      value.shouldSendContentAvailable = shouldSendContentAvailable
      value.shouldSendMutableContent = shouldSendMutableContent
      value.category = category
      value.collapseIDKey = collapseIDKey
      self.init(value)
    }

    // MARK: Text

    /// The text of the alert.
    open var alertBody: String? {
      get { value.alert.literal }
      set { content.withLock { $0.alert.literal = newValue } }
    }
    /// The key of a localised alert text. Wins over ``alertBody``.
    open var alertLocalizationKey: String? {
      get { value.alert.localizationKey }
      set { content.withLock { $0.alert.localizationKey = newValue } }
    }
    /// Names of the record fields whose values fill the localised alert text, in order.
    open var alertLocalizationArgs: [CKRecord.FieldKey]? {
      get { value.alert.localizationArgs.nilIfEmpty }
      set { content.withLock { $0.alert.localizationArgs = newValue ?? [] } }
    }
    /// The title of the alert.
    open var title: String? {
      get { value.title.literal }
      set { content.withLock { $0.title.literal = newValue } }
    }
    /// The key of a localised title. Wins over ``title``.
    open var titleLocalizationKey: String? {
      get { value.title.localizationKey }
      set { content.withLock { $0.title.localizationKey = newValue } }
    }
    /// Names of the record fields whose values fill the localised title, in order.
    open var titleLocalizationArgs: [CKRecord.FieldKey]? {
      get { value.title.localizationArgs.nilIfEmpty }
      set { content.withLock { $0.title.localizationArgs = newValue ?? [] } }
    }
    /// The subtitle of the alert.
    open var subtitle: String? {
      get { value.subtitle.literal }
      set { content.withLock { $0.subtitle.literal = newValue } }
    }
    /// The key of a localised subtitle. Wins over ``subtitle``.
    open var subtitleLocalizationKey: String? {
      get { value.subtitle.localizationKey }
      set { content.withLock { $0.subtitle.localizationKey = newValue } }
    }
    /// Names of the record fields whose values fill the localised subtitle, in order.
    open var subtitleLocalizationArgs: [CKRecord.FieldKey]? {
      get { value.subtitle.localizationArgs.nilIfEmpty }
      set { content.withLock { $0.subtitle.localizationArgs = newValue ?? [] } }
    }
    /// The key of the localised title of the alert's action button.
    open var alertActionLocalizationKey: String? {
      get { value.alertActionLocalizationKey }
      set { content.withLock { $0.alertActionLocalizationKey = newValue } }
    }

    // MARK: Everything else

    /// The name of the launch image that the app shows when the alert opens it.
    open var alertLaunchImage: String? {
      get { value.alertLaunchImage }
      set { content.withLock { $0.alertLaunchImage = newValue } }
    }
    /// The name of the sound to play; `default` is the system's.
    open var soundName: String? {
      get { value.soundName }
      set { content.withLock { $0.soundName = newValue } }
    }
    /// Names of up to three record fields whose values a query push carries.
    open var desiredKeys: [CKRecord.FieldKey]? {
      get { value.desiredKeys.nilIfEmpty }
      set { content.withLock { $0.desiredKeys = newValue ?? [] } }
    }
    /// Whether the server raises the badge by one with each push.
    open var shouldBadge: Bool {
      get { value.shouldBadge }
      set { content.withLock { $0.shouldBadge = newValue } }
    }
    /// Whether the push wakes the app in the background.
    open var shouldSendContentAvailable: Bool {
      get { value.shouldSendContentAvailable }
      set { content.withLock { $0.shouldSendContentAvailable = newValue } }
    }
    /// Whether a notification service extension may change the push before it is shown.
    open var shouldSendMutableContent: Bool {
      get { value.shouldSendMutableContent }
      set { content.withLock { $0.shouldSendMutableContent = newValue } }
    }
    /// The notification category, which decides the actions that are offered.
    open var category: String? {
      get { value.category }
      set { content.withLock { $0.category = newValue } }
    }
    /// The record field whose value says which earlier push this one replaces.
    ///
    /// Apple's header says it names a field, its page says that it is the value itself. The
    /// server looks for the field and falls back to the text.
    open var collapseIDKey: String? {
      get { value.collapseIDKey }
      set { content.withLock { $0.collapseIDKey = newValue } }
    }

    // MARK: Copying and coding

    func copied() -> CKSubscription.NotificationInfo { CKSubscription.NotificationInfo(value) }

    /// Makes an independent copy.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedNotificationInfo.self }
    #endif

    /// Restores information from an archive.
    public required init?(coder: NSCoder) {
      var value = Value()
      for (key, path) in Archive.texts { value[keyPath: path] = coder.text(key) }
      for (key, path) in Archive.lists { value[keyPath: path] = coder.texts(key) }
      for (key, path) in Archive.flags { value[keyPath: path] = coder.decodeBool(forKey: key) }
      self.content = Mutex(value)
    }

    /// Archives the information.
    open func encode(with coder: NSCoder) {
      let value = value
      for (key, path) in Archive.texts { coder.encodeText(value[keyPath: path], key) }
      for (key, path) in Archive.lists { coder.encodeTexts(value[keyPath: path], key) }
      for (key, path) in Archive.flags { coder.encode(value[keyPath: path], forKey: key) }
    }
  }
}

/// The archived keys of notification information and where their values live.
private enum Archive {
  typealias Value = BrumeModel.NotificationInfo

  static var texts: [(String, WritableKeyPath<Value, String?>)] {
    [
      ("alertBody", \.alert.literal), ("alertLocalizationKey", \.alert.localizationKey),
      ("title", \.title.literal), ("titleLocalizationKey", \.title.localizationKey),
      ("subtitle", \.subtitle.literal), ("subtitleLocalizationKey", \.subtitle.localizationKey),
      ("alertActionLocalizationKey", \.alertActionLocalizationKey),
      ("alertLaunchImage", \.alertLaunchImage), ("soundName", \.soundName),
      ("category", \.category), ("collapseIDKey", \.collapseIDKey),
    ]
  }

  static var lists: [(String, WritableKeyPath<Value, [String]>)] {
    [
      ("alertLocalizationArgs", \.alert.localizationArgs),
      ("titleLocalizationArgs", \.title.localizationArgs),
      ("subtitleLocalizationArgs", \.subtitle.localizationArgs), ("desiredKeys", \.desiredKeys),
    ]
  }

  static var flags: [(String, WritableKeyPath<Value, Bool>)] {
    [
      ("shouldBadge", \.shouldBadge),
      ("shouldSendContentAvailable", \.shouldSendContentAvailable),
      ("shouldSendMutableContent", \.shouldSendMutableContent),
    ]
  }
}

extension Array {
  /// Apple's list properties are nil until something is set.
  fileprivate var nilIfEmpty: [Element]? { isEmpty ? nil : self }
}
