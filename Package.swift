// swift-tools-version: 6.2
//
// The layering picture, in code. A target may use what its line names and nothing else; `make check`
// builds with --explicit-target-dependency-import-check error, so this file is the law.

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

// MARK: Packages we allow

let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioTLS: Target.Dependency = .product(name: "NIOTLS", package: "swift-nio")

/// Packages that programs need for https and for server keys: most of what an app would compile comes with them. The server has
/// them too. Apps that only speak to a server on their machine write `traits: []`.
func https(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["HTTPS"]))
}
let crypto = https("Crypto", "swift-crypto")
let httpClient = https("AsyncHTTPClient", "async-http-client")
let nioSSL = https("NIOSSL", "swift-nio-ssl")

/// Packages only the server needs. Users of the `CloudKit` library switch the trait off
/// (`traits: ["HTTPS"]` or `traits: []`) and never download them.
func server(_ product: String, _ package: String) -> Target.Dependency {
  .product(name: product, package: package, condition: .when(traits: ["Server"]))
}
let deque = server("DequeModule", "swift-collections")
let heap = server("HeapModule", "swift-collections")
let cryptoExtras = server("CryptoExtras", "swift-crypto")
let lifecycle = server("ServiceLifecycle", "swift-service-lifecycle")
let hummingbird = server("Hummingbird", "hummingbird")
let hummingbirdCore = server("HummingbirdCore", "hummingbird")
let arguments = server("ArgumentParser", "swift-argument-parser")
let configuration = server("Configuration", "swift-configuration")
let metrics = server("CoreMetrics", "swift-metrics")
let httpTypes = server("HTTPTypes", "swift-http-types")
let nioHTTP2 = server("NIOHTTP2", "swift-nio-http2")
let nioHTTPTypes = server("NIOHTTPTypes", "swift-nio-extras")
let nioHTTPTypesHTTP1 = server("NIOHTTPTypesHTTP1", "swift-nio-extras")
let nioHTTPTypesHTTP2 = server("NIOHTTPTypesHTTP2", "swift-nio-extras")
let tracing = server("Tracing", "swift-distributed-tracing")
let signals = server("UnixSignals", "swift-service-lifecycle")
let grdb = server("GRDB", "GRDB.swift")
let sqlite = server("GRDBSQLite", "GRDB.swift")
let yams = server("Yams", "Yams")

// MARK: Targets, bottom layer first

func layer(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: settings)
}
func tests(of name: String, uses: [Target.Dependency] = []) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: [.byName(name: name)] + uses, swiftSettings: settings)
}

let nouns = [layer("BrumeModel")]

let languages = [
  layer("BrumePredicate", uses: ["BrumeModel"]),
  layer("BrumeSchema", uses: ["BrumeModel"]),
  layer("BrumeWire", uses: ["BrumeModel"]),
]

let ports = [layer("BrumeStorage", uses: ["BrumeModel", "BrumePredicate"])]

/// What is the same for all engines that search with SQL.
let plans = [layer("BrumeQueryPlan", uses: ["BrumeModel", "BrumePredicate", "BrumeStorage", log])]

let rules = [
  layer(
    "BrumeCore",
    uses: [
      "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeStorage", crypto, cryptoExtras,
    ]),
  layer(
    "BrumeNotifier",
    uses: ["BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeStorage", "BrumeCore"]),
  layer(
    "BrumeDelivery",
    uses: ["BrumeModel", "BrumeWire", "BrumeStorage", "BrumeCore", deque, heap]),
]

let adapters = [
  // Loads libpq when it is needed.
  Target.target(name: "CPostgres"),
  Target.target(name: "CFileBirth"),
  Target.target(name: "CLogPieces", dependencies: [sqlite]),
  layer(
    "BrumeSQLite",
    uses: [
      "BrumeModel", "BrumeStorage", "BrumeQueryPlan", "CFileBirth", "CLogPieces",
      grdb, sqlite, deque, log,
    ]),
  layer(
    "BrumePostgres",
    uses: ["BrumeModel", "BrumeStorage", "BrumeQueryPlan", "CPostgres", deque, log]),
  layer(
    "BrumeAssets",
    uses: ["BrumeModel", "BrumeStorage", crypto, httpClient, nioCore, nioHTTP1]),
  layer(
    "BrumePush",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeDelivery", crypto, httpClient, nioCore, nioHTTP1, nioHTTP2,
      nioPosix, nioSSL,
    ]),
  layer(
    "BrumeOpenID",
    uses: ["BrumeModel", "BrumeWire", "BrumeCore", httpClient, nioCore, nioHTTP1]),
  layer(
    "BrumeTracing",
    uses: ["BrumeModel", "BrumeWire", tracing, deque, httpClient, nioCore, nioHTTP1, log]),
  Target.target(name: "BrumeConsole", exclude: ["web"]),
]

