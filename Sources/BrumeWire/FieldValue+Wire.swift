// Field dictionaries, writing: `{"value": …, "type": …}` and the structured values inside.
// Reading them is `FieldValue+Reading.swift`.

import BrumeModel

extension JSONWriter {
  /// One entry of a record's `fields`, of a filter or of a sort.
  mutating func field(_ value: FieldValue, isEncrypted: Bool = false, _ options: RecordOptions) {
    beginObject()
    name("value")
    fieldValue(value, options)
    member("type", value.wireType)
    if isEncrypted { member("isEncrypted", true) }
    exactTime(value)
    endObject()
  }

  /// Adds a time's fraction below the millisecond, which CloudKit's own field has no place for.
  mutating func exactTime(_ value: FieldValue) {
    guard case .timestamp(_, let exact?) = value else { return }
    name("brume")
    beginObject()
    member("seconds", number: exact)
    endObject()
  }

  /// The bare value.
  mutating func fieldValue(_ value: FieldValue, _ options: RecordOptions) {
    switch value {
    case .string(let text): string(text)
    case .int64(let number):
      if options.numbersAsStrings { string(String(number)) } else { int(number) }
    case .double(let number):
      if options.numbersAsStrings { string(number.description) } else { double(number) }
    case .bytes(let content): base64(content)
    case .timestamp(let time, _): int(time)
    case .location(let place): location(place)
    case .reference(let target): reference(target)
    case .asset(let file): asset(file, options)
    case .list(let elements, _):
      beginArray()
      for element in elements { fieldValue(element, options) }
      endArray()
    }
  }

  mutating func location(_ place: Location) {
    beginObject()
    member("latitude", number: place.latitude)
    member("longitude", number: place.longitude)
    member("altitude", number: place.altitude)
    member("horizontalAccuracy", number: place.horizontalAccuracy)
    member("verticalAccuracy", number: place.verticalAccuracy)
    member("speed", number: place.speed)
    member("course", number: place.course)
    member("timestamp", place.timestamp)
    endObject()
  }

  mutating func reference(_ target: Reference) {
    beginObject()
    member("recordName", target.recordName)
    if let zone = target.zone {
      name("zoneID")
      zoneID(zone, withType: false)
    }
    member("action", target.action.rawValue)
    endObject()
  }

  private mutating func asset(_ file: Asset, _ options: RecordOptions) {
    beginObject()
    member("fileChecksum", file.fileChecksum)
    member("size", file.size)
    member("receipt", file.receipt)
    member("downloadURL", options.downloadURL?(file))
    endObject()
  }
}

extension FieldValue {
  /// The type's spelling; an empty list of unknown type has one of its own.
  var wireType: String {
    if let type { return type.wireName }
    guard case .list(let elements, _) = self, let element = elements.first?.type else {
      return "UNKNOWN_LIST"
    }
    return FieldType.list(element).wireName
  }
}
