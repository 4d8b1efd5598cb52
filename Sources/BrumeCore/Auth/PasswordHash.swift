// Passwords are kept as scrypt hashes, each with its own salt and with the cost it was made with, so
// that the cost can be raised later.

import BrumeModel
import Crypto
import CryptoExtras
import FoundationEssentials

enum PasswordHash {
  private static let blockSize = 8
  private static let parallelism = 1
  /// Ours: what a hash may need. A store says of each what it costs, and one that is damaged may say anything.
  private static let mostMemory = 256 << 20

  /// `scrypt$N$r$p$salt$hash`, the last two in base64.
  ///
  /// - Parameter rounds: N, `Limits.passwordRounds`.
  static func make(_ password: String, salt: [UInt8], rounds: Int) throws -> String {
    text(rounds, salt, try derive(password, salt, rounds, blockSize, parallelism))
  }

  /// The hash of no password, to compare with when there is no account.
  static func ofNobody(rounds: Int) -> String {
    text(rounds, [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0, count: 32))
  }

  private static func text(_ rounds: Int, _ salt: [UInt8], _ hash: [UInt8]) -> String {
    let numbers = [rounds, blockSize, parallelism].map { String($0) }
    return (["scrypt"] + numbers + [Base64.text(salt), Base64.text(hash)]).joined(separator: "$")
  }

  static func verify(_ password: String, _ stored: String) -> Bool {
    let parts = stored.split(separator: "$").map { String($0) }
    guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]),
      let blockSize = Int(parts[2]), let parallelism = Int(parts[3]),
      isAffordable(rounds, blockSize, parallelism),
      let salt = Base64.bytes(parts[4]), let wanted = Base64.bytes(parts[5]),
      let hash = try? derive(password, salt, rounds, blockSize, parallelism)
    else { return false }
    return ConstantTime.areEqual(hash, wanted)
  }

  private static func isAffordable(_ rounds: Int, _ blockSize: Int, _ parallelism: Int) -> Bool {
    guard rounds > 0, blockSize > 0, parallelism > 0 else { return false }
    return mostMemory / 128 / rounds / blockSize / parallelism > 0
  }

  private static func derive(
    _ password: String, _ salt: [UInt8], _ rounds: Int, _ blockSize: Int, _ parallelism: Int
  ) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: rounds,
      blockSize: blockSize, parallelism: parallelism, maxMemory: mostMemory)
    return key.withUnsafeBytes { Array($0) }
  }
}
