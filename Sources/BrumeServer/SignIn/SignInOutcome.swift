// How a sign-in ends, as the page's script reads it.

import BrumeCore
import BrumeModel
import BrumeWire

enum SignInOutcome {
  static func json(_ token: String, for signIn: SignIn) -> JSON {
    switch SignInDelivery.decide(signIn) {
    case .redirect(let callback): ["location": .string(address(callback, token))]
    case .post(let origins):
      ["token": .string(token), "origins": .array(origins.map { .string($0) })]
    }
  }

  static func error(_ reason: String, _ signIn: SignIn?) -> JSON {
    let origins = signIn.map { self.origins(of: $0) } ?? []
    return ["error": .string(reason), "origins": .array(origins.map { .string($0) })]
  }

  static func origins(of signIn: SignIn) -> [String] {
    if case .post(let origins) = SignInDelivery.decide(signIn) { origins } else { [] }
  }

  static func address(_ callback: String, _ token: String) -> String {
    FormText.address(callback, adding: [("ckWebAuthToken", token), ("ckSession", token)])
  }
}
