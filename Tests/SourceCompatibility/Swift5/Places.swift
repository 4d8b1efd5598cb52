// Written here: a model with locations. It imports Core Location by name, as most such files do.

import CloudKit
import CoreLocation
import Testing

struct Place {
  static let recordType = "Place"
  let name: String
  let coordinate: CLLocationCoordinate2D
  let radius: CLLocationDistance

  init?(_ record: CKRecord) {
    guard let name = record["name"] as? String, let place = record["location"] as? CLLocation
    else { return nil }
    self.name = name
    coordinate = place.coordinate
    radius = place.horizontalAccuracy
  }

  static func record(_ name: String, latitude: CLLocationDegrees, longitude: CLLocationDegrees)
    -> CKRecord
  {
    let record = CKRecord(recordType: recordType)
    record["name"] = name
    record["location"] = CLLocation(latitude: latitude, longitude: longitude)
    return record
  }

  static func nearest(to place: CLLocation, within metres: CLLocationDistance) -> CKQuery {
    let near = NSPredicate(
      format: "distanceToLocation:fromLocation:(location, %@) < %f", place, metres)
    let query = CKQuery(recordType: recordType, predicate: near)
    query.sortDescriptors = [CKLocationSortDescriptor(key: "location", relativeLocation: place)]
    return query
  }
}

@Suite struct PlaceTests {
  @Test func `a location is the same type under both names`() throws {
    let record = Place.record("Eiffel Tower", latitude: 48.8584, longitude: 2.2945)
    let place = try #require(Place(record))
    #expect(place.name == "Eiffel Tower")
    #expect(place.coordinate.latitude == 48.8584)
    let there: CloudKit.CLLocation = CoreLocation.CLLocation(latitude: 48.8606, longitude: 2.3376)
    #expect(Place.nearest(to: there, within: 5000).sortDescriptors?.count == 1)
  }
}
