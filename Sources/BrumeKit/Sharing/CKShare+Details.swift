// What a share has beside fields, what of it was set during a save, and its form in archives.

import BrumeModel
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

extension CKShare.Details {
  /// As the server has it.
  init(_ share: Share, at address: URL?, in zone: ZoneID, from viewpoint: Viewpoint) {
    rootName = share.rootRecordName
    self.address = address
    people = share.participants.map { CKShare.Participant($0, in: zone, from: viewpoint) }
    access = ShareAccess(share)
    publicPermission = .init(share.publicPermission)
  }

  /// What was set since a save was sent stays as it is, and is sent with the next one.
  mutating func keepChanges(of now: CKShare.Details, since sent: CKShare.Details) {
    if now.publicPermission != sent.publicPermission { publicPermission = now.publicPermission }
    access.keepChanges(of: now.access, since: sent.access)
    people.removeAll { $0.role != .owner && sent.people.contains($0) && !now.people.contains($0) }
    for person in now.people {
      let before = sent.people.first { $0 == person }
      guard let index = people.firstIndex(of: person) else {
        // One that was sent, and that the server does not have any more, is gone.
        if before == nil { people.append(person) }
        continue
      }
      guard people[index].role != .owner else { continue }
      if person.role != before?.role { people[index].role = person.role }
      if person.permission != before?.permission { people[index].permission = person.permission }
    }
  }
}

// MARK: Archives

extension CKShare.Details {
  /// As an archive has it.
  init(from coder: NSCoder) {
    rootName = coder.text("rootName")
    address = coder.text("address").flatMap { URL(string: $0) }
    people = coder.objects(CKShare.Participant.self, "participants")
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
