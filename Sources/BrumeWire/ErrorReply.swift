// The error dictionary: the body of a failed request, and the stand-in for a failed item.
//
// Only the documented codes go into `serverErrorCode`, because strict clients decode no others. The
// finer meaning, for our own client, is under `brume`.

package import BrumeModel

extension JSONWriter {
  /// The members of an error, without the braces.
  ///
  /// - Parameter reader: whose view of a share the server's record is.
  mutating func errorMembers(_ error: BrumeError, to reader: UserID? = nil) {
    member("serverErrorCode", error.code.meaning.wire)
    member("reason", error.reason)
    // Whole seconds, as in the header: strict clients decode an integer here.
    member("retryAfter", error.retryAfter.flatMap { Int64(exactly: $0.rounded(.up)) })
    member("redirectURL", error.redirectURL)
    name("brume")
    beginObject()
    member("code", error.code.rawValue)
    member("ckErrorCode", Int64(error.code.meaning.ckError))
    if let record = error.serverRecord {
      name("serverRecord")
      self.record(record, RecordOptions(reader: reader))
    }
    if let seconds = error.retryAfter, Int64(exactly: seconds) == nil {
      name("retryAfter")
      double(seconds)
    }
    if error.didResetEncryptedData { member("didResetEncryptedData", true) }
    if error.isOfEarlierIncarnation { member("isOfEarlierLife", true) }
    endObject()
  }
}

extension Wire {
  /// The body of a failed request.
  ///
  /// - Parameter uuid: the request's ID, the same as in the header; nil where there is no header.
  package static func error(_ error: BrumeError, uuid: String? = nil) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("uuid", uuid)
      writer.errorMembers(error)
      writer.endObject()
    }
  }

  /// The error that a reply's body stands for. Whatever is no error dictionary is `internalError`.
  package static func error(_ json: JSON) -> BrumeError {
    json.object.flatMap { error(in: $0) }
      ?? BrumeError(
        .internalError, "the server answered with something that is no error dictionary")
  }

  /// The seconds that a server asks to wait. Nil: it does not, or says what nobody can wait for: less than nothing, "not a
  /// number", or so much that clocks do not go that far.
  package static func wait(_ seconds: Double?) -> Double? {
    seconds.flatMap { (0...longestWait).contains($0) ? $0 : nil }
  }

  /// Ours: a year.
  private static let longestWait: Double = 365 * 86_400

  /// Nil if the object is no error: the two keys alone decide, as in CloudKit JS.
  static func error(in object: JSONObject) -> BrumeError? {
    guard let wire = (object["serverErrorCode"] ?? object["extensionErrorCode"])?.string else {
      return nil
    }
    let extras = object["brume"]?.object
    let code =
      extras?["code"]?.string.flatMap { BrumeError.Code(rawValue: $0) }
      ?? BrumeError.Code.allCases.first { $0.meaning.wire == wire } ?? .internalError
    var error = BrumeError(
      code, object["reason"]?.string ?? wire,
      retryAfter: wait((extras?["retryAfter"] ?? object["retryAfter"])?.double))
    error.redirectURL = (object["redirectURL"] ?? object["redirectUrl"])?.string
    error.didResetEncryptedData = extras?["didResetEncryptedData"]?.bool ?? false
    error.isOfEarlierIncarnation = extras?["isOfEarlierLife"]?.bool ?? false
    if let record = extras?["serverRecord"] { error.serverRecord = try? Record(json: record) }
    return error
  }
}
