// swift-tools-version: 6.2
//
// Benchmarks, a package of its own so that nobody else builds it. It talks to a release build of
// `brume` over plain sockets, and to SQLite's and PostgreSQL's C libraries directly: the baselines
// must not contain anything of ours.

import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .target(name: "CEpoll"),
    .executableTarget(name: "BrumeBench", dependencies: ["CEpoll", "CPostgres", "CSQLite"]),
    .executableTarget(name: "ReferenceMatcher", cxxSettings: [.unsafeFlags(["-O3"])]),
  ]
)
