// The ID of a file that a record on the server holds. Apple's comes from the photo library; here the server
// makes it: `Brume.exportedAssetID(ofField:in:of:)`.

extension CKAsset {
  /// Names a file that a record holds, for saving it in another record: ``CKAsset/init(importing:)``.
  ///
  /// Good for the user and on the device that it was made for, for some days.
  public struct ExportedAssetID: Codable, Equatable, Sendable {
    /// As the server made it.
    let text: String

    init(text: String) { self.text = text }

    /// Reads an ID. Whether it is good is known when a record is saved with it.
    public init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
    }

    /// Writes the ID.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }
}
