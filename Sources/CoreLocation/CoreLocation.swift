// For model code that imports Core Location by name: the few types of it that CloudKit's interface has.
// A product of its own, because other packages ask `canImport(CoreLocation)` and then expect all of it.
@_exported public import class BrumeKit.CLLocation
@_exported public import typealias BrumeKit.CLLocationAccuracy
@_exported public import struct BrumeKit.CLLocationCoordinate2D
@_exported public import typealias BrumeKit.CLLocationDegrees
@_exported public import typealias BrumeKit.CLLocationDirection
@_exported public import typealias BrumeKit.CLLocationDistance
@_exported public import typealias BrumeKit.CLLocationSpeed
