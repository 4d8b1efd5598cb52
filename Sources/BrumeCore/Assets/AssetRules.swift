// What a save may put into an asset field: a file with the receipt of its upload, or the file that
// is there already. Pure but for reading asset rows.

import BrumeModel
import BrumeStorage

struct AssetRules {
  private let context: ModifyContext
  private let assets: any AssetReading

  init(_ context: ModifyContext, _ assets: any AssetReading) {
    self.context = context
    self.assets = assets
  }

  /// The fields with their receipts checked and taken off, and the uploads that they name. A record without
  /// assets passes through.
  ///
  /// - Throws: naming the field, `badRequest` for a receipt of another user, record or field, and for a file without
  ///   one; `receiptExpired`, also of one that was used before.
  func settle(
    _ fields: [String: DraftField], of item: RecordItem, stored: Record?
  ) throws -> (fields: [String: DraftField], receipts: [String]) {
    guard fields.values.contains(where: { $0.value?.holdsAssets ?? false }) else {
      return (fields, [])
    }
    var settled = fields
    var used: [String] = []
    for (name, draft) in fields {
      let kept = stored?.fields[name]
      switch draft.value {
      case .asset(let asset):
        settled[name]?.value = .asset(
          try self.settled(asset, in: name, of: item, keeping: kept, &used))
      case .list(let values, of: .asset):
        if values.count > context.limits.assetsPerField {
          throw BrumeError(
            .limitExceeded,
            "field '\(name)' of record '\(item.name)' holds \(values.count) assets; the maximum is "
              + "\(context.limits.assetsPerField). Spread them over several records")
        }
        let assets = try values.map { value -> FieldValue in
          guard case .asset(let asset) = value else { return value }
          return .asset(try self.settled(asset, in: name, of: item, keeping: kept, &used))
        }
        settled[name]?.value = .list(assets, of: .asset)
      case .string, .int64, .double, .bytes, .timestamp, .location, .reference, .list, nil:
        continue
      }
    }
    return (settled, used)
  }

  private func settled(
    _ asset: Asset, in field: String, of item: RecordItem, keeping kept: FieldValue?,
    _ used: inout [String]
  ) throws -> Asset {
    guard let text = asset.receipt else {
      if let known = kept?.asset(asset.fileChecksum) { return known }
      throw refusal(
        item, field,
        "there is no receipt, and the field does not hold this file yet; upload it to an address "
          + "from assets/upload and send what that answers")
    }
    guard let receipt = context.seal.assetReceipt(text) else {
      throw refusal(
        item, field,
        "the receipt is not one of this server's; upload the file to an address from "
          + "assets/upload and send what that answers")
    }
    if receipt.hasExpired(now: context.now) {
      throw refusal(
        item, field, "the receipt has expired; upload the file again", .receiptExpired)
    }
    if let obstacle = receipt.obstacle(for: context.user, record: item.key, field: field) {
      throw refusal(item, field, obstacle)
    }
    guard !used.contains(receipt.id),
      let upload = try assets.upload(receipt.id)
    else {
      // Which it was, nobody knows: a server whose receipts were good for longer may have given it.
      throw refusal(
        item, field,
        "the receipt was used before, or its upload is forgotten; upload the file again",
        .receiptExpired)
    }
    guard upload.checksum == asset.fileChecksum,
      let file = try assets.file(asset.fileChecksum)
    else {
      throw refusal(
        item, field,
        "the receipt is for another file; send 'fileChecksum' and 'receipt' as one upload "
          + "answered them")
    }
    used.append(receipt.id)
    return Asset(fileChecksum: file.checksum, size: file.size)
  }

  private func refusal(
    _ item: RecordItem, _ field: String, _ reason: String, _ code: BrumeError.Code = .badRequest
  ) -> BrumeError {
    BrumeError(
      code, "Invalid value for field '\(field)' of record '\(item.name)': \(reason)")
  }
}

extension FieldValue {
  /// Also of a list that does not say what its elements are.
  var holdsAssets: Bool {
    switch self {
    case .asset, .list(_, of: .asset): true
    case .list(let elements, _): elements.contains(where: \.holdsAssets)
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference: false
    }
  }

  /// The asset of a checksum, in a field or a list.
  fileprivate func asset(_ checksum: String) -> Asset? {
    switch self {
    case .asset(let asset): asset.fileChecksum == checksum ? asset : nil
    case .list(let values, of: .asset): values.lazy.compactMap { $0.asset(checksum) }.first
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference, .list: nil
    }
  }
}
