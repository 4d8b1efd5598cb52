// The settings of operations in archives: of groups, which apps keep between runs, and of long-lived
// operations, which are as patient when they are found again as they were before. Only what was set is
// written; the container is the reader's own.

import Foundation

extension CKOperation.Configuration.Values {
  /// Reads settings. What is missing or makes no sense counts as not set.
  init(from coder: NSCoder) {
    func seconds(_ key: String) -> TimeInterval? {
      guard coder.containsValue(forKey: key) else { return nil }
      let seconds = coder.decodeDouble(forKey: key)
      return seconds.isFinite && seconds > 0 ? seconds : nil
    }
    func flag(_ key: String) -> Bool? {
      coder.containsValue(forKey: key) ? coder.decodeBool(forKey: key) : nil
    }
    if coder.containsValue(forKey: "qualityOfService") {
      qualityOfService = QualityOfService(
        rawValue: coder.decodeInteger(forKey: "qualityOfService"))
    }
    allowsCellularAccess = flag("allowsCellularAccess")
    isLongLived = flag("isLongLived")
    timeoutIntervalForRequest = seconds("timeoutIntervalForRequest")
    timeoutIntervalForResource = seconds("timeoutIntervalForResource")
  }

  /// Writes the settings that were set.
  func encode(with coder: NSCoder) {
    if let qualityOfService { coder.encode(qualityOfService.rawValue, forKey: "qualityOfService") }
    if let allowsCellularAccess {
      coder.encode(allowsCellularAccess, forKey: "allowsCellularAccess")
    }
    if let isLongLived { coder.encode(isLongLived, forKey: "isLongLived") }
    if let timeoutIntervalForRequest {
      coder.encode(timeoutIntervalForRequest, forKey: "timeoutIntervalForRequest")
    }
    if let timeoutIntervalForResource {
      coder.encode(timeoutIntervalForResource, forKey: "timeoutIntervalForResource")
    }
  }
}
