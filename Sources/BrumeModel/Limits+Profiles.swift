// The sets of limits that a server may start with, by the names of the setting `limits`.

extension Limits {
  /// Apple's numbers; what a client must expect in production.
  package static let apple = Limits()

  /// For tests of a client's own splitting and retrying: everything is small.
  package static let tiny: Limits = {
    var limits = Limits()
    limits.operationsPerRequest = 10
    limits.recordsPerResponse = 10
    limits.itemsPerOperation = 20
    limits.recordBytes = 4096
    limits.mailboxRows = 10
    return limits
  }()

  /// For servers whose only client is their own: sizes that Apple would refuse.
  package static let relaxed: Limits = {
    var limits = Limits()
    limits.operationsPerRequest = 1000
    limits.recordsPerResponse = 1000
    limits.itemsPerOperation = 1000
    limits.recordBytes = 8 << 20
    limits.assetBytes = 4 << 30
    limits.requestBodyBytes = 64 << 20
    // One such body has room, with as many arrays and objects as a request may have.
    limits.bodyBytesAtOncePerAddress = 128 << 20
    return limits
  }()
}
