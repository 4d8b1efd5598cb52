// Archives of many records, IDs or tokens, as apps keep them: two calls that Foundation on Linux does
// not have. Disfavoured, so that a Foundation which has them wins.

public import Foundation

#if !canImport(Darwin)
  extension NSKeyedUnarchiver {
    /// Reads an array of objects of one class.
    ///
    /// - Throws: if the archive is damaged. Foundation on Linux ends the program for other classes.
    @_disfavoredOverload
    public static func unarchivedArrayOfObjects<Element: NSObject & NSCoding>(
      ofClass type: Element.Type, from data: Data
    ) throws -> [Element]? {
      try unarchivedObject(ofClasses: [NSArray.self, type], from: data) as? [Element]
    }

    /// Reads a dictionary with keys of one class and objects of another.
    ///
    /// - Throws: if the archive is damaged. Foundation on Linux ends the program for other classes.
    @_disfavoredOverload
    public static func unarchivedDictionary<
      Key: NSObject & NSCopying & NSCoding, Value: NSObject & NSCoding
    >(
      ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data
    ) throws -> [Key: Value]? {
      try unarchivedObject(ofClasses: [NSDictionary.self, keyType, valueType], from: data)
        as? [Key: Value]
    }
  }
#endif
