// What a share has beside fields, and its form in archives.

import Foundation

extension CKShare {
  /// What a share has beside fields.
  struct Details: Sendable {
    var rootName: String?
    var address: URL?
    var people: [Participant] = []
    var access = ShareAccess()
    var publicPermission = ParticipantPermission.none

    /// The same with participants of its own: what they may do can be changed.
    var copied: Details {
      var copy = self
      copy.people = people.compactMap { $0.copy() as? Participant }
      return copy
    }
  }
}

// MARK: Archives

extension CKShare.Details {
  /// As an archive has it.
  init(from coder: NSCoder) {
    rootName = coder.text("rootName")
    address = coder.text("address").flatMap { URL(string: $0) }
    people = coder.objects([CKShare.Participant.self], "participants")
    access = ShareAccess(from: coder)
    let permission = coder.decodeInteger(forKey: "publicPermission")
    publicPermission = CKShare.ParticipantPermission(rawValue: permission) ?? .unknown
  }

  func encode(with coder: NSCoder) {
    coder.encodeText(rootName, "rootName")
    coder.encodeText(address?.absoluteString, "address")
    coder.encode(NSArray(array: people), forKey: "participants")
    access.encode(with: coder)
    coder.encode(publicPermission.rawValue, forKey: "publicPermission")
  }

  /// An archive of its own. In one with the changed participants Foundation on Linux would write these only once, as
  /// they are equal whatever they may do.
  var archived: [UInt8] {
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    encode(with: coder)
    coder.finishEncoding()
    return [UInt8](coder.encodedData)
  }

  /// Nil for what is no archive, or a damaged one.
  init?(archived bytes: [UInt8]) {
    guard let coder = try? NSKeyedUnarchiver(forReadingFrom: Data(bytes)) else { return nil }
    // Otherwise Foundation on Linux stops the program at a value of another kind.
    coder.decodingFailurePolicy = .setErrorAndReturn
    self.init(from: coder)
    if coder.error != nil { return nil }
  }
}
