// `error as? CKError` for an `NSError` of CloudKit's domain, and `as? NSError` for what is kept as
// `Any`: Apple's systems do both by themselves, Linux does for types that say how.

public import Foundation

#if !canImport(ObjectiveC)
  extension CKError: _ObjectiveCBridgeable {
    /// The error in its Foundation form.
    public func _bridgeToObjectiveC() -> NSError { _nsError }

    /// The CloudKit error that a Foundation error is; false if it is of another domain.
    @discardableResult
    public static func _conditionallyBridgeFromObjectiveC(
      _ source: NSError, result: inout CKError?
    ) -> Bool {
      guard source.domain == CKErrorDomain else { return false }
      result = CKError(_nsError: source)
      return true
    }

    /// The CloudKit error that a Foundation error is known to be.
    public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout CKError?) {
      result = CKError(_nsError: source)
    }

    /// The CloudKit error that a Foundation error is known to be.
    public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> CKError {
      source.map { CKError(_nsError: $0) } ?? CKError(.internalError)
    }
  }
#endif
