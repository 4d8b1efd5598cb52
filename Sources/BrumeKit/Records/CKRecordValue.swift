// What a record field may hold: Swift's types through `CKRecordValueProtocol`, Foundation's classes
// through `__CKRecordObjCValue`. Inside, a record keeps the class form.

public import Foundation

/// A type whose values can be kept in a record field.
public protocol CKRecordValueProtocol {}

/// A class whose instances can be kept in a record field.
///
/// Apple's protocol inherits from `NSObjectProtocol`. Ours names the members instead: a protocol
/// that only classes can adopt would make the compiler warn about `record["title"] as? String`,
/// which works here as it does there.
public protocol __CKRecordObjCValue {
  /// Whether two values are the same.
  func isEqual(_ object: Any?) -> Bool
  /// A number that equal values share.
  var hash: Int { get }
  /// The value as a text for people.
  var description: String { get }
}

/// The older name of what a record field may hold.
public typealias CKRecordValue = __CKRecordObjCValue

extension NSString: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSNumber: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSDate: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSData: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSArray: CKRecordValueProtocol, __CKRecordObjCValue {}

extension String: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}
extension Bool: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Float: CKRecordValueProtocol {}
extension Int: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension CLLocation: CKRecordValueProtocol, __CKRecordObjCValue {}
