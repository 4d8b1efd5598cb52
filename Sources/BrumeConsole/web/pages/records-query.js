// The query of the address as a value: which database, zone and type, the conditions, the order, the page.
// And what it is in other languages: the server's body, NSPredicate, Swift, curl.

import { format, route, withQuery } from "../core/router.js";
import { parsed } from "../core/parsing.js";

/** Words for comparators, by the type of the field. */
export function comparators(type) {
  if (type.startsWith("LIST")) return { LIST_CONTAINS: "contains", NOT_LIST_CONTAINS: "does not contain" };
  const equal = { EQUALS: "is", NOT_EQUALS: "is not" };
  const some = { IN: "is one of", NOT_IN: "is none of" };
  switch (type) {
    case "STRING": return {
      ...equal,
      ...some,
      BEGINS_WITH: "begins with",
      NOT_BEGINS_WITH: "does not begin with",
      CONTAINS_ALL_TOKENS: "has the words",
    };
    case "INT64": case "DOUBLE": return {
      ...equal,
      LESS_THAN: "is less than",
      LESS_THAN_OR_EQUALS: "is at most",
      GREATER_THAN: "is more than",
      GREATER_THAN_OR_EQUALS: "is at least",
      ...some
    };
    case "TIMESTAMP": return { GREATER_THAN: "after", LESS_THAN: "before" };
    case "LOCATION": return { NEAR: "within 10 km of" };
    default: return { ...equal, ...some };
  }
}

/** Metres around a place. */
const nearby = 10_000;
export const pageSize = 50;

/** System fields by their names in the schema: what queries call them, what they are called here. */
export const systemFields = {
  ___recordID: ["recordName", "record name"],
  ___createTime: ["createdTimestamp", "created"],
  ___modTime: ["modifiedTimestamp", "modified"],
  ___createdBy: ["createdUserRecordName", "creator"],
  ___modifiedBy: ["modifiedUserRecordName", "modifier"],
};
export const fieldTitle = (name) => systemFields[name]?.[1] ?? name;

/** `{ container, environment, database, user, zone, type, conditions, sort, after, as }` of the address. */
export function place() {
  const [database = "public", user = "-", zone = "_defaultZone", type = ""] = route.path;
  return {
    container: route.container,
    environment: route.environment,
    database,
    user: user === "-" ? "" : user,
    zone,
    type,
    as: route.query.as,
    conditions: conditions(),
    sort: route.query.sort ?? "",
    after: route.query.after,
  };
}

/** Conditions are `[field, comparator, text]`. */
function conditions() {
  try {
    const read = JSON.parse(route.query.q ?? "[]");
    return read.filter((condition) =>
      Array.isArray(condition) && condition.length === 3 && condition.every((part) => typeof part === "string"));
  } catch {
    return [];
  }
}

/** The address of the same query with something changed; it starts at the first page. */
export const withConditions = (list) =>
  withQuery({ q: list.length > 0 ? JSON.stringify(list) : "", after: "", sel: "" });

/** The address of records elsewhere. */
export const recordsAt = ({ database, user, zone, type }, query = {}) =>
  format({
    ...route,
    page: "records",
    path: [database, user || "-", zone, type].filter((part) => part !== undefined),
    query: { as: route.query.as, ...query },
  });

/** Asks for numbers as texts: those of 64 bits have more digits than a number of JavaScript. */
export const exact = { numbersAsStrings: true };

/** The members that name the database in the operator's calls. */
export const database = ({ database, user, as }) => ({ database, user: user || undefined, as: as || undefined });
export const zoneID = ({ zone, user, database }) => ({
  zoneName: zone,
  ...(database === "shared" && zone.includes("@") ? split(zone) : {})
});

/** Zones of others are named `name@owner`. */
const split = (zone) => ({
  zoneName: zone.slice(0, zone.lastIndexOf("@")),
  ownerRecordName: zone.slice(zone.lastIndexOf("@") + 1),
});

/** The query dictionary of the protocol; throws a sentence if a value is none of its field. */
export function query({ type, conditions, sort }, fields) {
  return {
    recordType: type,
    filterBy: conditions.map((condition) => filter(condition, fields)),
    sortBy: sort ? [{ ...named(sort.replace(/^-/, "")), ascending: !sort.startsWith("-") }] : [],
  };
}

const named = (name) => (systemFields[name] ? { systemFieldName: systemFields[name][0] } : { fieldName: name });

function filter([name, comparator, text], fields) {
  const type = (fields.find((field) => field.name === name)?.type ?? "STRING").replace(/^LIST<(.+)>$/, "$1");
  const fieldValue =
    /^(NOT_)?IN$/.test(comparator)
      ? { value: items(text).map((item) => parsed(item, type).value), type: `${type}_LIST` }
      : parsed(text, type) ?? { value: "", type };
  return { ...named(name), comparator, fieldValue, ...(comparator === "NEAR" ? { distance: nearby } : {}) };
}

const items = (text) => text.split(",").map((item) => item.trim()).filter(Boolean);

// MARK: In other languages

const signs = {
  EQUALS: "==",
  NOT_EQUALS: "!=",
  LESS_THAN: "<",
  LESS_THAN_OR_EQUALS: "<=",
  GREATER_THAN: ">",
  GREATER_THAN_OR_EQUALS: ">=",
  BEGINS_WITH: "BEGINSWITH",
  LIST_CONTAINS: "CONTAINS",
};
const keys = {
  ___createTime: "creationDate",
  ___modTime: "modificationDate",
  ___recordID: "recordID",
  ___createdBy: "creatorUserRecordID",
  ___modifiedBy: "lastModifiedUserRecordID",
};

/** Seconds from 1970, where browsers count from, to 2001, where the framework does. */
const sinceUnix = 978_307_200;

/** The conditions as the framework's predicate. */
export function predicate({ conditions }, fields) {
  if (conditions.length === 0) return "TRUEPREDICATE";
  return conditions.map(([name, comparator, text]) => {
    const [key, type] = [keys[name] ?? name, fields.find((field) => field.name === name)?.type ?? "STRING"];
    const quoted = (item) => (/INT64|DOUBLE/.test(type) ? item : JSON.stringify(item));
    if (comparator === "IN") return `${key} IN {${items(text).map(quoted).join(", ")}}`;
    if (comparator === "NEAR") return `distanceToLocation:fromLocation:(${key}, %@) < ${nearby}`;
    if (comparator === "CONTAINS_ALL_TOKENS") return `allTokens(${quoted(text)}, ${key})`;
    if (comparator.startsWith("NOT_") && comparator !== "NOT_EQUALS")
      return `NOT (${predicate({ conditions: [[name, comparator.slice(4), text]] }, fields)})`;
    const value = type === "TIMESTAMP" ? `CAST(${Date.parse(text) / 1000 - sinceUnix}, "NSDate")` : quoted(text);
    return `${key} ${signs[comparator] ?? comparator} ${value}`;
  }).join(" AND ");
}

/** The same call for the command line. */
export function curl(where, fields) {
  const body = JSON.stringify({ zoneID: zoneID(where), query: query(where, fields), resultsLimit: pageSize });
  const path = `$BRUME_URL/database/1/$BRUME_CONTAINER/$BRUME_ENVIRONMENT/${where.database}/records/query`;
  const who = "ckAPIToken=$BRUME_API_TOKEN&ckWebAuthToken=$BRUME_USER_TOKEN";
  return `curl "${path}?${who}" -d '${body.replaceAll("'", "'\\''")}'`;
}
