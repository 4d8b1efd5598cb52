// Objects through archives, and out of those that stand in tests as texts.

import Foundation
import Testing

/// The object as it comes back from an archive of it.
func through<Kind: NSObject & NSSecureCoding>(_ object: Kind) throws -> Kind {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Kind.self, from: data))
}

/// What an archive holds, which is given in base64.
func unarchived<Kind: NSObject & NSSecureCoding>(_ kind: Kind.Type, _ text: String) throws -> Kind {
  let data = try #require(Data(base64Encoded: text))
  return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: kind, from: data))
}
