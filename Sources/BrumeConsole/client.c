// The JavaScript client. Its parts are one module: they are joined here, in the order in which one
// reads them, so that a page loads one file and nobody needs a build step.
#include "embed.h"

static const unsigned char client_module[] = {
#embed "web/client/about.js"
  ,
#embed "web/client/errors.js"
  ,
#embed "web/client/values.js"
  ,
#embed "web/client/records.js"
  ,
#embed "web/client/calls.js"
  ,
#embed "web/client/container.js"
  ,
#embed "web/client/database.js"
  ,
#embed "web/client/sharing.js"
  ,
#embed "web/client/assets.js"
  ,
#embed "web/client/pushes.js"
  ,
#embed "web/client/storage.js"
  ,
#embed "web/client/tabs.js"
  ,
#embed "web/client/merging.js"
  ,
#embed "web/client/outbox.js"
  ,
#embed "web/client/fetching.js"
  ,
#embed "web/client/store.js"
};
static const unsigned char client_types[] = {
#embed "web/client/brume.d.ts"
};

ANSWER(client_module)
ANSWER(client_types)
