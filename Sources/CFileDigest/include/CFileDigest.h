// SHA-256 (FIPS 180-4) for programs that are built without a library of cryptography. It names files and repeated
// requests; nothing is kept secret with it.

#include <stddef.h>
#include <stdint.h>

/// A digest that is made piece by piece.
typedef struct {
  uint32_t state[8];
  uint64_t count;
  uint8_t block[64];
} brume_digest;

/// The digest of no bytes yet.
brume_digest brume_digest_begin(void);
/// Takes the next bytes.
void brume_digest_add(brume_digest *digest, const void *bytes, size_t count);
/// Writes the 32 bytes. The digest takes nothing afterwards.
void brume_digest_end(brume_digest *digest, uint8_t *result);
