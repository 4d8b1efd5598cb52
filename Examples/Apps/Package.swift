// swift-tools-version: 6.2
//
// Small whole programs. The models are written as for an iPhone and know nothing of terminals; the
// programs around them are the terminal's views. Tests run each model against a server in the process.

import PackageDescription

let cloudKit: Target.Dependency = .product(name: "CloudKit", package: "brume")
let models = ["Contacts", "Whistles", "SyncedNotes", "Charts"]
let programs = [
  ("ContactsApp", "Contacts"), ("WhistlesApp", "Whistles"), ("NotesApp", "SyncedNotes"),
  ("ChartsJob", "Charts"),
]

let package = Package(
  name: "Apps",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "brume", path: "../..")],
  targets: models.map { .target(name: $0, dependencies: [cloudKit]) }
    + programs.map { name, model in
      .executableTarget(name: name, dependencies: [.byName(name: model), cloudKit])
    } + [
      .testTarget(
        name: "AppsTests",
        dependencies: models.map { .byName(name: $0) } + [
          cloudKit, .product(name: "BrumeTesting", package: "brume"),
        ])
    ]
)
