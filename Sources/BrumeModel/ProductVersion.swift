// Which version of Brume this is, as the changelog calls it.

package enum ProductVersion {
  package static let text = "unreleased"
}
