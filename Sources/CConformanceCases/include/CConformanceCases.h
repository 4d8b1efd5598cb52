// The conformance cases' files, inside the binary.
#ifndef C_CONFORMANCE_CASES_H
#define C_CONFORMANCE_CASES_H

#include <stddef.h>

/// A file of `Conformance/cases`: its path without the ending, and its text, which a zero ends.
typedef struct {
  const char *_Nonnull name;
  const unsigned char *_Nonnull text;
} brume_case_file;

/// All files, in the order of their paths.
const brume_case_file *_Nonnull brume_case_files(size_t *_Nonnull count);

#endif
