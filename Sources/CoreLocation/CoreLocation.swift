// For model code that imports Core Location by name: the few types of it that CloudKit's interface has.
// A product of its own, because other packages ask `canImport(CoreLocation)` and then expect all of it.
@_exported public import class BrumePlaces.CLLocation
@_exported public import typealias BrumePlaces.CLLocationAccuracy
@_exported public import struct BrumePlaces.CLLocationCoordinate2D
@_exported public import typealias BrumePlaces.CLLocationDegrees
@_exported public import typealias BrumePlaces.CLLocationDirection
@_exported public import typealias BrumePlaces.CLLocationDistance
@_exported public import typealias BrumePlaces.CLLocationSpeed
