// The first program in each language: saves a record and reads it back. curl and Swift read the environment that Start
// shows; a page in a browser has none, so that its values stand in the text.

import { where } from "./backup.js";

export const languages = { curl: "curl", swift: "Swift", browser: "Browser" };

/** Steps of `{ says, text }`; `values` is the environment. */
export function program(language, origin, values) {
  return { curl: curl(), swift: swift(), browser: browser(origin, values) }[language] ?? curl();
}

const curl = () => [
  { says: "Read the environment; then save a record.", text: `export $(brume status${where()} --format env)
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

const browser = (origin, values) => [
  {
    says:
      values.BRUME_USER_TOKEN
        ? "Save it as notes.html, and open it in a browser. The page takes the client from this server."
        : values.BRUME_API_TOKEN
        ? "Put it on a site of an origin that the API token is for. The page takes the client from this server."
        : "This server has no API token for apps yet. Make one among users and keys: it then stands in this text.",
    text: `<!doctype html>
<meta charset="utf-8">
<title>Notes</title>
${values.BRUME_USER_TOKEN ? "" : '<button id="start">Sign in</button>\n'}<ul id="notes"></ul>
<script type="module">
  import { Container } from "${origin}/_brume/client/brume.js";

  const container = new Container({
    url: "${origin}",
    container: "${values.BRUME_CONTAINER}",
    environment: "${values.BRUME_ENVIRONMENT}",
    apiToken: "${values.BRUME_API_TOKEN ?? "API_TOKEN"}",${token(values)}
  });
${values.BRUME_USER_TOKEN ? notes : onClick}
</script>`,
  },
];

const token = (values) =>
  values.BRUME_USER_TOKEN
    ? `\n    webAuthToken: "${values.BRUME_USER_TOKEN}", // in an app: await container.signIn() in the handler of a click`
    : "";

const notes = `  const database = container.publicDatabase;
  await database.saveRecord({ recordType: "Note", fields: { title: "hello" } });
  for await (const note of database.query({ recordType: "Note" })) {
    const item = document.createElement("li");
    item.textContent = note.fields.title;
    document.getElementById("notes").append(item);
  }`;

const onClick = `  document.getElementById("start").onclick = async () => {
    await container.signIn();
${notes.replace(/^/gm, "  ")}
  };`;
