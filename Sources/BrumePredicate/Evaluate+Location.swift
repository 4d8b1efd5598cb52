// Distances on the globe. A sphere of the Earth's mean radius is within 0.6 % of the ellipsoid,
// finer than the 10 km that CloudKit documents for its location index.

package import BrumeModel

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

extension Location {
  /// The mean radius of the Earth in metres (IUGG).
  package static let earthRadius = 6_371_008.8

  /// Whether the coordinates are those of a place at all.
  package var isOnGlobe: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }

  /// Great-circle distance in metres. Right across the antimeridian and at the poles. Nil when a
  /// coordinate is not one of the globe.
  package func distance(to other: Location) -> Double? {
    guard isOnGlobe, other.isOnGlobe else { return nil }
    let degree = Double.pi / 180
    let latitudes = (latitude * degree, other.latitude * degree)
    let half = (
      sin((latitudes.1 - latitudes.0) / 2), sin((other.longitude - longitude) * degree / 2)
    )
    let square = half.0 * half.0 + cos(latitudes.0) * cos(latitudes.1) * half.1 * half.1
    guard square.isFinite else { return nil }
    // Rounding may carry the square of a half chord over 1 at the antipode.
    return 2 * Location.earthRadius * asin(min(1, square.squareRoot()))
  }
}
