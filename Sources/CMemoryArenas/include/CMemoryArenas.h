// How the C library divides memory. Swift's modules of the C library hide the calls.

/// From now on, no more parts than this, and large pieces are no part of them. Does nothing on systems whose C
/// library is another.
void brume_limit_memory_arenas(int most);
