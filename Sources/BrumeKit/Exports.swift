// What comes along with `import CloudKit` on Apple's systems: files there name `Date`, `Data` and
// `DispatchQueue` without importing Foundation.

@_exported public import Foundation
