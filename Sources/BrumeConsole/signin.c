#include "BrumeConsole.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "web/signin/page.html"
};
static const unsigned char signin_js[] = {
#embed "web/signin/signin.js"
};
static const unsigned char signin_css[] = {
#embed "web/signin/signin.css"
};

const unsigned char *brume_signin_page(size_t *length) {
  *length = sizeof(page_html);
  return page_html;
}
const unsigned char *brume_signin_script(size_t *length) {
  *length = sizeof(signin_js);
  return signin_js;
}
const unsigned char *brume_signin_style(size_t *length) {
  *length = sizeof(signin_css);
  return signin_css;
}
