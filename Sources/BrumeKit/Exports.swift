// What comes along with `import CloudKit` on Apple's systems: files there name `Date`, `Data` and
// `DispatchQueue` without importing Foundation, and write `@Observable` without importing Observation.

@_exported public import BrumePlaces
@_exported public import Foundation
@_exported public import Observation
