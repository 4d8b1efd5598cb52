// Sorting by distance.

public import Foundation

#if canImport(Darwin)
  public import CoreLocation
#endif

/// Sorts records by the distance of a location field from a place, nearest first.
open class CKLocationSortDescriptor: NSSortDescriptor {
  /// The place that distances are measured from.
  public let relativeLocation: CLLocation

  /// Sorts by the distance of a field from a place.
  public init(key: String, relativeLocation: CLLocation) {
    self.relativeLocation = relativeLocation
    #if canImport(ObjectiveC)
      super.init(key: key, ascending: true, selector: nil)
    #else
      super.init(keyPath: \SortKeys[key: key], ascending: true)
    #endif
  }

  /// Reads a descriptor from an archive. An archive of something else gives one without
  /// a key.
  public required init(coder: NSCoder) {
    let location = coder.object(CLLocation.self, "relativeLocation")
    let key = coder.text("key") ?? ""
    if location == nil || key.isEmpty { coder.refuse("the order of a search") }
    relativeLocation = location ?? CLLocation(latitude: 0, longitude: 0)
    #if canImport(ObjectiveC)
      super.init(key: key, ascending: true, selector: nil)
    #else
      super.init(keyPath: \SortKeys[key: key], ascending: true)
    #endif
  }

  #if canImport(ObjectiveC)
    /// Writes the descriptor into an archive.
    open override func encode(with coder: NSCoder) { write(coder) }
  #else
    /// Writes the descriptor into an archive.
    open func encode(with coder: NSCoder) { write(coder) }
  #endif

  private func write(_ coder: NSCoder) {
    coder.encodeText(fieldKey, "key")
    coder.encode(relativeLocation, forKey: "relativeLocation")
  }
}
