// Tests prepare a store without saying what they change.

package import BrumeModel
package import BrumeStorage

extension WriteScope {
  /// Everything in a store with one bucket.
  package static let all = WriteScope(parts: [.bucket(.only), .server])
}
