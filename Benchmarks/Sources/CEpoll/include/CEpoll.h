// The kernel's epoll, which Glibc's module leaves out.
#include <sys/epoll.h>
