// In whose name a task reads. An engine whose connections are fewer than those who read lets names take turns at them.

/// Who reads, as whoever serves requests says it.
package enum ReaderName {
  /// The name at the time of reading: a request is of an address until its user is known. Nil: the server itself.
  @TaskLocal package static var current: (@Sendable () -> String)?
}
