// How the C library divides memory among threads. It gives almost every thread an arena of its own,
// each of which keeps what was freed in it: the server's threads, most of which wait at any time,
// would hold much that is not used.

import CMemoryArenas
import FoundationEssentials

enum MemoryArenas {
  /// No more arenas than threads that can run at a time, and large pieces in none of them. Called before there
  /// are many threads.
  static func limit() {
    brume_limit_memory_arenas(Int32(clamping: max(2, ProcessInfo.processInfo.processorCount)))
  }
}
