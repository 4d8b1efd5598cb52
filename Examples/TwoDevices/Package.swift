// swift-tools-version: 6.2
//
// A small package to copy from: a sync layer, and tests of it with two users and two devices.
// In a package of your own, name the repository's address instead of the path.

import PackageDescription

let package = Package(
  name: "TwoDevices",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "brume", path: "../..")],
  targets: [
    .target(name: "Notes", dependencies: [.product(name: "CloudKit", package: "brume")]),
    .testTarget(
      name: "NotesTests",
      dependencies: [
        "Notes", .product(name: "CloudKit", package: "brume"),
        .product(name: "BrumeTesting", package: "brume"),
      ]),
  ]
)
