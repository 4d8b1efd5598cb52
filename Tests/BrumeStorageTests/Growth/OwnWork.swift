// What the program itself does, in a number that is the same on every machine: how often it retained or made an object.
// A build without optimizations does so for nearly everything that it looks at, so a loop in a loop shows. Swift's
// runtime calls the functions below instead of its own while somebody counts.

#if os(Linux)
  import Glibc
  import Synchronization

  typealias Retain = @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?
  typealias Allocate =
    @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

  /// The counter of a thread that counts; nil on the others.
  private let counterKey: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()
  private let retainBefore = OwnWork.entry("_swift_retain", Retain.self).pointee
  private let allocateBefore = OwnWork.entry("_swift_allocObject", Allocate.self).pointee

  enum OwnWork {
    fileprivate static func entry<Function>(
      _ name: String, _ type: Function.Type
    ) -> UnsafeMutablePointer<Function> {
      guard let address = dlsym(nil, name) else { fatalError("Swift's runtime has no \(name)") }
      return address.assumingMemoryBound(to: type)
    }

    /// Whether the runtime looks for other functions than its own.
    private nonisolated(unsafe) static let flag = entry(
      "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly", Bool.self)
    private static let counting = Mutex(0)

    /// Puts the functions in place, which other threads meet too while somebody counts.
    private static let isInstalled: Bool = {
      _ = (counterKey, retainBefore, allocateBefore)
      entry("_swift_retain", Retain.self).pointee = { object in
        if let counter = pthread_getspecific(counterKey) {
          counter.assumingMemoryBound(to: Int.self).pointee += 1
        }
        return retainBefore(object)
      }
      entry("_swift_allocObject", Allocate.self).pointee = { type, size, alignment in
        if let counter = pthread_getspecific(counterKey) {
          counter.assumingMemoryBound(to: Int.self).pointee += 1
        }
        return allocateBefore(type, size, alignment)
      }
      return true
    }()

    /// Lets `counted` count for as long as `body` takes.
    static func counting<Value>(_ body: () async throws -> Value) async rethrows -> Value {
      precondition(isInstalled)
      change(by: 1)
      defer { change(by: -1) }
      return try await body()
    }

    private static func change(by number: Int) {
      counting.withLock { count in
        count += number
        flag.pointee = count > 0
      }
    }

    /// Counts what `body` does on this thread.
    static func counted<Value>(
      into counter: UnsafeMutablePointer<Int>, _ body: () throws -> Value
    ) rethrows -> Value {
      let before = pthread_getspecific(counterKey)
      pthread_setspecific(counterKey, UnsafeRawPointer(counter))
      defer { pthread_setspecific(counterKey, before.map { UnsafeRawPointer($0) }) }
      return try body()
    }
  }
#endif
