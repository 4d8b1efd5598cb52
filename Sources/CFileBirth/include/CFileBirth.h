// When a file was made. Swift's modules of the C library hide the call that returns it on Linux.

#include <stdint.h>

/// Nanoseconds since 1970; 0 if there is no such file, or its file system does not know.
int64_t brume_file_birth(const char *path);
