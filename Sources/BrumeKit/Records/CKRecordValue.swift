// What a record field may hold. Inside, a record keeps the object form of Objective-C's Foundation
// whatever it was given, so that a value reads back the same before and after a save.

public import Foundation

/// A type whose values can be kept in a record field.
public protocol CKRecordValueProtocol {}

/// What can be kept in a record field, in the form in which a field is read.
///
/// On Apple's systems only objects are, and Swift's values turn into objects by themselves. On
/// Linux they do not, so Swift's types belong here too: `title as CKRecordValue` and
/// `record["title"] as? String` then mean what they mean there.
public protocol __CKRecordObjCValue {}

/// What a record field may hold.
public typealias CKRecordValue = __CKRecordObjCValue

extension NSString: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSNumber: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSDate: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSData: CKRecordValueProtocol, __CKRecordObjCValue {}
extension NSArray: CKRecordValueProtocol, __CKRecordObjCValue {}
extension CLLocation: CKRecordValueProtocol, __CKRecordObjCValue {}

extension String: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Date: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Data: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Bool: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Double: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Float: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int8: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int16: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int32: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Int64: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt8: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt16: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt32: CKRecordValueProtocol, __CKRecordObjCValue {}
extension UInt64: CKRecordValueProtocol, __CKRecordObjCValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension Array: __CKRecordObjCValue where Element: __CKRecordObjCValue {}
