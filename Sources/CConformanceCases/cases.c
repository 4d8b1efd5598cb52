// The cases' files, inside the binary. A new file is one entry of two lines; a test compares the list with
// the folder. Files are texts, so a zero ends each.
#include "CConformanceCases.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

// Ends the entry before, and begins one.
#define FILE(name) 0}}, {name, (const unsigned char[]){

static const brume_case_file files[] = {{"", (const unsigned char[]){
FILE("accounts/access")
#embed "../../Conformance/cases/accounts/access.yaml" suffix(,)
FILE("accounts/roles")
#embed "../../Conformance/cases/accounts/roles.yaml" suffix(,)
FILE("assets/upload")
#embed "../../Conformance/cases/assets/upload.yaml" suffix(,)
FILE("changes/database")
#embed "../../Conformance/cases/changes/database.yaml" suffix(,)
FILE("changes/zone")
#embed "../../Conformance/cases/changes/zone.yaml" suffix(,)
FILE("errors/codes")
#embed "../../Conformance/cases/errors/codes.yaml" suffix(,)
FILE("http/requests")
#embed "../../Conformance/cases/http/requests.yaml" suffix(,)
FILE("notifications/courier")
#embed "../../Conformance/cases/notifications/courier.yaml" suffix(,)
FILE("queries/comparators")
#embed "../../Conformance/cases/queries/comparators.yaml" suffix(,)
FILE("queries/errors")
#embed "../../Conformance/cases/queries/errors.yaml" suffix(,)
FILE("queries/filters")
#embed "../../Conformance/cases/queries/filters.yaml" suffix(,)
FILE("queries/paging")
#embed "../../Conformance/cases/queries/paging.yaml" suffix(,)
FILE("queries/sorts")
#embed "../../Conformance/cases/queries/sorts.yaml" suffix(,)
FILE("records/atomic")
#embed "../../Conformance/cases/records/atomic.yaml" suffix(,)
FILE("records/fields")
#embed "../../Conformance/cases/records/fields.yaml" suffix(,)
FILE("records/limits")
#embed "../../Conformance/cases/records/limits.yaml" suffix(,)
FILE("records/lookup")
#embed "../../Conformance/cases/records/lookup.yaml" suffix(,)
FILE("records/operations")
#embed "../../Conformance/cases/records/operations.yaml" suffix(,)
FILE("records/references")
#embed "../../Conformance/cases/records/references.yaml" suffix(,)
FILE("records/save")
#embed "../../Conformance/cases/records/save.yaml" suffix(,)
FILE("records/settings")
#embed "../../Conformance/cases/records/settings.yaml" suffix(,)
FILE("schema/production")
#embed "../../Conformance/cases/schema/production.yaml" suffix(,)
FILE("sharing/sharing")
#embed "../../Conformance/cases/sharing/sharing.yaml" suffix(,)
FILE("subscriptions/subscriptions")
#embed "../../Conformance/cases/subscriptions/subscriptions.yaml" suffix(,)
FILE("zones/zones")
#embed "../../Conformance/cases/zones/zones.yaml" suffix(,)
0}}};

const brume_case_file *brume_case_files(size_t *count) {
  // The first entry is only there to be ended.
  *count = sizeof(files) / sizeof(files[0]) - 1;
  return files + 1;
}
