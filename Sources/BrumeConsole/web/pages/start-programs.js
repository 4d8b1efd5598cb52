// The first program in each language: saves a record and reads it back. The credentials come from the
// environment that Start shows, so no code here has any.

export const languages = { curl: "curl", swift: "Swift", browser: "Browser" };

/** Steps of `{ says, text }`. */
export function program(language, origin) {
  return { curl: curl(), swift: swift(), browser: browser(origin) }[language] ?? curl();
}

const curl = () => [
  { says: "Read the environment; then save a record.", text: `export $(brume status --format env)
base=$BRUME_URL/database/1/$BRUME_CONTAINER/$BRUME_ENVIRONMENT
who="ckAPIToken=$BRUME_API_TOKEN&ckWebAuthToken=$BRUME_USER_TOKEN"
curl "$base/public/records/modify?$who" -d '{"operations": [
  {"operationType": "create", "record": {"recordType": "Note",
    "fields": {"title": {"value": "hello"}}}}]}'` },
  { says: "Ask for it again.", text: `curl "$base/public/records/query?$who" \\
  -d '{"query": {"recordType": "Note"}}'` },
];

const swift = () => [
  { says: "The environment decides which server and whose account; run it with brume exec.", text: `import CloudKit

let database = CKContainer.default().publicCloudDatabase
let note = CKRecord(recordType: "Note")
note["title"] = "hello"
try await database.save(note)

let query = CKQuery(recordType: "Note", predicate: NSPredicate(value: true))
let (found, _) = try await database.records(matching: query)
print(found.count, "notes")` },
  { says: "With a server that lasts as long as the program:", text: "brume exec --users alice,bob -- swift run" },
];

const browser = (origin) => [
  {
    says: "Any CloudKit web client works when its host is this server. Without a library it is one call:",
    text: `const base = "${origin}/database/1/" + CONTAINER + "/development";
const who = new URLSearchParams({ ckAPIToken: API_TOKEN });
const answer = await fetch(base + "/public/records/query?" + who, {
  method: "POST",
  body: JSON.stringify({ query: { recordType: "Note" } }),
});
console.log((await answer.json()).records);`,
  },
];
