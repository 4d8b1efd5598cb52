// What may be written as `x as CVarArg` in a predicate's format: on Apple's systems every object
// may, and values that turn into objects. Foundation on Linux knows texts and numbers only.
//
// Predicates take the value itself. Other formats show its description, as Apple's do.

public import Foundation

#if !canImport(ObjectiveC)
  /// A value among the arguments of a format of C.
  public protocol _CKFormatArgument: CVarArg, _CVarArgObject {}

  extension _CKFormatArgument {
    /// What formats of C show; they keep it while they work.
    public var _cVarArgObject: any CVarArg { NSString(string: String(describing: self)) }
    /// Not asked for: whoever knows such values asks for the object.
    public var _cVarArgEncoding: [Int] { preconditionFailure("ask for _cVarArgObject") }
  }

  extension Date: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension Array: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension Data: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension Set: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension NSDate: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension NSNumber: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension NSArray: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension NSData: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension NSSet: @retroactive CVarArg, @retroactive _CVarArgObject, _CKFormatArgument {}
  extension CKRecord: _CKFormatArgument {}
  extension CKRecord.ID: _CKFormatArgument {}
  extension CKRecord.Reference: _CKFormatArgument {}
  extension CLLocation: _CKFormatArgument {}
#endif
