// Why the calls with completion handlers stand twice.
//
// Objective-C's declarations take any handler where a protocol of an app asks for it, and a handler that
// may be called from another task where a call gives one. In Swift the first needs a parameter that is
// not `@Sendable`, the second one that is: otherwise a closure that is written on the main actor counts as
// the main actor's, and stops the program when it is called elsewhere. So the classes have the first form,
// which only protocols find, and these protocols the second, which calls prefer.

/// The calls of a database with handlers that may be called from another task.
public protocol CKDatabaseCalls: CKDatabase {}
extension CKDatabase: CKDatabaseCalls {}

/// The calls of a container with handlers that may be called from another task.
public protocol CKContainerCalls: CKContainer {}
extension CKContainer: CKContainerCalls {}