let composition = [
  layer(
    "BrumeServer",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeSchema", "BrumeStorage", "BrumeCore", "BrumeNotifier",
      "BrumeDelivery", "BrumeAssets", "BrumeSQLite", "BrumePostgres", "BrumePush", "BrumeConsole",
      "BrumeOpenID", "BrumeTracing",
      deque, nioPosix, nioHTTP1, nioHTTP2, nioTLS, nioSSL, hummingbird, hummingbirdCore, lifecycle,
      configuration, metrics,
      log, nioCore,
      httpTypes, nioHTTPTypes, nioHTTPTypesHTTP1, nioHTTPTypesHTTP2, crypto,
    ])
]

let client = [
  .target(name: "CFileDigest"),
  layer(
    "BrumeClient",
    uses: [
      "BrumeModel", "BrumeWire", "CFileDigest", crypto, log, httpClient, nioCore, nioHTTP1,
      nioPosix, nioSSL,
    ]),
  layer("BrumePlaces"),
  // Two lines of C that tell Foundation, at load, how nested classes are archived.
  .target(name: "CBrumeKitLoad"),
  // Without NonisolatedNonsendingByDefault, as Apple's framework: with it, the witnesses of
  // CKSyncEngineDelegate in a class on the main actor would be taken off that actor.
  .target(
    name: "BrumeKit",
    dependencies: [
      "BrumeModel", "BrumePredicate", "BrumeWire", "BrumeClient", "BrumePlaces", "CBrumeKitLoad",
      log,
    ],
    swiftSettings: settings.dropLast()),
]

let support = [
  layer(
    "BrumeTesting",
    uses: [
      "BrumeModel", "BrumeStorage", "BrumeCore", "BrumeNotifier", "BrumeServer", "BrumeClient",
      "BrumeKit", log,
    ]),
  layer(
    "BrumeTestKit",
    uses: [
      "BrumeModel", "BrumePredicate", "BrumeStorage", "BrumeCore", "BrumeNotifier", "BrumeDelivery",
      "BrumePush", log,
    ]),
  .target(name: "CConformanceCases"),
  .target(name: "CMemoryArenas"),
  layer(
    "BrumeConformance",
    uses: ["BrumeModel", "BrumeWire", "BrumeClient", "CConformanceCases", yams]),
]

let tool = Target.executableTarget(
  name: "brume",
  dependencies: [
    "BrumeModel", "BrumeStorage", "BrumeCore", "BrumeNotifier", "BrumeDelivery", "BrumePush",
    "BrumeServer", "BrumeClient", "BrumeKit", "BrumeWire", "BrumePredicate", "BrumeConformance",
    "CMemoryArenas", arguments, signals,
    log,
  ],
  swiftSettings: settings)

// MARK: Tests

let ruleTests = [
  tests(of: "BrumeModel"),
  tests(of: "BrumePredicate", uses: ["BrumeModel", "BrumeTestKit"]),
  tests(of: "BrumeSchema", uses: ["BrumeModel", "BrumeTestKit"]),
  tests(of: "BrumeWire", uses: ["BrumeModel", "BrumeTestKit"]),
  tests(
    of: "BrumeStorage",
    uses: [
      "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeCore", "BrumeNotifier", "BrumeWire",
      "BrumeAssets", "BrumeQueryPlan", "BrumeSQLite", "BrumePostgres", "BrumeTestKit", grdb, log,
    ]),
  tests(
    of: "BrumeQueryPlan", uses: ["BrumeModel", "BrumePredicate", "BrumeStorage", "BrumeTestKit"]),
  tests(
    of: "BrumeCore",
    uses: [
      "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeStorage", "BrumeWire", "BrumeTestKit",
      crypto, cryptoExtras,
    ]),
  tests(
    of: "BrumeNotifier",
    uses: [
      "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeStorage", "BrumeCore", "BrumeWire",
      "BrumeTestKit",
    ]),
  tests(
    of: "BrumeDelivery",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeStorage", "BrumeCore", "BrumeNotifier", "BrumePush",
      "BrumeTestKit", crypto,
    ]),
  tests(
    of: "BrumePush",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeDelivery", "BrumeTestKit", crypto, nioCore, nioEmbedded,
      nioHTTP1, nioHTTP2,
    ]),
]

let edgeTests = [
  tests(of: "BrumeTracing", uses: ["BrumeModel", tracing, httpClient, nioCore]),
  tests(
    of: "BrumeServer",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeStorage", "BrumeCore", "BrumeDelivery", "BrumePush",
      "BrumeTracing", "BrumeNotifier", "BrumeOpenID", "BrumeTestKit", "BrumeClient",
      "BrumeConformance", hummingbird, server("HummingbirdTesting", "hummingbird"), httpTypes,
      httpClient, nioCore, nioEmbedded, nioHTTP2, nioHTTPTypes, nioHTTPTypesHTTP2, crypto, metrics,
      log,
    ]),
  tests(
    of: "BrumeClient",
    uses: [
      "BrumeModel", "BrumeWire", "BrumeTestKit", crypto, httpClient, nioCore, nioHTTP1, nioPosix,
    ]),
  tests(of: "BrumeKit", uses: ["BrumeModel", "BrumeWire", "BrumeClient"]),
  tests(of: "BrumeTesting", uses: ["BrumeKit"]),
  .testTarget(
    name: "EndToEndTests",
    dependencies: [
      "brume", "BrumeKit", "BrumeTesting", "BrumeTestKit", "BrumeServer", "BrumeCore",
      "BrumeSchema",
      "BrumeStorage",
      "BrumeWire", "BrumeModel", log,
    ],
    swiftSettings: settings),
  .testTarget(name: "TidyTests", exclude: ["bounds.txt"], swiftSettings: settings),
]

