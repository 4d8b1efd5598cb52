// From an operation and the stored record to the record's next state.

import BrumeModel
import BrumeStorage

struct RecordBuilder {
  private let context: ModifyContext
  private let stage: Stage
  private let assets: AssetRules

  init(_ context: ModifyContext, _ stage: Stage) {
    self.context = context
    self.stage = stage
    assets = AssetRules(context, stage.transaction.assets)
  }

  /// The state after the operation, and the uploads that it uses; its change tag comes when it is
  /// written.
  func next(
    _ item: RecordItem, after stored: Record?
  ) throws -> (record: Record, receipts: [String]) {
    let type = try recordType(of: item, stored: stored)
    var record =
      stored
      ?? Record(name: item.name, zone: item.id.zone, type: type, created: context.stamp)
    let checked = try FieldRules.checked(
      item.draft.fields, of: item.id, in: context.scope, isShare: record.isShare,
      limits: context.limits)
    let (admitted, receipts) = try assets.settle(
      stage.admit(checked, of: type, for: item.name, in: context.scope, after: stored), of: item,
      stored: stored)
    if item.kind == .replace || item.kind == .forceReplace {
      record.fields = [:]
      record.encryptedFields = []
    }
    for (name, draft) in admitted { record.set(name, to: draft) }
    if record.isShare { try refuseLinks(of: item, admitted) }
    record.parent = try parent(of: item, stored: stored)
    if item.draft.createShortGUID, record.shortGUID == nil { record.shortGUID = item.shortGUID }
    record.modified = context.stamp
    try FieldRules.checkSize(record, after: stored, limits: context.limits)
    return (record, receipts)
  }

  /// Nothing takes a share along, and a share keeps nothing: else an administrator ended it for everybody.
  private func refuseLinks(
    of item: RecordItem, _ fields: [String: DraftField]
  ) throws(BrumeError) {
    if case .set = item.draft.parent {
      throw BrumeError(
        .badRequest, "share '\(item.name)' cannot have a parent; only records below its root have")
    }
    for (name, draft) in fields.sorted(by: { $0.key < $1.key }) {
      guard let value = draft.value, value.references.contains(where: { $0.action != .none })
      else { continue }
      throw BrumeError(
        .badRequest,
        "field '\(name)' of share '\(item.name)' must refer with action NONE; a share goes when somebody "
          + "ends it")
    }
  }

  private func recordType(of item: RecordItem, stored: Record?) throws(BrumeError) -> String {
    guard let type = item.draft.type ?? stored?.type else {
      throw BrumeError(
        .badRequest, "record '\(item.name)' is new and needs a recordType")
    }
    if let stored, stored.type != type {
      throw BrumeError(
        .badRequest,
        "record '\(item.name)' is of type '\(stored.type)' and cannot become '\(type)'; save it "
          + "under another name")
    }
    try NameRules.recordType(type, limits: context.limits)
    let isUser = item.key.mayBeUser
    if (type == Record.usersType) != (isUser && stored != nil) {
      throw BrumeError(
        .badRequest,
        "record '\(item.name)' cannot be created with type '\(type)': user records come with the "
          + "account, named like its user; change the one that is there")
    }
    return type
  }

  private func parent(of item: RecordItem, stored: Record?) throws(BrumeError) -> String? {
    switch item.draft.parent {
    case .unchanged: return stored?.parent
    case .cleared: return nil
    case .set(let reference):
      if reference.action != .none {
        throw BrumeError(
          .badRequest,
          "the parent of record '\(item.name)' must be a reference with action NONE, not "
            + reference.action.rawValue)
      }
      return try FieldRules.bound(
        reference, of: item.id, in: context.scope, what: "the parent"
      ).recordName
    }
  }
}

extension Record {
  mutating func set(_ name: String, to draft: DraftField) {
    fields[name] = draft.value
    if draft.value != nil, draft.isEncrypted {
      encryptedFields.insert(name)
    } else {
      encryptedFields.remove(name)
    }
  }
}
