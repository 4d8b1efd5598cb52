#include "BrumeConsole.h"

static const unsigned char index_html[] = {
#embed "web/index.html"
};

const unsigned char *brume_console_index(size_t *length) {
  *length = sizeof(index_html);
  return index_html;
}
