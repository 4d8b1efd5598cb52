// How the C library divides memory among threads. It would give each thread an arena of its own on a machine with many
// processors. Most of the server's threads wait at any time, and each arena keeps what was freed in it.

import CMemoryArenas

enum MemoryArenas {
  /// Ours: with fewer, threads that are served first wait for an arena's lock, which one that gives way holds and is not
  /// run to give back (decision 0065).
  private static let most: Int32 = 16

  /// No more arenas than that, and large pieces in none of them. Called before there are many threads.
  static func limit() { brume_limit_memory_arenas(most) }
}
