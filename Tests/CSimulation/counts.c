// Counts of references: a simulation has one thread, so what counts them need not be safe from others. That is a
// tenth of all that a run costs. Whoever retains and releases, in our code and the libraries, comes here first.

#if defined(__x86_64__)

// The runtime's own functions for programs of one thread; they take and answer the same.
#define COUNTS(name)                                                        \
  __asm__(".text\n.globl swift_" #name "\n.type swift_" #name ", @function\n" \
          "swift_" #name ": jmp swift_nonatomic_" #name "@PLT\n"              \
          ".size swift_" #name ", . - swift_" #name "\n")

COUNTS(retain);
COUNTS(release);
COUNTS(bridgeObjectRetain);
COUNTS(bridgeObjectRelease);

#endif
