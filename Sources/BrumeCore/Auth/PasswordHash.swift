// Passwords are kept as scrypt hashes, each with its own salt and with the cost it was made with, so
// that the cost can be raised later.

import BrumeModel
import Crypto
import CryptoExtras
import FoundationEssentials

enum PasswordHash {
  // OWASP's password storage cheat sheet: N 2^17, r 8, p 1; one step lower to spare small machines.
  private static let cost = (rounds: 1 << 16, blockSize: 8, parallelism: 1)

  /// `scrypt$N$r$p$salt$hash`, the last two in base64.
  static func make(_ password: String, salt: [UInt8]) throws -> String {
    let hash = try derive(password, salt, cost.rounds, cost.blockSize, cost.parallelism)
    let numbers = [cost.rounds, cost.blockSize, cost.parallelism].map { String($0) }
    return (["scrypt"] + numbers + [Base64.text(salt), Base64.text(hash)]).joined(separator: "$")
  }

  /// The hash of no password, to compare with when there is no account.
  static func nobodys() throws -> String {
    let numbers = [cost.rounds, cost.blockSize, cost.parallelism].map { String($0) }
    let zeros = Base64.text([UInt8](repeating: 0, count: 16))
    let never = Base64.text([UInt8](repeating: 0, count: 32))
    return (["scrypt"] + numbers + [zeros, never]).joined(separator: "$")
  }

  static func verify(_ password: String, _ stored: String) -> Bool {
    let parts = stored.split(separator: "$").map { String($0) }
    guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]),
      let blockSize = Int(parts[2]), let parallelism = Int(parts[3]),
      let salt = Base64.bytes(parts[4]), let wanted = Base64.bytes(parts[5]),
      let hash = try? derive(password, salt, rounds, blockSize, parallelism)
    else { return false }
    return ConstantTime.areEqual(hash, wanted)
  }

  private static func derive(
    _ password: String, _ salt: [UInt8], _ rounds: Int, _ blockSize: Int, _ parallelism: Int
  ) throws -> [UInt8] {
    let key = try KDF.Scrypt.deriveKey(
      from: Array(password.utf8), salt: salt, outputByteCount: 32, rounds: rounds,
      blockSize: blockSize, parallelism: parallelism, maxMemory: 256 << 20)
    return key.withUnsafeBytes { Array($0) }
  }
}
