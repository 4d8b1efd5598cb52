// Whose passwords are checked at once, or wait for it: users leave some places to operators, and operators theirs to
// users; one address has two, one name has one. A right password is no guess, so whoever knows one could otherwise
// keep everybody else from signing in.

struct PasswordSlots: Sendable {
  /// Whose password it is. Who comes with a one-time link has neither name nor address: the link counts.
  struct Holder: Equatable, Sendable {
    let isOperator: Bool
    var name: String?
    var address: String?
  }
  /// Ours: checks of operators.
  private static let mostOfOperators = 2
  /// Ours: checks of one address, of users. Of an operator's there is one, so that no address has all of theirs.
  private static let mostOfAddress = 2

  private let most: Int
  private var held: [Holder] = []

  init(most: Int) { self.most = most }

  /// Whether the holder has got a place.
  mutating func take(_ holder: Holder) -> Bool {
    let alike = held.filter { $0.isOperator == holder.isOperator }
    let room = holder.isOperator ? Self.mostOfOperators : max(1, most - Self.mostOfOperators)
    guard held.count < most, alike.count < room else { return false }
    if let name = holder.name, alike.contains(where: { $0.name == name }) { return false }
    let here = alike.count { $0.address == holder.address }
    if holder.address != nil, here >= (holder.isOperator ? 1 : Self.mostOfAddress) { return false }
    held.append(holder)
    return true
  }

  mutating func giveBack(_ holder: Holder) {
    if let index = held.firstIndex(of: holder) { held.remove(at: index) }
  }
}
