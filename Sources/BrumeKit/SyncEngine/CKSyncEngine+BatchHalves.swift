// How a batch that is too large for the server, or has too many files, becomes two. What must not be torn apart: a zone of which all
// is to succeed or fail together, and a new share and its root. A parent goes before its children, so that
// it exists when they arrive, and deletions go last, when nothing refers to them any more.

import BrumeClient

extension CKSyncEngine.RecordZoneChangeBatch {
  /// Ours: files of one request. The server has room for some hundreds that no record holds yet, for an hour, and
  /// all are sent again if the connection breaks before the records arrive.
  static let fileLimit = 50
  /// Ours: their bytes.
  static let fileBytesLimit: Int64 = 100 << 20

  /// Whether it has more files than should be sent before their records.
  var hasTooManyFiles: Bool {
    let files = recordsToSave.flatMap { $0.contents.filesToSend(.changedKeys).values }
    let copies = recordsToSave.reduce(0) { $0 + $1.contents.filesToImport.count }
    if files.count + copies > Self.fileLimit { return true }
    let bytes = files.reduce(Int64(0)) { $0 + (OutgoingFile.state(of: $1)?.size ?? 0) }
    return bytes > Self.fileBytesLimit
  }

  /// Two batches of about the same size; nil if all belongs together.
  var halves: (Self, Self)? {
    let pieces = atomicByZone ? zones : recordsInOrder
    guard pieces.count > 1 else { return nil }
    var (size, cut) = (pieces[0].count, 1)
    while cut < pieces.count - 1, size + pieces[cut].count <= count / 2 {
      size += pieces[cut].count
      cut += 1
    }
    return (joined(pieces[..<cut]), joined(pieces[cut...]))
  }

  /// The changes of each zone, in the order in which the zones come first.
  private var zones: [Self] {
    var seen: Set<CKRecordZone.ID> = []
    let zones = changes.map(\.recordID.zoneID).filter { seen.insert($0).inserted }
    return zones.map { zone in without { $0.recordID.zoneID != zone } }
  }

  /// The saves, parents first and shares with their roots, then the deletions.
  private var recordsInOrder: [Self] {
    var places: [CKRecord.ID: Int] = [:]
    for (index, record) in recordsToSave.enumerated() { places[record.recordID] = index }
    var shares: [Int: Int] = [:]
    for (index, record) in recordsToSave.enumerated() {
      if let root = record.rootToSave.flatMap({ places[$0] }) { shares[root] = index }
    }
    let withRoots = Set(shares.values)
    let depths = recordsToSave.indices.map { depth(of: $0, places) }
    let order = depths.indices.sorted { (depths[$0], $0) < (depths[$1], $1) }
    let saves = order.filter { !withRoots.contains($0) }.map { index in
      Self(recordsToSave: [index, shares[index]].compactMap { $0 }.map { recordsToSave[$0] })
    }
    return saves + recordIDsToDelete.map { Self(recordIDsToDelete: [$0]) }
  }

  /// How many of a record's ancestors are in the batch. A cycle ends at the batch's size.
  private func depth(of index: Int, _ places: [CKRecord.ID: Int]) -> Int {
    var (depth, current) = (0, index)
    while depth < recordsToSave.count,
      let parent = recordsToSave[current].parent.flatMap({ places[$0.recordID] })
    {
      (depth, current) = (depth + 1, parent)
    }
    return depth
  }

  private func joined(_ pieces: ArraySlice<Self>) -> Self {
    Self(
      recordsToSave: pieces.flatMap(\.recordsToSave),
      recordIDsToDelete: pieces.flatMap(\.recordIDsToDelete), atomicByZone: atomicByZone)
  }
}

extension CKRecord {
  /// Of a share that was not saved yet, the root, which goes with it (case SHR-02).
  fileprivate var rootToSave: CKRecord.ID? {
    guard let share = self as? CKShare, recordChangeTag == nil else { return nil }
    return share.rootName.map { CKRecord.ID(recordName: $0, zoneID: recordID.zoneID) }
  }
}
