// Change tokens as apps keep them between two launches.

import BrumeKit
import Foundation
import Testing

enum Archive {
  static func data(_ token: CKServerChangeToken) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
  }

  static func token(_ data: Data) throws -> CKServerChangeToken {
    try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data))
  }
}
