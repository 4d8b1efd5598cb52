// What each command looks like when somebody types it. Help, the manual page and the reference show these, and
// `Tests/Independent/command_line.py` types them, in this order: a command without one fails there.

enum Examples {
  static func of(_ path: [String]) -> [String] {
    let name = path.joined(separator: " ")
    return all.first { $0.command == name }?.lines ?? []
  }

  static let all: [(command: String, lines: [String])] =
    server + data + people + records + pushes + measuring

  private static let server: [(command: String, lines: [String])] = [
    (
      "serve",
      [
        "brume serve --dev", "brume serve --dev --clock manual --store memory",
        "brume serve --data /var/lib/brume --log-format json",
      ]
    ),
    (
      "exec",
      [
        "brume exec -- swift test",
        "brume exec --users alice,bob -- sh -c 'curl --silent $BRUME_URL/_brume/health/ready'",
      ]
    ),
    ("status", ["brume status", "export $(brume status --format env)", "brume status --ready"]),
    (
      "doctor",
      [
        "brume doctor", "brume doctor --config brume.json", "brume doctor --deep --json",
        "brume doctor --forget audit --data ./brume-data",
      ]
    ),
    ("clock show", ["brume clock show"]),
    ("clock advance", ["brume clock advance 1m", "brume clock advance 1h30m --json"]),
    ("clock next", ["brume clock next"]),
    ("config show", ["brume config show", "brume config show --json --port 80"]),
    ("migrate", ["brume migrate --from sqlite --to postgres://brume@db.example.org:5432/brume"]),
    ("version", ["brume version", "brume version --json"]),
    ("completions", ["brume completions bash > brume.bash"]),
    ("manual", ["brume manual > brume.1", "brume manual --markdown"]),
  ]

  private static let data: [(command: String, lines: [String])] = [
    (
      "backup",
      [
        "brume backup monday.brume", "brume backup tuesday.brume --since monday.brume",
        "brume backup --verify tuesday.brume", "brume backup --verify tuesday.brume --json",
      ]
    ),
    (
      "restore",
      [
        "brume restore tuesday.brume --data ./restored",
        "brume restore monday.brume --in-place --yes",
      ]
    ),
    ("export", ["brume export --user alice alice.jsonl"]),
    ("import file", ["brume import alice.jsonl --user alice-again"]),
    (
      "import cloudkit",
      [
        "brume import cloudkit --container iCloud.org.example.app --from-environment production "
          + "--key-id KEYID --key-file key.pem --type Note --user alice --dry-run"
      ]
    ),
  ]

  private static let people: [(command: String, lines: [String])] = [
    (
      "operator add",
      [
        "brume operator add ada --password-file password.txt",
        "brume operator add bob --read-only --password-file password.txt",
      ]
    ),
    ("operator list", ["brume operator list"]),
    ("operator password", ["brume operator password ada --password-file password.txt"]),
    ("operator role", ["brume operator role bob full"]),
    ("operator link", ["brume operator link"]),
    ("operator remove", ["brume operator remove bob"]),
    (
      "operator invitation create",
      [
        "brume operator invitation create cleo",
        "brume operator invitation create dan --read-only --hours 48",
      ]
    ),
    ("operator invitation list", ["brume operator invitation list --json"]),
    ("operator invitation revoke", ["brume operator invitation revoke dan"]),
    ("operator token create", ["brume operator token create ci --read-only --days 90"]),
    ("operator token list", ["brume operator token list --json"]),
    ("operator token revoke", ["brume operator token revoke ci"]),
    ("audit list", ["brume audit list", "brume audit list --operator owner --limit 20 --json"]),
    ("logs", ["brume logs --limit 20", "brume logs --failed --json"]),
    ("usage show", ["brume usage", "brume usage show --span week --json"]),
    ("usage storage", ["brume usage storage", "brume usage storage --over week"]),
    (
      "user create",
      ["brume user create carol --email carol@example.org --password-file password.txt"]
    ),
    ("user change", ["brume user change carol --given-name Carol --no-discoverable"]),
    ("user list", ["brume user list", "brume user list --json"]),
    ("user token", ["brume user token carol"]),
    ("user signout", ["brume user signout carol"]),
    ("user delete", ["brume user delete carol --dry-run", "brume user delete carol"]),
    ("token create", ["brume token create web --origin https://app.example.org"]),
    ("token list", ["brume token list"]),
    ("token revoke", ["brume token revoke web"]),
    ("key create", ["brume key create backend"]),
    ("key list", ["brume key list"]),
    ("key revoke", ["brume key revoke backend"]),
  ]

