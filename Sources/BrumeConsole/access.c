#include "embed.h"

static const unsigned char access_page[] = {
#embed "web/access/page.html"
};
static const unsigned char access_script[] = {
#embed "web/access/access.js"
};
static const unsigned char access_style[] = {
#embed "web/access/access.css"
};
static const unsigned char description_page[] = {
#embed "web/access/description.html"
};
static const unsigned char description_style[] = {
#embed "web/access/description.css"
};
static const unsigned char description[] = {
#embed "../../docs/protocol/openapi.yaml"
};

ANSWER(access_page)
ANSWER(access_script)
ANSWER(access_style)
ANSWER(description_page)
ANSWER(description_style)
ANSWER(description)
