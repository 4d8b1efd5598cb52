// `CKRecordZone` ↔ the model's `ZoneState`.

import BrumeModel

extension CKRecordZone {
  /// The zone as the server describes it.
  convenience init(_ state: ZoneState, from viewpoint: Viewpoint) {
    self.init(zoneID: ID(state.zone, from: viewpoint))
    share = state.share.map {
      CKRecord.Reference(
        recordID: CKRecord.ID(recordName: $0, zoneID: zoneID),
        action: CKRecord.ReferenceAction.none)
    }
    beginning = state.isNew ? state.token : nil
    // A zone can do all or nothing; what the server calls atomic is a custom zone.
    if state.isAtomic, viewpoint.scope != .public { capabilities = .custom }
  }
}
