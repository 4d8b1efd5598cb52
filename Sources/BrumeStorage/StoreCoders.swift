// How values become bytes in an engine. The composition layer supplies the wire's forms; engines
// never look inside.

package import BrumeModel

/// The forms in which an engine keeps values. To decode throws if the bytes are not of that form.
package struct StoreCoders: Sendable {
  package let record: RecordCoder
  package let encodeSubscription: @Sendable (Subscription) -> [UInt8]
  /// Throws if the bytes are of another form.
  package let decodeSubscription: @Sendable ([UInt8]) throws -> Subscription

  package init(
    record: RecordCoder,
    encodeSubscription: @escaping @Sendable (Subscription) -> [UInt8],
    decodeSubscription: @escaping @Sendable ([UInt8]) throws -> Subscription
  ) {
    self.record = record
    self.encodeSubscription = encodeSubscription
    self.decodeSubscription = decodeSubscription
  }
}
