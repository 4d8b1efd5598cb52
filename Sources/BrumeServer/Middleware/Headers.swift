// The names of header fields beyond HTTP's own.

import HTTPTypes

extension HTTPField.Name {
  static let requestUUID = HTTPField.Name("X-Apple-Request-UUID")!
  static let webAuthToken = HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token")!
  static let keyID = HTTPField.Name("X-Apple-CloudKit-Request-KeyID")!
  static let signatureDate = HTTPField.Name("X-Apple-CloudKit-Request-ISO8601Date")!
  static let signature = HTTPField.Name("X-Apple-CloudKit-Request-SignatureV1")!
  static let device = HTTPField.Name("X-Brume-Device")!
  /// The position of a poll's answer, to be sent back as `cursor`.
  static let pushCursor = HTTPField.Name("X-Brume-Cursor")!
  static let accelBuffering = HTTPField.Name("X-Accel-Buffering")!
  static let lastEventID = HTTPField.Name("Last-Event-ID")!
  /// HTTPTypes keeps the first Host apart from the fields and gives no name to a second.
  static let secondHost = HTTPField.Name("Host")!
  static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
  /// Others' ways to say what `X-Forwarded-For` says.
  static let forwarded = HTTPField.Name("Forwarded")!
  static let realIP = HTTPField.Name("X-Real-IP")!
  static let forwardedHost = HTTPField.Name("X-Forwarded-Host")!
  static let forwardedProto = HTTPField.Name("X-Forwarded-Proto")!
  /// The CSRF token of an operator's session.
  static let operatorForm = HTTPField.Name("X-Brume-CSRF")!
  static let traceparent = HTTPField.Name("traceparent")!
  static let fetchSite = HTTPField.Name("Sec-Fetch-Site")!
  static let frameOptions = HTTPField.Name("X-Frame-Options")!
  static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
}
