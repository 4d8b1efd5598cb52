// A place in the results of a query: the question and the server's marker.

package import BrumeModel
import BrumeWire
public import Foundation

extension CKQueryOperation {
  /// A place in the results of a query, with the query and its zone.
  ///
  /// It is an offset, not a snapshot: the query runs again. Source: Apple's
  /// `CKQueryOperation.Cursor` page.
  // Sendable because it never changes.
  open class Cursor: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// What to ask to go on.
    package let request: QueryRequest

    /// The place that a server's marker names.
    package init(_ request: QueryRequest, marker: String) {
      var next = request
      next.marker = marker
      self.request = next
    }

    private init(_ request: QueryRequest) {
      self.request = request
    }

    /// Cursors come from queries.
    @available(*, unavailable, message: "Cursors come from queries.")
    public override convenience init() {
      self.init(QueryRequest(query: Query(recordType: "")))
    }

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      open override var classForCoder: AnyClass { ArchivedQueryCursor.self }
    #endif

    /// Restores a cursor from an archive. Of one of Apple's the query is not read, and the server refuses it.
    public required init?(coder: NSCoder) {
      if let apples = coder.bytes("CursorData") {
        let marker = Data(apples).base64EncodedString()
        request = QueryRequest(query: Query(recordType: ""), marker: marker)
        return
      }
      guard
        let bytes = coder.bytes("query"), let json = try? JSON(parsing: bytes),
        let request = try? QueryRequest(json: json)
      else { return nil }
      self.request = request
    }

    /// Archives the cursor.
    open func encode(with coder: NSCoder) {
      coder.encodeBytes(request.json.bytes(), "query")
    }

    /// Returns the cursor itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }
  }
}
