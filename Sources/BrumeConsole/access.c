#include "BrumeConsole.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char page_html[] = {
#embed "web/access/page.html"
};
static const unsigned char access_js[] = {
#embed "web/access/access.js"
};
static const unsigned char access_css[] = {
#embed "web/access/access.css"
};
static const unsigned char description_html[] = {
#embed "web/access/description.html"
};
static const unsigned char description_css[] = {
#embed "web/access/description.css"
};
static const unsigned char openapi_yaml[] = {
#embed "../../docs/protocol/openapi.yaml"
};

const unsigned char *brume_access_page(size_t *length) {
  *length = sizeof(page_html);
  return page_html;
}
const unsigned char *brume_access_script(size_t *length) {
  *length = sizeof(access_js);
  return access_js;
}
const unsigned char *brume_access_style(size_t *length) {
  *length = sizeof(access_css);
  return access_css;
}
const unsigned char *brume_description_page(size_t *length) {
  *length = sizeof(description_html);
  return description_html;
}
const unsigned char *brume_description_style(size_t *length) {
  *length = sizeof(description_css);
  return description_css;
}
const unsigned char *brume_description(size_t *length) {
  *length = sizeof(openapi_yaml);
  return openapi_yaml;
}
