// Written here: a library that has nothing to do with us and adapts to what it finds. Where Core Location
// was built in the same package graph it can be imported, also by those who do not depend on it.

import Foundation

#if canImport(CoreLocation)
  import CoreLocation

  func degrees(_ place: CLLocation) -> (Double, Double) {
    (place.coordinate.latitude, place.coordinate.longitude)
  }
#else
  #error("the module was not built")
#endif
