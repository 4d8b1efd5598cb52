// For model code that imports Core Location by name: the types that CloudKit's interface has, and those that
// packages name which extend all of Core Location. A product of its own, because packages ask
// `canImport(CoreLocation)` and then expect them.
@_exported public import enum BrumePlaces.CLAccuracyAuthorization
@_exported public import enum BrumePlaces.CLActivityType
@_exported public import enum BrumePlaces.CLAuthorizationStatus
@_exported public import enum BrumePlaces.CLDeviceOrientation
@_exported public import class BrumePlaces.CLFloor
@_exported public import class BrumePlaces.CLLocation
@_exported public import typealias BrumePlaces.CLLocationAccuracy
@_exported public import struct BrumePlaces.CLLocationCoordinate2D
@_exported public import typealias BrumePlaces.CLLocationDegrees
@_exported public import typealias BrumePlaces.CLLocationDirection
@_exported public import typealias BrumePlaces.CLLocationDirectionAccuracy
@_exported public import typealias BrumePlaces.CLLocationDistance
@_exported public import class BrumePlaces.CLLocationSourceInformation
@_exported public import typealias BrumePlaces.CLLocationSpeed
@_exported public import typealias BrumePlaces.CLLocationSpeedAccuracy
@_exported public import enum BrumePlaces.CLProximity
@_exported public import enum BrumePlaces.CLRegionState
