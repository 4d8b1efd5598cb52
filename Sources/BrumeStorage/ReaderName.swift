// In whose name a task reads. An engine whose connections are fewer than those who read lets names take turns at them.

/// Who reads, as whoever serves requests says it. A type and not a function: optimised, a task's value of the type of a
/// function had no type at run time, and the server ended (Swift 6.3).
package struct ReaderName: Sendable {
  /// Nil: the server itself.
  @TaskLocal package static var current: ReaderName?

  /// The name at the time of reading: a request is of an address until its user is known.
  package let now: @Sendable () -> String

  package init(_ now: @escaping @Sendable () -> String) { self.now = now }
}
