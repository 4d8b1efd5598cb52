// One field's value: Swift type ↔ Foundation object ↔ the model's value.

import BrumeClient
import BrumeModel
import Foundation

/// The object form of a field's value; nil for what no field can hold.
///
/// Foundation's casts turn Swift's texts, numbers, dates and data into their objects.
func fieldObject(_ value: Any) -> (any __CKRecordObjCValue)? {
  switch value {
  case let list as [Any]: fieldList(list)
  case let list as NSArray: fieldList(list.map { $0 })
  // Copied where it could change later, without the record's knowledge.
  case let text as NSMutableString: NSString(string: String(describing: text))
  case let text as NSString: text
  case let number as NSNumber: number
  case let date as NSDate: date
  case let data as NSData: data is NSMutableData ? NSData(data: data as Data) : data
  case let reference as CKRecord.Reference: reference
  case let place as CLLocation: place
  case let asset as CKAsset: asset
  default: nil
  }
}

private func fieldList(_ list: [Any]) -> NSArray? {
  let objects = list.compactMap { fieldObject($0 as Any) }
  return objects.count == list.count ? NSArray(array: objects) : nil
}

/// As above, for what the type system promises to be a field's value.
func knownFieldObject(_ value: Any) -> any __CKRecordObjCValue {
  guard let object = fieldObject(value) else {
    preconditionFailure("a record field cannot hold a \(type(of: value))")
  }
  return object
}

extension Milliseconds {
  /// Nil for a date further away than milliseconds go, and for one that is no number: an archive may hold either.
  init?(within date: Date) {
    self.init(exactly: (date.timeIntervalSince1970 * 1000).rounded())
  }
  /// The nearest that there is.
  init(_ date: Date) {
    self = Milliseconds(within: date) ?? (date.timeIntervalSince1970 < 0 ? .min : .max)
  }
  var date: Date { Date(timeIntervalSince1970: Double(self) / 1000) }
}

extension FieldValue {
  /// The value that a field's object stands for. `key` is only for the error's text.
  init(_ object: Any, key: String) throws {
    switch object {
    case let text as NSString: self = .string(String(describing: text))
    case let number as NSNumber: self = try FieldValue(number: number, key: key)
    case let date as NSDate:
      let seconds = date.timeIntervalSinceReferenceDate
      guard let time = Milliseconds(within: date as Date) else {
        throw CKError(
          .invalidArguments, "field '\(key)': no date is \(seconds) seconds from the year 2001")
      }
      let isWhole = time.date.timeIntervalSinceReferenceDate == seconds
      self = .timestamp(time, exact: isWhole ? nil : seconds)
    case let data as NSData: self = .bytes([UInt8](data as Data))
    case let place as CLLocation: self = .location(Location(place))
    case let reference as CKRecord.Reference: self = .reference(Reference(reference))
    case let record as CKRecord:
      self = .reference(
        Reference(
          recordName: record.recordID.recordName,
          zone: ZoneID(record.recordID.zoneID)))
    case let id as CKRecord.ID:
      self = .reference(Reference(recordName: id.recordName, zone: ZoneID(id.zoneID)))
    case let asset as CKAsset: self = .asset(try storedAsset(asset))
    case let list as NSArray:
      let values = try list.map { try FieldValue($0, key: key) }
      self = .list(values, of: values.first?.type)
    default: self = try FieldValue(swift: object, key: key)
    }
  }

  private init(swift value: Any, key: String) throws {
    guard let object = fieldObject(value) else {
      throw CKError(
        .invalidArguments,
        "field '\(key)' cannot hold a \(Swift.type(of: value)); use a text, number, date, data, "
          + "location, reference, asset or a list of these")
    }
    self = try FieldValue(object, key: key)
  }

  private init(number: NSNumber, key: String) throws {
    switch String(cString: number.objCType) {
    case "d", "f": self = .double(number.doubleValue)
    default:
      guard let whole = Int64(exactly: number) else {
        throw CKError(
          .invalidArguments, "field '\(key)': \(number) does not fit a 64-bit signed integer")
      }
      self = .int64(whole)
    }
  }

  /// The object form, as a record shows it.
  func object(in zone: ZoneID, from viewpoint: Viewpoint) -> any __CKRecordObjCValue {
    switch self {
    case .string(let text): NSString(string: text)
    case .int64(let number): NSNumber(value: number)
    case .double(let number): NSNumber(value: number)
    case .bytes(let bytes): NSData(data: Data(bytes))
    case .timestamp(let time, let exact):
      NSDate(timeIntervalSinceReferenceDate: exact ?? time.date.timeIntervalSinceReferenceDate)
    case .location(let place): CLLocation(place)
    case .reference(let reference):
      CKRecord.Reference(reference, in: zone, from: viewpoint)
    case .asset(let asset): CKAsset(stored: asset)
    case .list(let values, _):
      NSArray(array: values.map { $0.object(in: zone, from: viewpoint) })
    }
  }
}

/// What the server knows of an asset. A new one stands for itself until its upload takes its place.
private func storedAsset(_ asset: CKAsset) throws -> Asset {
  if var stored = asset.stored {
    stored.downloadURL = nil
    return stored
  }
  if asset.imported != nil { return Asset(fileChecksum: "", size: 0) }
  guard let url = asset.fileURL, let state = OutgoingFile.state(of: url) else {
    throw CKError(OutgoingFile.Failure.missing(asset.fileURL?.path ?? "nowhere"))
  }
  return Asset(fileChecksum: "", size: state.size)
}

extension Reference {
  init(_ reference: CKRecord.Reference) {
    self.init(
      recordName: reference.recordID.recordName, zone: ZoneID(reference.recordID.zoneID),
      action: reference.action == .deleteSelf ? .deleteSelf : .none)
  }
}

extension CKRecord.Reference {
  convenience init(_ reference: Reference, in zone: ZoneID, from viewpoint: Viewpoint) {
    let id = RecordID(name: reference.recordName, zone: reference.zone ?? zone)
    self.init(
      recordID: CKRecord.ID(id, from: viewpoint),
      action: reference.action == .deleteSelf ? .deleteSelf : .none)
  }
}

extension Location {
  init(_ place: CLLocation) {
    self.init(
      latitude: place.coordinate.latitude, longitude: place.coordinate.longitude,
      altitude: place.altitude, horizontalAccuracy: place.horizontalAccuracy,
      verticalAccuracy: place.verticalAccuracy, speed: place.speed, course: place.course,
      timestamp: Milliseconds(within: place.timestamp))
  }
}

extension CLLocation {
  convenience init(_ place: Location) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: place.latitude, longitude: place.longitude),
      altitude: place.altitude ?? 0, horizontalAccuracy: place.horizontalAccuracy ?? 0,
      verticalAccuracy: place.verticalAccuracy ?? -1, course: place.course ?? -1,
      speed: place.speed ?? -1, timestamp: (place.timestamp ?? 0).date)
  }
}
