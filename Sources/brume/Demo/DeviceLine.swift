// The lines between a device process and the director: one JSON object each, so that any text fits.

import BrumeKit
import Foundation

enum DeviceLine {
  case reply(Result<String, any Error>)
  case push([AnyHashable: Any])
  case reaction(String)

  func write() {
    let object: [String: Any]
    switch self {
    case .reply(.success(let text)): object = ["reply": text]
    case .reply(.failure(let error)):
      object = [
        "error": (error as? CKError)?.code.rawValue ?? -1, "text": error.localizedDescription,
      ]
    case .push(let userInfo):
      object = ["push": Dictionary(uniqueKeysWithValues: userInfo.map { ("\($0.key)", $0.value) })]
    case .reaction(let text): object = ["reaction": text]
    }
    guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])
    else { return }
    Output.line(Array(data))
  }
}
