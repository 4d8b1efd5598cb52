#include "CConformanceCases.h"
// #embed is C23, which the compiler has and SwiftPM cannot ask for.
#pragma clang diagnostic ignored "-Wc23-extensions"

// A test compares the list with the folder.
static const unsigned char accounts_access[] = {
#embed "../../Conformance/cases/accounts/access.yaml"
};
static const unsigned char accounts_roles[] = {
#embed "../../Conformance/cases/accounts/roles.yaml"
};
static const unsigned char assets_upload[] = {
#embed "../../Conformance/cases/assets/upload.yaml"
};
static const unsigned char changes_database[] = {
#embed "../../Conformance/cases/changes/database.yaml"
};
static const unsigned char changes_zone[] = {
#embed "../../Conformance/cases/changes/zone.yaml"
};
static const unsigned char errors_codes[] = {
#embed "../../Conformance/cases/errors/codes.yaml"
};
static const unsigned char http_requests[] = {
#embed "../../Conformance/cases/http/requests.yaml"
};
static const unsigned char notifications_courier[] = {
#embed "../../Conformance/cases/notifications/courier.yaml"
};
static const unsigned char queries_comparators[] = {
#embed "../../Conformance/cases/queries/comparators.yaml"
};
static const unsigned char queries_errors[] = {
#embed "../../Conformance/cases/queries/errors.yaml"
};
static const unsigned char queries_filters[] = {
#embed "../../Conformance/cases/queries/filters.yaml"
};
static const unsigned char queries_paging[] = {
#embed "../../Conformance/cases/queries/paging.yaml"
};
static const unsigned char queries_sorts[] = {
#embed "../../Conformance/cases/queries/sorts.yaml"
};
static const unsigned char records_atomic[] = {
#embed "../../Conformance/cases/records/atomic.yaml"
};
static const unsigned char records_fields[] = {
#embed "../../Conformance/cases/records/fields.yaml"
};
static const unsigned char records_limits[] = {
#embed "../../Conformance/cases/records/limits.yaml"
};
static const unsigned char records_lookup[] = {
#embed "../../Conformance/cases/records/lookup.yaml"
};
static const unsigned char records_operations[] = {
#embed "../../Conformance/cases/records/operations.yaml"
};
static const unsigned char records_references[] = {
#embed "../../Conformance/cases/records/references.yaml"
};
static const unsigned char records_save[] = {
#embed "../../Conformance/cases/records/save.yaml"
};
static const unsigned char records_settings[] = {
#embed "../../Conformance/cases/records/settings.yaml"
};
static const unsigned char schema_production[] = {
#embed "../../Conformance/cases/schema/production.yaml"
};
static const unsigned char sharing_sharing[] = {
#embed "../../Conformance/cases/sharing/sharing.yaml"
};
static const unsigned char subscriptions_subscriptions[] = {
#embed "../../Conformance/cases/subscriptions/subscriptions.yaml"
};
static const unsigned char zones_zones[] = {
#embed "../../Conformance/cases/zones/zones.yaml"
};

#define FILE_OF(name, bytes) {name, bytes, sizeof(bytes)}
static const brume_case_file files[] = {
    FILE_OF("accounts/access", accounts_access),
    FILE_OF("accounts/roles", accounts_roles),
    FILE_OF("assets/upload", assets_upload),
    FILE_OF("changes/database", changes_database),
    FILE_OF("changes/zone", changes_zone),
    FILE_OF("errors/codes", errors_codes),
    FILE_OF("http/requests", http_requests),
    FILE_OF("notifications/courier", notifications_courier),
    FILE_OF("queries/comparators", queries_comparators),
    FILE_OF("queries/errors", queries_errors),
    FILE_OF("queries/filters", queries_filters),
    FILE_OF("queries/paging", queries_paging),
    FILE_OF("queries/sorts", queries_sorts),
    FILE_OF("records/atomic", records_atomic),
    FILE_OF("records/fields", records_fields),
    FILE_OF("records/limits", records_limits),
    FILE_OF("records/lookup", records_lookup),
    FILE_OF("records/operations", records_operations),
    FILE_OF("records/references", records_references),
    FILE_OF("records/save", records_save),
    FILE_OF("records/settings", records_settings),
    FILE_OF("schema/production", schema_production),
    FILE_OF("sharing/sharing", sharing_sharing),
    FILE_OF("subscriptions/subscriptions", subscriptions_subscriptions),
    FILE_OF("zones/zones", zones_zones),
};

const brume_case_file *brume_case_files(size_t *count) {
  *count = sizeof(files) / sizeof(files[0]);
  return files;
}
