// The numbers of a place in an archive. Apple's framework writes the same ones under names of its own, which
// programs in public that read such archives name; what else it writes, such as a floor, is not read.

#if !canImport(Darwin)
  import Foundation

  struct ArchivedPlace {
    private let coder: NSCoder
    private let isApples: Bool

    /// Nil if the archive holds no place of either form.
    init?(_ coder: NSCoder) {
      self.coder = coder
      isApples = coder.containsValue(forKey: Self.apples("latitude"))
      guard isApples || coder.containsValue(forKey: "timestamp") else { return nil }
    }

    /// A number under our key for it.
    func number(_ key: String, otherwise: Double = 0) -> Double {
      let key = isApples ? Self.apples(key) : key
      return coder.containsValue(forKey: key) ? coder.decodeDouble(forKey: key) : otherwise
    }

    private static func apples(_ key: String) -> String {
      let isDegree = key == "latitude" || key == "longitude"
      return "kCLLocationCodingKey" + (isDegree ? "Coordinate" : "") + key.prefix(1).uppercased()
        + key.dropFirst()
    }
  }
#endif
