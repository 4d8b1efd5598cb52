#include "embed.h"

static const unsigned char signin_page[] = {
#embed "web/signin/page.html"
};
static const unsigned char signin_script[] = {
#embed "web/signin/signin.js"
};
static const unsigned char signin_style[] = {
#embed "web/signin/signin.css"
};

ANSWER(signin_page)
ANSWER(signin_script)
ANSWER(signin_style)
