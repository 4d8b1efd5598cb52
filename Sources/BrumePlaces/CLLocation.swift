// Core Location's point, where the system has none. Only what records and queries need. A module of its
// own that imports nothing but Foundation: packages that do not depend on us ask
// `canImport(CoreLocation)`, and what they import then has to be there for them as well.

#if canImport(Darwin)
  @_exported public import CoreLocation
#else
  public import Foundation

  /// Degrees, as Core Location counts them.
  public typealias CLLocationDegrees = Double
  /// Metres.
  public typealias CLLocationDistance = Double
  /// Metres.
  public typealias CLLocationAccuracy = Double
  /// Metres per second.
  public typealias CLLocationSpeed = Double
  /// Degrees, clockwise from north.
  public typealias CLLocationDirection = Double

  /// A latitude and a longitude. Not `Equatable`, as Core Location's is not: apps say themselves what
  /// equal means.
  public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator.
    public var latitude: CLLocationDegrees
    /// Degrees east of Greenwich.
    public var longitude: CLLocationDegrees
    /// Creates the point at the origin.
    public init() { self.init(latitude: 0, longitude: 0) }
    /// Creates a point from degrees.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
      self.latitude = latitude
      self.longitude = longitude
    }
  }

  /// A place, and when and how exactly it was measured.
  // Sendable because every stored property is constant.
  open class CLLocation: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Where.
    public let coordinate: CLLocationCoordinate2D
    /// Metres above sea level.
    public let altitude: CLLocationDistance
    /// The radius of uncertainty in metres; negative if the coordinate is not valid.
    public let horizontalAccuracy: CLLocationAccuracy
    /// The uncertainty of the altitude in metres; negative if it is not valid.
    public let verticalAccuracy: CLLocationAccuracy
    /// The direction of travel; negative if unknown.
    public let course: CLLocationDirection
    /// The speed of travel; negative if unknown.
    public let speed: CLLocationSpeed
    /// When it was measured.
    public let timestamp: Date

    /// Creates a place from degrees.
    public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
      self.init(
        coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0,
        horizontalAccuracy: 0, verticalAccuracy: -1, timestamp: Date())
    }

    /// Creates a place with its accuracy.
    public convenience init(
      coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
      horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
      self.init(
        coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
        verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
    }

    /// Creates a place with its accuracy and the movement there.
    public init(
      coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
      horizontalAccuracy: CLLocationAccuracy, verticalAccuracy: CLLocationAccuracy,
      course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
    ) {
      self.coordinate = coordinate
      self.altitude = altitude
      self.horizontalAccuracy = horizontalAccuracy
      self.verticalAccuracy = verticalAccuracy
      self.course = course
      self.speed = speed
      self.timestamp = timestamp
    }

    /// Reads a place from an archive, ours or one that Apple's framework wrote.
    public required init?(coder: NSCoder) {
      guard let place = ArchivedPlace(coder) else { return nil }
      coordinate = CLLocationCoordinate2D(
        latitude: place.number("latitude"), longitude: place.number("longitude"))
      altitude = place.number("altitude")
      horizontalAccuracy = place.number("horizontalAccuracy", otherwise: -1)
      verticalAccuracy = place.number("verticalAccuracy", otherwise: -1)
      course = place.number("course", otherwise: -1)
      speed = place.number("speed", otherwise: -1)
      timestamp = Date(timeIntervalSinceReferenceDate: place.number("timestamp"))
    }

    /// Writes the place into an archive.
    public func encode(with coder: NSCoder) {
      coder.encode(coordinate.latitude, forKey: "latitude")
      coder.encode(coordinate.longitude, forKey: "longitude")
      coder.encode(altitude, forKey: "altitude")
      coder.encode(horizontalAccuracy, forKey: "horizontalAccuracy")
      coder.encode(verticalAccuracy, forKey: "verticalAccuracy")
      coder.encode(course, forKey: "course")
      coder.encode(speed, forKey: "speed")
      coder.encode(timestamp.timeIntervalSinceReferenceDate, forKey: "timestamp")
    }

    /// Always true.
    public class var supportsSecureCoding: Bool { true }

    /// The place itself: it cannot change.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Metres to another place along the surface of a sphere of the earth's size.
    public func distance(from location: CLLocation) -> CLLocationDistance {
      let (a, b) = (coordinate, location.coordinate)
      let radians = Double.pi / 180
      let x = sin((b.latitude - a.latitude) * radians / 2)
      let y = sin((b.longitude - a.longitude) * radians / 2)
      let h = x * x + cos(a.latitude * radians) * cos(b.latitude * radians) * y * y
      return 2 * 6_371_000 * asin(min(1, h.squareRoot()))
    }

    /// Whether two are equal.
    public override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? CLLocation else { return false }
      return coordinate.latitude == other.coordinate.latitude
        && coordinate.longitude == other.coordinate.longitude && altitude == other.altitude
        && horizontalAccuracy == other.horizontalAccuracy
        && verticalAccuracy == other.verticalAccuracy && timestamp == other.timestamp
    }

    /// A hash that agrees with ``isEqual(_:)``.
    public override var hash: Int { coordinate.latitude.hashValue ^ coordinate.longitude.hashValue }

    /// A text for logs and debuggers.
    public override var description: String { "<\(coordinate.latitude), \(coordinate.longitude)>" }
  }
#endif
