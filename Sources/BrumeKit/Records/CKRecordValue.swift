// What a record field may hold. Inside, a record keeps the object form of Objective-C's Foundation
// whatever it was given, so that a value reads back the same before and after a save.

public import Foundation

/// A type whose values can be kept in a record field.
public protocol CKRecordValueProtocol {}

/// What a record field may hold.
///
/// On Apple's systems this is another name of ``__CKRecordObjCValue``: only objects are one, and Swift's
/// values turn into objects by themselves. On Linux they do not, so Swift's types belong here too:
/// `title as CKRecordValue` and `record["title"] as? String` then mean what they mean there.
public protocol CKRecordValue: CKRecordValueProtocol {}

/// What can be kept in a record field, in the form in which a field is read: an object.
// A protocol of its own, which Swift's types do not have: an app that extends both it and `String` by
// the same name would otherwise make that name ambiguous.
public protocol __CKRecordObjCValue: CKRecordValue {}

extension NSString: __CKRecordObjCValue {}
extension NSNumber: __CKRecordObjCValue {}
extension NSDate: __CKRecordObjCValue {}
extension NSData: __CKRecordObjCValue {}
extension NSArray: __CKRecordObjCValue {}
extension CLLocation: __CKRecordObjCValue {}

extension String: CKRecordValue {}
extension Date: CKRecordValue {}
extension Data: CKRecordValue {}
extension Bool: CKRecordValue {}
extension Double: CKRecordValue {}
extension Float: CKRecordValue {}
extension Int: CKRecordValue {}
extension UInt: CKRecordValue {}
extension Int8: CKRecordValue {}
extension Int16: CKRecordValue {}
extension Int32: CKRecordValue {}
extension Int64: CKRecordValue {}
extension UInt8: CKRecordValue {}
extension UInt16: CKRecordValue {}
extension UInt32: CKRecordValue {}
extension UInt64: CKRecordValue {}
extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {}
extension Array: CKRecordValue where Element: CKRecordValue {}
