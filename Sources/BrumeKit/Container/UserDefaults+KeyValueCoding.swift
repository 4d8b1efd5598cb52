// Apps keep their change tokens and "was subscribed" flags in UserDefaults, and many write
// `setValue(_:forKey:)`, which is key-value coding on Apple's systems and missing on Linux.

#if !canImport(ObjectiveC)
  public import Foundation

  extension UserDefaults {
    /// Sets a value: the same as `set(_:forKey:)`.
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }

    /// Answers a value: the same as `object(forKey:)`.
    public func value(forKey key: String) -> Any? { object(forKey: key) }
  }
#endif
