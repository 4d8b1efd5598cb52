// Written here: a library that has nothing to do with us and adapts to what it finds. Where Core Location
// was built in the same package graph it can be imported, also by those who do not depend on it.

import Foundation

#if canImport(CoreLocation)
  import CoreLocation

  func degrees(_ place: CLLocation) -> (Double, Double) {
    (place.coordinate.latitude, place.coordinate.longitude)
  }

  /// Gives every type of the module that it knows a text of its own, as libraries for tests do.
  protocol Printed { var printed: String { get } }

  extension CLLocation: Printed {
    var printed: String {
      let accuracy = (courseAccuracy, speedAccuracy, ellipsoidalAltitude)
      return "\(accuracy) \(floor?.printed ?? "-") \(sourceInformation?.printed ?? "-")"
    }
  }
  extension CLFloor: Printed { var printed: String { "floor \(level)" } }
  extension CLLocationSourceInformation: Printed {
    var printed: String { "\(isSimulatedBySoftware) \(isProducedByAccessory)" }
  }
  extension CLRegionState: Printed {
    var printed: String {
      switch self {
      case .inside: "inside"
      case .outside: "outside"
      case .unknown: "unknown"
      }
    }
  }
  extension CLAccuracyAuthorization: Printed {
    var printed: String { self == .fullAccuracy ? "full" : "\(rawValue)" }
  }
  extension CLActivityType: Printed { var printed: String { "\(rawValue)" } }
  extension CLAuthorizationStatus: Printed { var printed: String { "\(rawValue)" } }
  extension CLDeviceOrientation: Printed { var printed: String { "\(rawValue)" } }
  extension CLProximity: Printed { var printed: String { "\(rawValue)" } }
#else
  #error("the module was not built")
#endif
