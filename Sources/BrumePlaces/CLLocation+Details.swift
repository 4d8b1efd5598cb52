// The rest of Core Location's names for a place. No place has such details here, because nothing measures
// any; but packages that have nothing to do with us, such as those that print values for tests, name these
// types wherever `canImport(CoreLocation)` holds, and must build there.

#if !canImport(Darwin)
  public import Foundation

  extension CLLocation {
    /// The floor of a building: nil.
    public var floor: CLFloor? { nil }
    /// What measured the place: nil.
    public var sourceInformation: CLLocationSourceInformation? { nil }
    /// The uncertainty of the course in degrees: negative, which means unknown.
    public var courseAccuracy: CLLocationDirectionAccuracy { -1 }
    /// The uncertainty of the speed in metres per second: negative, which means unknown.
    public var speedAccuracy: CLLocationSpeedAccuracy { -1 }
    /// Metres above the ellipsoid of the coordinates: the altitude, since the two are not distinguished.
    public var ellipsoidalAltitude: CLLocationDistance { altitude }
  }

  /// Degrees.
  public typealias CLLocationDirectionAccuracy = Double
  /// Metres per second.
  public typealias CLLocationSpeedAccuracy = Double

  /// A floor of a building.
  public final class CLFloor: NSObject, Sendable {
    /// 0 is the ground.
    public let level: Int
    init(level: Int) { self.level = level }
  }

  /// What measured a place.
  public final class CLLocationSourceInformation: NSObject, Sendable {
    /// Whether software made the place up.
    public let isSimulatedBySoftware: Bool
    /// Whether a connected device measured the place.
    public let isProducedByAccessory: Bool
    /// Says what measured a place.
    public init(
      softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool
    ) {
      isSimulatedBySoftware = isSoftware
      isProducedByAccessory = isAccessory
    }
  }

  /// How exact the places are that an app may get.
  public enum CLAccuracyAuthorization: Int, Sendable {
    case fullAccuracy = 0
    case reducedAccuracy = 1
  }

  /// What an app needs places for.
  public enum CLActivityType: Int, Sendable {
    case other = 1
    case automotiveNavigation = 2
    case fitness = 3
    case otherNavigation = 4
    case airborne = 5
  }

  /// Whether an app may get places.
  public enum CLAuthorizationStatus: Int32, Sendable {
    case notDetermined = 0
    case restricted = 1
    case denied = 2
    case authorizedAlways = 3
    case authorizedWhenInUse = 4
  }

  /// How a device is held.
  public enum CLDeviceOrientation: Int32, Sendable {
    case unknown = 0
    case portrait = 1
    case portraitUpsideDown = 2
    case landscapeLeft = 3
    case landscapeRight = 4
    case faceUp = 5
    case faceDown = 6
  }

  /// How near a beacon is.
  public enum CLProximity: Int, Sendable {
    case unknown = 0
    case immediate = 1
    case near = 2
    case far = 3
  }

  /// Whether a device is in a region.
  public enum CLRegionState: Int, Sendable {
    case unknown = 0
    case inside = 1
    case outside = 2
  }
#endif
