#include "BrumeConsole.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char index_html[] = {
#embed "web/index.html"
};
static const unsigned char console_js[] = {
#embed "web/console.js"
};
static const unsigned char console_css[] = {
#embed "web/console.css"
};

const unsigned char *brume_console_index(size_t *length) {
  *length = sizeof(index_html);
  return index_html;
}
const unsigned char *brume_console_script(size_t *length) {
  *length = sizeof(console_js);
  return console_js;
}
const unsigned char *brume_console_style(size_t *length) {
  *length = sizeof(console_css);
  return console_css;
}
