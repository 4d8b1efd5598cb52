// How many parts the C library divides memory into. Swift's modules of the C library hide the call.

/// No more parts than this from now on. Does nothing on systems whose C library is another.
void brume_limit_memory_arenas(int most);
