// In C, because apps hash whole files in debug builds too, where Swift takes a hundred times as long for this.
#include "CFileDigest.h"

#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turned(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void spread(const uint8_t *block, uint32_t *words) {
  for (int i = 0; i < 16; i++) {
    const uint8_t *at = block + i * 4;
    words[i] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
  }
  for (int i = 16; i < 64; i++) {
    uint32_t a = words[i - 15], b = words[i - 2];
    uint32_t first = turned(a, 7) ^ turned(a, 18) ^ a >> 3;
    uint32_t second = turned(b, 17) ^ turned(b, 19) ^ b >> 10;
    words[i] = words[i - 16] + first + words[i - 7] + second;
  }
}

static void compress(uint32_t *state, const uint8_t *block) {
  uint32_t words[64], s[8];
  spread(block, words);
  memcpy(s, state, sizeof s);
  for (int i = 0; i < 64; i++) {
    uint32_t e = s[4], a = s[0];
    uint32_t first = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
                     ((e & s[5]) ^ (~e & s[6])) + constants[i] + words[i];
    uint32_t second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) +
                      ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
  }
  for (int i = 0; i < 8; i++) state[i] += s[i];
}

brume_digest brume_digest_begin(void) {
  return (brume_digest){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f,
                                  0x9b05688c, 0x1f83d9ab, 0x5be0cd19}};
}

void brume_digest_add(brume_digest *digest, const void *bytes, size_t count) {
  const uint8_t *rest = bytes;
  size_t kept = digest->count % 64;
  digest->count += count;
  while (count > 0) {
    if (kept == 0 && count >= 64) {
      compress(digest->state, rest);
      rest += 64;
      count -= 64;
      continue;
    }
    size_t taken = count < 64 - kept ? count : 64 - kept;
    memcpy(digest->block + kept, rest, taken);
    rest += taken;
    count -= taken;
    kept = (kept + taken) % 64;
    if (kept == 0) compress(digest->state, digest->block);
  }
}

void brume_digest_end(brume_digest *digest, uint8_t *result) {
  uint64_t bits = digest->count * 8;
  static const uint8_t padding[64] = {0x80};
  size_t kept = digest->count % 64;
  brume_digest_add(digest, padding, (kept < 56 ? 56 : 120) - kept);
  uint8_t length[8];
  for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (56 - 8 * i));
  brume_digest_add(digest, length, sizeof length);
  for (int i = 0; i < 32; i++) result[i] = (uint8_t)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
}
