// Texts that come from users, operators and other sides, each by itself.

import BrumeAssets
import BrumeModel
import BrumeOpenID
import BrumePush
import BrumeQueryPlan
import BrumeServer
import BrumeWire

extension Target {
  static let texts = [
    Target("date", longest: 64) { bytes in
      let text = text(bytes)
      if let time = ISODate.milliseconds(text), ISODate.milliseconds(ISODate.text(time)) != time {
        wrong("a date is not what was written")
      }
      _ = OutsideReply(status: 503, retryAfter: text).pause(at: 1_795_176_000_000)
    },
    Target("encoding", longest: 128) { bytes in
      let text = text(bytes)
      if let read = Base64.bytes(text), Base64.bytes(Base64.text(read)) != read {
        wrong("base64 is not what was written")
      }
      if let read = Base64URL.bytes(text), Base64URL.bytes(Base64URL.text(read)) != read {
        wrong("base64url is not what was written")
      }
      _ = Base64URL.lenientBytes(text)
      _ = try? TokenRequest.hex(text)
      guard Base64.bytes(Base64.text(bytes)) == bytes else { wrong("base64 loses bytes") }
    },
    Target("names", longest: 300) { bytes in
      guard let text = try? TextRules.text(bytes, "it") else { return }
      try? TextRules.check(text, "it", upTo: 255)
      try? NameRules.recordName(text, limits: .apple)
      try? NameRules.zoneName(text, limits: .apple)
      try? NameRules.recordType(text, limits: .apple)
      try? NameRules.fieldName(text, ofShare: false, limits: .apple)
      try? NameRules.subscriptionID(text, limits: .apple)
      try? NameRules.device(text, limits: .apple)
      try? NameRules.container(text)
      _ = (NameRules.shown(text), EmailAddress.key(text))
      _ = (IndexedWord.spelling(of: text), IndexedWord.spellings(of: text))
    },
    Target("address", longest: 256) { bytes in
      let text = text(bytes)
      _ = IPAddress(text)?.isPublic
      if let address = IPAddress(text), IPAddress(address.description) != address {
        wrong("an address is not what was written")
      }
      readAddresses(text)
      guard let url = try? PushURL(text) else { return }
      guard let again = try? PushURL(url.text), again.origin == url.origin else {
        wrong("the URL that is called is another than the one that was checked")
      }
    },
  ]

  /// A bucket's, and one of a provider, which a browser is sent to.
  private static func readAddresses(_ text: String) {
    if let bucket = try? S3Address(text) { _ = (bucket.base, bucket.path(of: "a")) }
    guard (try? ProviderAddress.check(text, what: "it")) != nil else { return }
    _ = FormText.address(text, adding: [("state", "s")])
  }
}
