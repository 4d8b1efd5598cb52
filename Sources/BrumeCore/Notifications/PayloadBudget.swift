// What is cut from a push that is larger than the channel takes.
//
// The order is CloudKit's: first the long texts among the desired fields, then all desired fields;
// then every other text is cut to its documented minimum; then whole properties go, the least
// important first, what is shown to the user last, and the notification's ID never
// (case PSH-18). `isPruned` says to the app that something is missing.
//
// Ours: the subscription's ID goes after all that, because the two IDs together identify a notification.
// 4096 bytes always have room for both.

package import BrumeModel

/// Cuts notifications to the size of one channel.
package struct PayloadBudget: Sendable {
  private let maximum: Int
  private let textLength: Int
  private let encode: @Sendable (Notification) -> [UInt8]

  /// - Parameter encode: the channel's form, in which the size is measured.
  package init(
    maximum: Int, textLength: Int, encode: @escaping @Sendable (Notification) -> [UInt8]
  ) {
    self.maximum = maximum
    self.textLength = textLength
    self.encode = encode
  }

  /// The bytes to send, and what is left of the notification in them.
  package func fit(_ notification: Notification) -> (payload: [UInt8], sent: Notification) {
    var sent = notification
    var payload = encoded(sent)
    for step in Self.steps {
      if let payload, payload.count <= maximum { break }
      let before = sent
      step.cut(&sent, textLength)
      if sent == before { continue }
      sent.isPruned = true
      payload = encoded(sent)
    }
    return (payload ?? encode(sent), sent)
  }

  /// Nil without looking further if its texts alone are too much, as those of thousands of subscriptions to one long text.
  private func encoded(_ notification: Notification) -> [UInt8]? {
    notification.textBytes > maximum ? nil : encode(notification)
  }
}

// MARK: The order

extension PayloadBudget {
  struct Step: Sendable {
    let name: String
    let cut: @Sendable (inout Notification, Int) -> Void
    init(_ name: String, _ cut: @escaping @Sendable (inout Notification, Int) -> Void) {
      self.name = name
      self.cut = cut
    }
  }

  static let steps: [Step] = [
    Step("desired texts") { $0.cutDesiredTexts(to: $1) },
    Step("desired keys") { note, _ in note.dropDesiredFields() },
    Step("long texts") { $0.cutTexts(to: $1) },
    Step("subtitle") { note, _ in note.subtitle.literal = nil },
    Step("subtitle arguments") { note, _ in note.subtitle.localizationArgs = [] },
    Step("subtitle key") { note, _ in note.subtitle.localizationKey = nil },
    Step("title") { note, _ in note.title.literal = nil },
    Step("title arguments") { note, _ in note.title.localizationArgs = [] },
    Step("title key") { note, _ in note.title.localizationKey = nil },
    Step("subscription owner") { note, _ in note.user = nil },
    Step("container") { note, _ in note.container = nil },
    Step("record ID") { note, _ in note.dropRecordID() },
    Step("subject") { note, _ in note.subject = .fetchEverything },
    Step("mutable content") { note, _ in note.mutableContent = false },
    Step("category") { note, _ in note.category = nil },
    Step("content available") { note, _ in note.contentAvailable = false },
    Step("sound") { note, _ in note.soundName = nil },
    Step("launch image") { note, _ in note.alertLaunchImage = nil },
    Step("action key") { note, _ in note.alertActionLocalizationKey = nil },
    Step("body") { note, _ in note.alert.literal = nil },
    Step("arguments") { note, _ in note.alert.localizationArgs = [] },
    Step("key") { note, _ in note.alert.localizationKey = nil },
    Step("badge") { note, _ in note.badge = nil },
    Step("subscription") { note, _ in note.subscriptionID = nil },
  ]
}

extension Notification {
  /// In every form at least.
  fileprivate var textBytes: Int {
    let shown = [alert, title, subtitle].reduce(0) { sum, text in
      text.localizationArgs.reduce(sum + (text.literal?.utf8.count ?? 0)) { $0 + $1.utf8.count }
    }
    guard case .query(_, _, _, let fields) = subject else { return shown }
    return fields.values.reduce(shown) { sum, value in
      if case .string(let text) = value { sum + text.utf8.count } else { sum }
    }
  }

  fileprivate mutating func cutDesiredTexts(to length: Int) {
    guard case .query(let zone, let name, let reason, var fields) = subject else { return }
    for (key, value) in fields {
      if case .string(let text) = value {
        fields[key] = .string(TextCut.prefix(text, characters: length))
      }
    }
    subject = .query(zone: zone, recordName: name, reason: reason, fields: fields)
  }

  fileprivate mutating func dropDesiredFields() {
    guard case .query(let zone, let name, let reason, _) = subject else { return }
    subject = .query(zone: zone, recordName: name, reason: reason, fields: [:])
  }

  /// An empty record name stands for none; what happened is still in it.
  fileprivate mutating func dropRecordID() {
    guard case .query(let zone, _, let reason, let fields) = subject else { return }
    subject = .query(zone: zone, recordName: "", reason: reason, fields: fields)
  }

  fileprivate mutating func cutTexts(to length: Int) {
    func cut(_ text: inout Text) {
      text.literal = text.literal.map { TextCut.prefix($0, characters: length) }
      text.localizationArgs = text.localizationArgs.map {
        TextCut.prefix($0, characters: length)
      }
    }
    cut(&alert)
    cut(&title)
    cut(&subtitle)
  }
}
