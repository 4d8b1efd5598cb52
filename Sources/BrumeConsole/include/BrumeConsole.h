// The console's files, other pages' and the JavaScript client, inside the binary.
#ifndef BRUME_CONSOLE_H
#define BRUME_CONSOLE_H

#include <stddef.h>

// A file of the console: its path below `web`, and its text, which a zero ends.
struct brume_console_file {
  const char *_Nonnull path;
  const unsigned char *_Nonnull text;
};
const struct brume_console_file *_Nonnull brume_console_files(size_t *_Nonnull count);

// The sign-in page, and what it shows when its work is done. Each function answers a file's first byte
// and its length.
const unsigned char *_Nonnull brume_signin_page(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_signin_script(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_signin_style(size_t *_Nonnull length);

// The JavaScript client and its types.
const unsigned char *_Nonnull brume_client_module(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_client_types(size_t *_Nonnull length);

// The page where operators sign in.
const unsigned char *_Nonnull brume_access_page(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_access_script(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_access_style(size_t *_Nonnull length);

// The description of the protocol: for machines, and as a page that is made of it.
const unsigned char *_Nonnull brume_description(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_description_page(size_t *_Nonnull length);
const unsigned char *_Nonnull brume_description_style(size_t *_Nonnull length);

#endif