  private static let records: [(command: String, lines: [String])] = [
    ("schema show", ["brume schema show", "brume schema show --environment production"]),
    ("schema export", ["brume schema export notes.ckdb"]),
    ("schema validate", ["brume schema validate notes.ckdb"]),
    ("schema diff", ["brume schema diff notes.ckdb --exit-code", "brume schema diff --json"]),
    ("schema import", ["brume schema import notes.ckdb"]),
    ("schema deploy", ["brume schema deploy --dry-run", "brume schema deploy"]),
    ("schema reset", ["brume schema reset --dry-run"]),
    ("schema index add", ["brume schema index add Note title sortable"]),
    ("schema index remove", ["brume schema index remove Note title searchable"]),
    ("schema role assign", ["brume schema role assign editor alice"]),
    ("schema role list", ["brume schema role list"]),
    ("schema role remove", ["brume schema role remove editor alice"]),
    ("zones create", ["brume zones create Notes Drafts Old --user alice"]),
    ("zones list", ["brume zones list --user alice"]),
    ("zones delete", ["brume zones delete Drafts --user alice"]),
    ("zones purge", ["brume zones purge Old --user alice"]),
    (
      "records create",
      [
        "brume records create Note first --user alice --zone Notes --set title=Milk",
        "brume records create Note second --user alice --zone Notes --fields "
          + "'{\"title\": {\"value\": \"Bread\"}}'",
      ]
    ),
    (
      "records query",
      [
        "brume records query Note --user alice --zone Notes --where \"title BEGINSWITH 'M'\" --sort title",
        "brume records query Note --user alice --zone Notes --plan",
      ]
    ),
    ("records get", ["brume records get first --user alice --zone Notes"]),
    (
      "records update", ["brume records update first --user alice --zone Notes --set title=Bread"]
    ),
    ("records delete", ["brume records delete first second --user alice --zone Notes"]),
    (
      "deletions forget",
      ["brume deletions forget --older-than 90 --dry-run", "brume deletions forget --older-than 0"]
    ),
    ("log list", ["brume log list --limit 20", "brume log list --zone Notes --json"]),
    ("log then", ["brume log then 0-3"]),
  ]

  private static let pushes: [(command: String, lines: [String])] = [
    ("subscriptions list", ["brume subscriptions list --user alice"]),
    ("devices list", ["brume devices list", "brume devices list --user alice --json"]),
    ("push tail", ["brume push tail --user alice --device phone", "brume push tail --json"]),
    ("push log", ["brume push log --user alice --limit 20", "brume push log --json"]),
    (
      "push explain",
      [
        "brume push explain --record first --zone Notes",
        "brume push explain --record first --zone Notes --user bob --json",
      ]
    ),
    ("push test", ["brume push test --user alice --text 'Hello'"]),
    ("push retry", ["brume push retry", "brume push retry --user alice --device phone"]),
    (
      "apns add",
      [
        "brume apns add --topic org.example.app --team TEAM123456 --key-id KEY1234567 --key-file key.p8"
      ]
    ),
    ("apns list", ["brume apns list"]),
    ("apns remove", ["brume apns remove org.example.app"]),
    ("webhook add", ["brume webhook add https://backend.example.org/changes"]),
    ("webhook list", ["brume webhook list"]),
    ("webhook enable", ["brume webhook enable wh_1"]),
    ("webhook disable", ["brume webhook disable wh_1"]),
    ("webhook remove", ["brume webhook remove wh_1"]),
    (
      "faults add",
      [
        "brume faults add conflict --skip 1",
        "brume faults add error --code 7 --retry-after 3 --on saveRecords --count 2 --user alice",
      ]
    ),
    ("faults list", ["brume faults list", "brume faults list --json"]),
    ("faults release", ["brume faults release"]),
    ("faults clear", ["brume faults clear"]),
  ]

  private static let measuring: [(command: String, lines: [String])] = [
    ("bench matching", ["brume bench matching --subscriptions 1000"]),
    ("bench apns", ["brume bench apns --help"]),
    ("conformance", ["env $(brume status --format env) brume conformance --filter zones/"]),
    ("demo", ["brume demo"]),
  ]
}