let package = Package(
  name: "brume",
  // The first with Synchronization's Mutex.
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .executable(name: "brume", targets: ["brume"]),
    .library(name: "BrumeKit", targets: ["BrumeKit"]),
    .library(name: "BrumeTesting", targets: ["BrumeTesting"]),
  ],
  traits: [
    .trait(name: "HTTPS", description: "Servers by https, and server keys: for programs."),
    .trait(
      name: "Server", description: "The server and the command line.", enabledTraits: ["HTTPS"]),
    .default(enabledTraits: ["Server"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.5.0"),
    .package(url: "https://github.com/apple/swift-collections.git", from: "1.2.0"),
    .package(url: "https://github.com/apple/swift-configuration.git", from: "1.0.2"),
    .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
    .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.4.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-metrics.git", from: "2.9.0"),
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.100.0"),
    .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.24.0"),
    .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.44.1"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0"),
    .package(url: "https://github.com/jpsim/Yams.git", from: "6.0.0"),
    .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.25.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
  ],
  targets: nouns + languages + ports + plans + rules + adapters + composition + client + support + [
    tool
  ]
    + ruleTests + edgeTests
)

#if os(Linux)
  // Apple's platforms have their own CloudKit; there the library is imported as BrumeKit.
  package.targets.append(
    .target(
      name: "CloudKit", dependencies: ["BrumeKit", "CCloudKitNames"], swiftSettings: settings))
  // For `import CloudKit.CKRecord`.
  package.targets.append(.target(name: "CCloudKitNames"))
  package.products.append(.library(name: "CloudKit", targets: ["CloudKit"]))
  package.targets.append(
    .target(name: "CoreLocation", dependencies: ["BrumePlaces"], swiftSettings: settings))
  package.products.append(.library(name: "CoreLocation", targets: ["CoreLocation"]))
  // Servers, devices, network, clock and scheduler in one thread, by a seed: a program, because it takes
  // over its process.
  package.targets += [
    .target(name: "CSimulation", path: "Tests/CSimulation"),
    .executableTarget(
      name: "brume-simulate",
      dependencies: [
        "CSimulation", "BrumeModel", "BrumeWire", "BrumeStorage", "BrumeCore", "BrumeServer",
        "BrumeNotifier", "BrumeClient", "BrumeKit", "BrumeTestKit", log,
      ], path: "Tests/Simulation", swiftSettings: settings),
    .testTarget(
      name: "SimulationTests", dependencies: ["brume-simulate"], swiftSettings: settings),
  ]
  // Every parser and whole requests, read by any bytes: `scripts/fuzz` builds it once more, with libFuzzer.
  package.targets += [
    .target(name: "CFuzz", path: "Tests/CFuzz"),
    .executableTarget(
      name: "brume-fuzz",
      dependencies: [
        "CFuzz", "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeWire", "BrumeStorage",
        "BrumeQueryPlan", "BrumeCore", "BrumeNotifier", "BrumePush", "BrumeAssets", "BrumeOpenID",
        "BrumeTracing", "BrumeServer", "BrumeClient", "BrumeKit", "BrumeTestKit", crypto, httpTypes,
        hummingbirdCore, nioCore, log,
      ], path: "Tests/Fuzz", exclude: ["corpus", "words.txt"], swiftSettings: settings),
    .testTarget(name: "FuzzTests", dependencies: ["brume-fuzz"], swiftSettings: settings),
  ]
  // The Swift texts of our own pages, compiled and run as they stand there.
  package.targets.append(
    .testTarget(name: "DocumentationTests", dependencies: ["CloudKit", "BrumeTesting"]))
  // The documents' own code, compiled as its readers would: in the old language mode and the new.
  for (name, mode) in [("Swift5", SwiftLanguageMode.v5), ("Swift6", .v6)] {
    package.targets.append(
      .testTarget(
        name: "SourceCompatibility\(name)", dependencies: ["CloudKit", "CoreLocation"],
        path: "Tests/SourceCompatibility/\(name)", swiftSettings: [.swiftLanguageMode(mode)]))
  }
  // What has to compile without a warning.
  package.targets.append(
    .testTarget(
      name: "SourceCompatibilityStrict", dependencies: ["CloudKit"],
      path: "Tests/SourceCompatibility/Strict", swiftSettings: [.treatAllWarnings(as: .error)]))
#else
  // The names are products on Apple's platforms too, so that one manifest serves both: SwiftPM resolves a product
  // also where its condition leaves it out. There they bring our modules, and Apple's are imported.
  package.products.append(.library(name: "CloudKit", targets: ["BrumeKit"]))
  package.products.append(.library(name: "CoreLocation", targets: ["BrumePlaces"]))
#endif
